"""What a session did, and the memories that follow from it."""
