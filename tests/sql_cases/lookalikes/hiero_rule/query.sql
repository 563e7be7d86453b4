SELECT source, target, count FROM hiero_rule ORDER BY source
