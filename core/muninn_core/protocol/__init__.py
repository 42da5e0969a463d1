"""What Muninn's processes exchange: frames, and the catalogue of verbs with their parameters and results."""
