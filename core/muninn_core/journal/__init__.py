"""The journal: what happened, in order and provably. Private to the machine and never in git."""
