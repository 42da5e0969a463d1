-- What questions read by id, as functions: the planner does not see through row security how few rows a branch has.
-- Their queries have the rule of row security themselves: a row is found when a branch of the caller holds it. The sum
-- `branch + 0` keeps the branches out of the conditions of the index, which would sort them for each row.

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

REVOKE ALL ON FUNCTION chunks_by_id(bigint[], integer[]), files_by_id(bigint[], integer[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION chunks_by_id(bigint[], integer[]), files_by_id(bigint[], integer[]) TO muninn_reader;
