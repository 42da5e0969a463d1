-- The inverted lists in parts that fit into the index of words. A question reads the parts of a word side by side from
-- the index; in the table, the rows of a word lie as far apart as the pushes of its branches.

-- Pushes wait until the end of this step, and questions only while the new table takes the place of the old one.
LOCK TABLE branch, frequency IN SHARE MODE;

-- In how many chunks (body, symbol, title, path) and files (whole) of a branch a word stands, which its first part has,
-- and the entries of a part: at most 168 of chunks and 56 of files, eight bytes each.
CREATE TABLE frequency_parts(
  tenant integer NOT NULL,
  word text NOT NULL,
  branch integer NOT NULL,
  part integer NOT NULL,
  body integer NOT NULL,
  symbol integer NOT NULL,
  title integer NOT NULL,
  path integer NOT NULL,
  whole integer NOT NULL,
  chunks bytea STORAGE EXTERNAL NOT NULL,
  files bytea STORAGE EXTERNAL NOT NULL
) PARTITION BY LIST (tenant);

DO $$
DECLARE made integer;
BEGIN
  FOR made IN SELECT id FROM tenant LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF frequency_parts FOR VALUES IN (%s)', 'frequency_parts_' || made, made);
  END LOOP;
END
$$;

INSERT INTO frequency_parts
  SELECT f.tenant, f.word, f.branch, number, CASE number WHEN 0 THEN f.body ELSE 0 END,
    CASE number WHEN 0 THEN f.symbol ELSE 0 END, CASE number WHEN 0 THEN f.title ELSE 0 END,
    CASE number WHEN 0 THEN f.path ELSE 0 END, CASE number WHEN 0 THEN f.whole ELSE 0 END,
    substring(f.chunks FROM number * 1344 + 1 FOR 1344), substring(f.files FROM number * 448 + 1 FOR 448)
  FROM frequency f, generate_series(0, greatest((length(f.chunks) - 1) / 1344, (length(f.files) - 1) / 448, 0)) number;
ALTER TABLE frequency_parts ADD CONSTRAINT frequency_key
  PRIMARY KEY (tenant, word, branch, part) INCLUDE (body, symbol, title, path, whole, chunks, files);
CREATE INDEX frequency_of_branch ON frequency_parts(tenant, branch);

ALTER TABLE frequency_parts ENABLE ROW LEVEL SECURITY;
ALTER TABLE frequency_parts FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON frequency_parts TO muninn_owner USING (true) WITH CHECK (true);
CREATE POLICY writer ON frequency_parts TO muninn_writer USING (tenant = (SELECT current_tenant()))
  WITH CHECK (tenant = (SELECT current_tenant()));
CREATE POLICY reader ON frequency_parts TO muninn_reader
  USING (tenant = (SELECT current_tenant()) AND branch = ANY ((SELECT current_branches())::integer[]));
GRANT SELECT ON frequency_parts TO muninn_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON frequency_parts TO muninn_writer;

DROP TABLE frequency;
ALTER TABLE frequency_parts RENAME TO frequency;
DO $$
DECLARE made integer;
BEGIN
  FOR made IN SELECT id FROM tenant LOOP
    EXECUTE format('ALTER TABLE %I RENAME TO %I', 'frequency_parts_' || made, 'frequency_' || made);
  END LOOP;
END
$$;

-- The index answers alone for pages that VACUUM has seen: it comes after each fiftieth of new rows, not each fifth.
CREATE FUNCTION vacuum_often(of_tenant integer) RETURNS void
LANGUAGE plpgsql SET search_path = muninn, pg_temp AS
$$
BEGIN
  EXECUTE format('ALTER TABLE %I SET (autovacuum_vacuum_scale_factor = 0.02, '
                 'autovacuum_vacuum_insert_scale_factor = 0.02)', 'frequency_' || of_tenant);
END
$$;
REVOKE ALL ON FUNCTION vacuum_often(integer) FROM PUBLIC;
SELECT vacuum_often(id) FROM tenant;

