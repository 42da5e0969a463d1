"""What travels between Muninn's processes: frames, verbs, their parameters and results."""
