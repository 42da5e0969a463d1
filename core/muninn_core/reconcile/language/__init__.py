"""A text as propositions: sentences, clauses, terms with their roles, figures and classes of words."""
