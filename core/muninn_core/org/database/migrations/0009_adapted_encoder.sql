-- The text encoder has changed, and encodings of two encoders can't be compared. Memories have new ones from the next push
-- of their branch; while a caller's memories lack them, the table of tokens compares all.
ALTER TABLE chunk DROP COLUMN encoding, DROP COLUMN states;
ALTER TABLE chunk ADD COLUMN encoding bytea, ADD COLUMN states bytea;
