"""How good retrieval is: questions about real repositories, and the files that answer them."""
