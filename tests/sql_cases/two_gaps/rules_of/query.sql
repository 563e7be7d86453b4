SELECT source, count FROM rules_of(5) WHERE gaps = 2
