SELECT * FROM contexts_of(6)
