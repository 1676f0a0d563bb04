"""A loop declared before it is written: the contract, its compiler, and a linter for loops of any kind."""
