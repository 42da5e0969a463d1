"""Files as their editors see them: what is remembered there, what is wrong, what references mean."""
