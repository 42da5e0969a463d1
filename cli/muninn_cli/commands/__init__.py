"""Commands that are no verbs of the catalogue: daemon, doctor, edit and org."""
