"""The engine: one object, one method a verb. Faces call it; it knows none of them."""
