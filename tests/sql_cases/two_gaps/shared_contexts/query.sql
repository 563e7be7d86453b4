SELECT * FROM shared_contexts(2, 6)
