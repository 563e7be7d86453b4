SELECT * FROM classes_at('four', 1)
