"""How often an answer is right."""
