"""Documents, skills, packs and memory of other tools in a work tree."""
