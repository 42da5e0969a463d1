"""The engine: one method per verb of the catalogue. It does not depend on the front ends."""
