"""Results of verbs as text for models and reviews."""
