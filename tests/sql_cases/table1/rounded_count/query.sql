SELECT rounded_count(c) AS whole
FROM (VALUES (0.5::DOUBLE), (1.5), (2.5), (1.4999999999999998), (1.4999), (12345678.5), (NULL)) AS t (c)
