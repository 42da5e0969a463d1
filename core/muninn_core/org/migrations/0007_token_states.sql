-- The states of the tokens of memories. Memories have them from the next push that changes them.
ALTER TABLE chunk ADD COLUMN states bytea;
