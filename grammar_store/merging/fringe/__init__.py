"""Blue-Fringe on a grammar with one gap a rule, step by step as defined, at any size."""
