SELECT * FROM contexts_of(4)
