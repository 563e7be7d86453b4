SELECT * FROM contexts_of(2)
