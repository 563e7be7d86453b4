SELECT * FROM contexts_of(1)
