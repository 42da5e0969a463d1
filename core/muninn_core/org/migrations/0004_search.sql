-- Searches of words and vectors as functions. Under row security the index of words can't be used, since `@@` is not
-- leakproof. Their queries have the rule of row security themselves: a row is found when a branch of the caller holds it.
-- They ask that for each row that an index finds: as a join, the planner would begin with all files of the caller. The
-- sum `branch + 0` keeps the branches out of the conditions of the index, which would sort them for each row.

-- Each kind has its own vector index, so that a search for a rare kind does not walk through the others.
CREATE INDEX chunk_vector_code ON chunk USING hnsw (vector halfvec_ip_ops) WITH (m = 16, ef_construction = 64)
  WHERE kind = 0;
CREATE INDEX chunk_vector_knowledge ON chunk USING hnsw (vector halfvec_ip_ops) WITH (m = 16, ef_construction = 64)
  WHERE kind = 1;
CREATE INDEX chunk_vector_memory ON chunk USING hnsw (vector halfvec_ip_ops) WITH (m = 16, ef_construction = 64)
  WHERE kind = 2;

-- The documents that match a query of words, at most `most`. Of a kind, of files, of ids: NULL is all.
CREATE FUNCTION matching(of_table text, query tsquery, of_kind integer, of_files bigint[], of_ids bigint[], most integer)
RETURNS TABLE (id bigint, counts bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = muninn, public, pg_temp AS
$$
DECLARE
  tenant integer := current_tenant();
  branches integer[] := current_branches();
  file text := CASE of_table WHEN 'chunk' THEN 'file' WHEN 'file' THEN 'id' END;
  sql text;
BEGIN
  IF tenant IS NULL OR branches = '{}' THEN
    RETURN;
  END IF;
  sql := format('SELECT d.id, d.counts FROM %I d WHERE d.words @@ $1', of_table || '_' || tenant);
  IF of_kind IS NOT NULL THEN sql := sql || ' AND d.kind = $2'; END IF;
  IF of_files IS NOT NULL THEN sql := sql || format(' AND d.%I = ANY ($3)', file); END IF;
  IF of_ids IS NOT NULL THEN sql := sql || ' AND d.id = ANY ($4)'; END IF;
  sql := sql || format(' AND (SELECT true FROM %I p WHERE p.tenant = %s AND p.file = d.%I AND p.branch + 0 = ANY ($5) '
                       'LIMIT 1) LIMIT $6', 'place_' || tenant, tenant, file);
  RETURN QUERY EXECUTE sql USING query, of_kind, of_files, of_ids, branches, most;
END
$$;

-- The chunks of a kind whose vectors are nearest to a question's, with the products: those that the vector index finds.
CREATE FUNCTION nearest(query halfvec, of_kind integer, most integer) RETURNS TABLE (id bigint, product double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = muninn, public, pg_temp
SET enable_seqscan = off SET enable_sort = off AS
$$
DECLARE
  tenant integer := current_tenant();
  branches integer[] := current_branches();
BEGIN
  IF tenant IS NULL OR branches = '{}' THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE format(
    'SELECT c.id, -(c.vector <#> $1) FROM %I c WHERE c.kind = %s AND c.vector IS NOT NULL AND '
    '(SELECT true FROM %I p WHERE p.tenant = %s AND p.file = c.file AND p.branch + 0 = ANY ($2) LIMIT 1) '
    'ORDER BY c.vector <#> $1 LIMIT $3', 'chunk_' || tenant, of_kind, 'place_' || tenant, tenant)
    USING query, branches, most;
END
$$;

-- The same with all vectors compared, those of equal products by id.
CREATE FUNCTION nearest_of_all(query halfvec, of_kind integer, most integer)
RETURNS TABLE (id bigint, product double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = muninn, public, pg_temp AS
$$
DECLARE
  tenant integer := current_tenant();
  branches integer[] := current_branches();
BEGIN
  IF tenant IS NULL OR branches = '{}' THEN
    RETURN;
  END IF;
  -- The ids of a kind are a range, so that those of a rare kind are read alone.
  RETURN QUERY EXECUTE format(
    'SELECT c.id, -(c.vector <#> $1) FROM %I c WHERE c.tenant = %s AND c.id >= %s AND c.id < %s '
    'AND c.vector IS NOT NULL AND c.file IN '
    '(SELECT p.file FROM %I p WHERE p.tenant = %s AND p.branch = ANY ($2)) ORDER BY 2 DESC, 1 LIMIT $3',
    'chunk_' || tenant, tenant, of_kind::bigint << 40, (of_kind + 1)::bigint << 40, 'place_' || tenant, tenant)
    USING query, branches, most;
END
$$;

-- Chunks by id, each with its file and the place of the first of some branches that holds it.
CREATE FUNCTION chunks_by_id(ids bigint[], ordered integer[])
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
    'WHERE p.tenant = %s AND p.file = c.file AND p.branch + 0 = ANY ($3)) held WHERE c.tenant = %s AND f.tenant = %s '
    'AND held.first IS NOT NULL', 'chunk_' || tenant, 'file_' || tenant, 'place_' || tenant, tenant, tenant, tenant)
    USING ids, ordered, branches;
END
$$;

-- Files by id, each with the place of the first of some branches that holds it.
CREATE FUNCTION files_by_id(ids bigint[], ordered integer[]) RETURNS TABLE (id bigint, path text, first integer)
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
    'AND p.branch + 0 = ANY ($3)) held WHERE f.tenant = %s AND held.first IS NOT NULL',
    'file_' || tenant, 'place_' || tenant, tenant, tenant)
    USING ids, ordered, branches;
END
$$;

-- About how many chunks a tenant has, for the choice between both searches of vectors.
CREATE FUNCTION size_of_tenant() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = muninn, pg_temp AS
$$ SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = to_regclass('chunk_' || current_tenant()) $$;

REVOKE ALL ON FUNCTION matching(text, tsquery, integer, bigint[], bigint[], integer), nearest(halfvec, integer, integer),
  nearest_of_all(halfvec, integer, integer), chunks_by_id(bigint[], integer[]),
  files_by_id(bigint[], integer[]), size_of_tenant() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION matching(text, tsquery, integer, bigint[], bigint[], integer),
  nearest(halfvec, integer, integer), nearest_of_all(halfvec, integer, integer), chunks_by_id(bigint[], integer[]),
  files_by_id(bigint[], integer[]), size_of_tenant() TO muninn_reader;

-- The last statement, since its lock keeps questions waiting until the transaction ends.
DROP INDEX chunk_vector;
