-- The commits of the last pushes of a branch, the newest first. A client that has one of them has the repository itself.
ALTER TABLE branch ADD COLUMN commits text[] NOT NULL DEFAULT '{}';
UPDATE branch SET commits = ARRAY[commit] WHERE commit <> '';

-- Memories that a push or an administrator redacted. No push stores their texts again, whatever its branch has.
CREATE TABLE redaction(
  tenant integer NOT NULL REFERENCES tenant ON DELETE CASCADE,
  repository integer NOT NULL REFERENCES repository ON DELETE CASCADE,
  memory text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (repository, memory)
);

-- Contents that an administrator purged from the tenant, by the id of the git object. No push stores them again.
CREATE TABLE purge(
  tenant integer NOT NULL REFERENCES tenant ON DELETE CASCADE,
  content bytea NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, content)
);

-- People of an identity provider: its issuer, the audience of its tokens, and where its keys are.
CREATE TABLE identity_provider(
  tenant integer NOT NULL REFERENCES tenant ON DELETE CASCADE,
  issuer text NOT NULL PRIMARY KEY,
  audience text NOT NULL,
  keys text NOT NULL,
  claim text NOT NULL DEFAULT 'sub',
  groups_claim text NOT NULL DEFAULT ''
);

DO $$
DECLARE part text;
BEGIN
  FOREACH part IN ARRAY ARRAY['redaction', 'purge', 'identity_provider'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
    EXECUTE format('CREATE POLICY owner ON %I TO muninn_owner USING (true) WITH CHECK (true)', part);
    EXECUTE format('CREATE POLICY writer ON %I TO muninn_writer USING (tenant = (SELECT current_tenant())) '
                   'WITH CHECK (tenant = (SELECT current_tenant()))', part);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO muninn_writer', part);
  END LOOP;
END
$$;

-- Which provider a token of an issuer is checked against. No row: there is none.
CREATE FUNCTION provider(of_issuer text)
RETURNS TABLE (tenant integer, audience text, keys text, claim text, groups_claim text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = muninn, pg_temp AS
$$
  SELECT p.tenant, p.audience, p.keys, p.claim, p.groups_claim FROM identity_provider p WHERE p.issuer = of_issuer
$$;

-- The number of jobs that are due, of those that failed for good, and the seconds that the oldest due one waits.
CREATE FUNCTION queue_state() RETURNS TABLE (due bigint, failed bigint, oldest double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = muninn, pg_temp AS
$$
  SELECT count(*) FILTER (WHERE not_before <= now()), count(*) FILTER (WHERE not_before = 'infinity'),
         coalesce(extract(epoch FROM now() - min(not_before) FILTER (WHERE not_before <= now())), 0)::double precision
  FROM job
$$;

REVOKE ALL ON FUNCTION provider(text), queue_state() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION provider(text), queue_state() TO muninn_reader, muninn_writer;
