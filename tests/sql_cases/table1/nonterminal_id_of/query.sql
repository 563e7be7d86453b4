SELECT
    nonterminal_id_of('das neue Haus', 'the new house') AS whole,
    nonterminal_id_of('das', 'house') AS missing
