SELECT * FROM rules_of(7)
