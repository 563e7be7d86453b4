SELECT * FROM hiero_rule ORDER BY source
