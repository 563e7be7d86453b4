-- Where the rules of a grammar made elsewhere wait to be imported, in the columns of translation rules.
CREATE TEMP TABLE given (
    lhs VARCHAR,
    source VARCHAR,
    target VARCHAR,
    alignment VARCHAR,
    count DOUBLE,
    source_count DOUBLE,
    target_count DOUBLE,
    features DOUBLE[]
)
