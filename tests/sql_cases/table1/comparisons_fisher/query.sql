-- the same with Fisher's test, by default: every count rounds to 0, so nothing can differ
SELECT context_id, d, test, p_value, equal::VARCHAR AS equal FROM comparisons(1, 7, 1)
