-- X2 went into X1 and that into X6 in three: both are led by X6.
SELECT * FROM class_member WHERE nonterminal_id <> leader_id ORDER BY session, nonterminal_id
