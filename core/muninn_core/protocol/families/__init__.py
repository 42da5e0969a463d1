"""The catalogue's families: one module each, with the parameters, results and methods of its verbs."""
