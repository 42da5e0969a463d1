-- The queue of branches to fetch from a forge and to index. A webhook adds a row; a worker holds its lock while it works,
-- so that the row is free again when the worker is killed.

ALTER TABLE repository ADD COLUMN remote text NOT NULL DEFAULT '';
-- The secret of the repository's webhook; '' takes none.
ALTER TABLE repository ADD COLUMN hook_secret text NOT NULL DEFAULT '';
-- Patterns of the branches that are indexed beside the default one, as in a shell: release/*.
ALTER TABLE repository ADD COLUMN branches text[] NOT NULL DEFAULT '{}';

CREATE TABLE job(
  tenant integer NOT NULL REFERENCES tenant ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  repository integer NOT NULL REFERENCES repository ON DELETE CASCADE,
  ref text NOT NULL,
  queued timestamptz NOT NULL DEFAULT now(),
  not_before timestamptz NOT NULL DEFAULT now(),
  tries integer NOT NULL DEFAULT 0,
  error text NOT NULL DEFAULT ''
);
CREATE INDEX job_due ON job(not_before, id);
CREATE INDEX job_repository ON job(repository, ref);

ALTER TABLE job ENABLE ROW LEVEL SECURITY;
ALTER TABLE job FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON job TO muninn_owner USING (true) WITH CHECK (true);
CREATE POLICY writer ON job TO muninn_writer USING (tenant = (SELECT current_tenant()))
  WITH CHECK (tenant = (SELECT current_tenant()));
GRANT SELECT, INSERT, UPDATE, DELETE ON job TO muninn_writer;

-- What a webhook needs to check a signature. No row: there is no such repository, or it takes no webhooks.
CREATE FUNCTION webhook(tenant_name text, repository_name text)
RETURNS TABLE (tenant integer, repository integer, secret text, waiting bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = muninn, pg_temp AS
$$
  SELECT r.tenant, r.id, r.hook_secret, (SELECT count(*) FROM job j WHERE j.repository = r.id)
  FROM repository r JOIN tenant t ON t.id = r.tenant
  WHERE t.name = tenant_name AND r.name = repository_name AND r.hook_secret <> ''
$$;

-- Lock the next job for this transaction, one of a repository at a time, and delete equal jobs that wait.
CREATE FUNCTION take_job()
RETURNS TABLE (tenant integer, id bigint, repository text, ref text, remote text, default_ref text, branches text[],
               tries integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = muninn, pg_temp AS
$$
DECLARE next record;
BEGIN
  FOR next IN SELECT j.* FROM job j WHERE j.not_before <= now() ORDER BY j.id FOR UPDATE SKIP LOCKED LOOP
    IF pg_try_advisory_xact_lock(1836410473, next.repository) THEN
      DELETE FROM job j WHERE j.id IN (
        SELECT o.id FROM job o WHERE o.repository = next.repository AND o.ref = next.ref AND o.id <> next.id
        FOR UPDATE SKIP LOCKED);
      RETURN QUERY SELECT r.tenant, next.id, r.name, next.ref, r.remote, r.default_ref, r.branches, next.tries
        FROM repository r WHERE r.id = next.repository;
      RETURN;
    END IF;
  END LOOP;
END
$$;

REVOKE ALL ON FUNCTION webhook(text, text), take_job() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION webhook(text, text) TO muninn_reader, muninn_writer;
GRANT EXECUTE ON FUNCTION take_job() TO muninn_writer;
