"""Which non-terminals behave alike: the tests of proportions and what is built on them."""
