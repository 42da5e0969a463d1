"""The journal: an append-only, hash-chained log of events. Private to the machine and never in git."""
