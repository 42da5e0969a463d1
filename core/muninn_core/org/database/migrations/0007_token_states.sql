-- The states of the tokens of memories. Memories have them from the next push of their branch.
ALTER TABLE chunk ADD COLUMN states bytea;
