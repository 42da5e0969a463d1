"""What becomes of memories: made, changed, looked up, brought in and taken out."""
