"""The verbs of the engine: one class per family of the catalogue, one method per verb."""
