"""What answers questions: recall and contexts, what they see, and their pages."""
