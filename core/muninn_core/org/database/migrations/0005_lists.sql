-- The inverted lists of each branch, entries of 64 bits by id: the document's id before 19 bits of its field, count and
-- length. So a question reads no entry of a branch that its caller may not read.

-- Tables with an index of words and pgvector have no lists, which only a push makes: they are emptied, and each branch
-- is pushed again. Rights, tokens, jobs, redactions and the audit stay.
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'chunk'::regclass AND attname = 'words' AND attnum > 0) THEN
    TRUNCATE file, chunk, symbol, place, memory, frequency;
    UPDATE branch SET commit = '', commits = '{}', cutter = 0, chunks = 0, documents = 0, lengths = '{0,0,0,0,0}',
      generation = generation + 1;
    DROP FUNCTION matching(text, tsquery, integer, bigint[], bigint[], integer), nearest(halfvec, integer, integer),
      nearest_of_all(halfvec, integer, integer), size_of_tenant();
    ALTER TABLE file DROP COLUMN words;
    ALTER TABLE chunk DROP COLUMN words, DROP COLUMN vector, DROP COLUMN encoding;
    ALTER TABLE chunk ADD COLUMN vector bytea, ADD COLUMN encoding bytea;
  END IF;
END
$$;

-- The numbers are in the index, so that the sums of a word over many branches read no row.
ALTER TABLE frequency DROP CONSTRAINT frequency_pkey;
ALTER TABLE frequency ADD PRIMARY KEY (tenant, word, branch) INCLUDE (body, symbol, title, path, whole);
ALTER TABLE frequency ADD COLUMN chunks bytea NOT NULL, ADD COLUMN files bytea NOT NULL;

-- In how many documents of the caller's branches words stand, by field.
CREATE FUNCTION frequencies(wanted text[])
RETURNS TABLE (word text, body bigint, symbol bigint, title bigint, path bigint, whole bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = muninn, public, pg_temp AS
$$
DECLARE
  tenant integer := current_tenant();
  branches integer[] := current_branches();
BEGIN
  IF tenant IS NULL OR branches = '{}' THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE format(
    'SELECT f.word, sum(f.body), sum(f.symbol), sum(f.title), sum(f.path), sum(f.whole) FROM %I f '
    'WHERE f.tenant = %s AND f.word = ANY ($1) AND f.branch = ANY ($2) GROUP BY f.word',
    'frequency_' || tenant, tenant) USING wanted, branches;
END
$$;

-- The inverted lists of words in the caller's branches, joined, of chunks and of files.
CREATE FUNCTION lists(wanted text[]) RETURNS TABLE (word text, chunks bytea, files bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = muninn, public, pg_temp AS
$$
DECLARE
  tenant integer := current_tenant();
  branches integer[] := current_branches();
BEGIN
  IF tenant IS NULL OR branches = '{}' THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE format(
    'SELECT f.word, string_agg(f.chunks, ''''), string_agg(f.files, '''') FROM %I f '
    'WHERE f.tenant = %s AND f.word = ANY ($1) AND f.branch = ANY ($2) GROUP BY f.word',
    'frequency_' || tenant, tenant) USING wanted, branches;
END
$$;

-- The vectors of the chunks of some of the caller's branches, or the encodings of their memories: the ids, 64 bits each,
-- and the rows, joined, and the number of chunks that have none.
CREATE FUNCTION vectors_of(of_branches integer[], of_column text)
RETURNS TABLE (branch integer, ids bytea, rows bytea, missing bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = muninn, public, pg_temp AS
$$
DECLARE
  tenant integer := current_tenant();
  branches integer[] := current_branches();
  selected text := CASE of_column WHEN 'vector' THEN 'vector' WHEN 'encoding' THEN 'encoding' END;
  first bigint := CASE of_column WHEN 'vector' THEN 0 ELSE 2::bigint << 40 END;  -- the first id of memories
BEGIN
  IF tenant IS NULL OR branches = '{}' THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE format(
    'SELECT p.branch, string_agg(int8send(c.id), '''' ORDER BY c.id) FILTER (WHERE c.%1$I IS NOT NULL), '
    'string_agg(c.%1$I, '''' ORDER BY c.id), count(*) - count(c.%1$I) '
    'FROM %2$I p JOIN %3$I c ON c.tenant = %4$s AND c.file = p.file AND c.id >= %5$s '
    'WHERE p.tenant = %4$s AND p.branch = ANY ($1) AND p.branch = ANY ($2) GROUP BY p.branch',
    selected, 'place_' || tenant, 'chunk_' || tenant, tenant, first) USING of_branches, branches;
END
$$;

REVOKE ALL ON FUNCTION frequencies(text[]), lists(text[]), vectors_of(integer[], text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION frequencies(text[]), lists(text[]), vectors_of(integer[], text) TO muninn_reader;
