"""How two texts relate: the same fact, a contradiction, or neither; and which pairs are compared."""
