SELECT * FROM hiero_rule WHERE contains(source, ',2]') ORDER BY source
