"""Files in which other tools store memory and instructions."""