CREATE OR REPLACE FUNCTION create_tenant(new_name text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = muninn, public, pg_temp AS
$$
DECLARE made integer; part text;
BEGIN
  INSERT INTO tenant(name) VALUES (new_name) RETURNING id INTO made;
  FOREACH part IN ARRAY ARRAY['file', 'chunk', 'symbol', 'dependency', 'place', 'memory', 'frequency'] LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES IN (%s)', part || '_' || made, part, made);
  END LOOP;
  PERFORM vacuum_often(made);
  RETURN made;
END
$$;

-- In how many documents of the caller's branches words stand, by field. The branches are an unknown value to the
-- planner, which would estimate the rows of each of them.
CREATE OR REPLACE FUNCTION frequencies(wanted text[])
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
    'WHERE f.tenant = %s AND f.word = ANY ($1) AND f.branch = ANY ((SELECT $2)::integer[]) AND f.part = 0 '
    'GROUP BY f.word', 'frequency_' || tenant, tenant) USING wanted, branches;
END
$$;

-- The inverted lists of words in the caller's branches, joined, of chunks and of files.
CREATE OR REPLACE FUNCTION lists(wanted text[]) RETURNS TABLE (word text, chunks bytea, files bytea)
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
    'WHERE f.tenant = %s AND f.word = ANY ($1) AND f.branch = ANY ((SELECT $2)::integer[]) GROUP BY f.word',
    'frequency_' || tenant, tenant) USING wanted, branches;
END
$$;

-- Begin a transaction of a principal, as before, with one query for the rights and the answer.
CREATE OR REPLACE FUNCTION enter(of_tenant integer, of_principal integer, names text[], wanted_ref text)
RETURNS TABLE (branch integer, name text, ref text, commit text, generation integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = muninn, pg_temp AS
$$
BEGIN
  -- Without an allowed branch, the query below sets nothing.
  PERFORM set_config('muninn.tenant', of_tenant::text, true), set_config('muninn.branches', '{}', true);
  RETURN QUERY
  WITH allowed AS MATERIALIZED (
    SELECT b.id, r.name, b.ref, b.commit, b.generation FROM branch b JOIN repository r ON r.id = b.repository
    WHERE r.id IN (SELECT readable(of_tenant, of_principal))
      AND (names IS NULL OR r.name = ANY (names)) AND b.commit <> '' AND b.ref = coalesce(wanted_ref, r.default_ref)),
  entered AS MATERIALIZED (SELECT set_config('muninn.branches', array_agg(a.id)::text, true) FROM allowed a)
  SELECT a.* FROM allowed a, entered ORDER BY a.name, a.ref;
END
$$;

-- Chunks by id, each with its file and the place of the first of some branches that holds it.
CREATE OR REPLACE FUNCTION chunks_by_id(ids bigint[], ordered integer[])
RETURNS TABLE (id bigint, data bytea, generated boolean, first integer)
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
    'SELECT c.id, c.data, f.generated, held.first FROM unnest($1) wanted(id) JOIN %I c ON c.id = wanted.id '
    'JOIN %I f ON f.id = c.file CROSS JOIN LATERAL (SELECT min(array_position($2, p.branch)) AS first FROM %I p '
    'WHERE p.tenant = %s AND p.file = c.file AND p.branch + 0 = ANY ((SELECT $3)::integer[])) held '
    'WHERE c.tenant = %s AND f.tenant = %s AND held.first IS NOT NULL',
    'chunk_' || tenant, 'file_' || tenant, 'place_' || tenant, tenant, tenant, tenant) USING ids, ordered, branches;
END
$$;

-- Files by id, each with the place of the first of some branches that holds it.
CREATE OR REPLACE FUNCTION files_by_id(ids bigint[], ordered integer[])
RETURNS TABLE (id bigint, path text, first integer)
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
    'SELECT f.id, f.path, held.first FROM unnest($1) wanted(id) JOIN %I f ON f.id = wanted.id CROSS JOIN LATERAL '
    '(SELECT min(array_position($2, p.branch)) AS first FROM %I p WHERE p.tenant = %s AND p.file = f.id '
    'AND p.branch + 0 = ANY ((SELECT $3)::integer[])) held WHERE f.tenant = %s AND held.first IS NOT NULL',
    'file_' || tenant, 'place_' || tenant, tenant, tenant)
    USING ids, ordered, branches;
END
$$;

-- The vectors of the chunks of some of the caller's branches, or the encodings of their memories, as before.
CREATE OR REPLACE FUNCTION vectors_of(of_branches integer[], of_column text)
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
    'WHERE p.tenant = %4$s AND p.branch = ANY ($1) AND p.branch + 0 = ANY ((SELECT $2)::integer[]) GROUP BY p.branch',
    selected, 'place_' || tenant, 'chunk_' || tenant, tenant, first) USING of_branches, branches;
END
$$;
