-- Tables of an organisation's memory. Every table with content of repositories is partitioned by tenant, so that no
-- index holds rows of two tenants. Row security is forced: without a caller, a reader sees no row.

CREATE TABLE tenant(
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);

CREATE TABLE principal(
  tenant integer NOT NULL REFERENCES tenant ON DELETE CASCADE,
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('user', 'group', 'service')),
  name text NOT NULL,
  UNIQUE (tenant, kind, name)
);

CREATE TABLE member(
  tenant integer NOT NULL REFERENCES tenant ON DELETE CASCADE,
  in_group integer NOT NULL REFERENCES principal ON DELETE CASCADE,
  principal integer NOT NULL REFERENCES principal ON DELETE CASCADE,
  PRIMARY KEY (principal, in_group)
);

CREATE TABLE repository(
  tenant integer NOT NULL REFERENCES tenant ON DELETE CASCADE,
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  default_ref text NOT NULL DEFAULT '',
  -- 'tenant': every principal of the tenant may read it. 'private': only those in `access`.
  visibility text NOT NULL DEFAULT 'private' CHECK (visibility IN ('private', 'tenant')),
  UNIQUE (tenant, name)
);

CREATE TABLE access(
  tenant integer NOT NULL REFERENCES tenant ON DELETE CASCADE,
  repository integer NOT NULL REFERENCES repository ON DELETE CASCADE,
  principal integer NOT NULL REFERENCES principal ON DELETE CASCADE,
  expires timestamptz NOT NULL DEFAULT 'infinity',
  PRIMARY KEY (principal, repository)
);

CREATE TABLE token(
  tenant integer NOT NULL REFERENCES tenant ON DELETE CASCADE,
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  principal integer NOT NULL REFERENCES principal ON DELETE CASCADE,
  hash bytea NOT NULL UNIQUE,
  scope text NOT NULL CHECK (scope IN ('read', 'push')),
  repository integer REFERENCES repository ON DELETE CASCADE,
  created timestamptz NOT NULL DEFAULT now(),
  expires timestamptz NOT NULL,
  revoked timestamptz
);

CREATE TABLE audit(
  tenant integer NOT NULL REFERENCES tenant ON DELETE CASCADE,
  at timestamptz NOT NULL DEFAULT now(),
  principal integer,
  action text NOT NULL,
  details jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_at ON audit(tenant, at);

-- One branch of one repository as it was pushed last; `commit` is '' before the first push. `documents` and `lengths` are the totals of BM25.
CREATE TABLE branch(
  tenant integer NOT NULL REFERENCES tenant ON DELETE CASCADE,
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  repository integer NOT NULL REFERENCES repository ON DELETE CASCADE,
  ref text NOT NULL,
  commit text NOT NULL,
  committed timestamptz NOT NULL,
  pushed timestamptz NOT NULL DEFAULT now(),
  generation integer NOT NULL DEFAULT 0,
  cutter integer NOT NULL DEFAULT 0,
  chunks bigint NOT NULL DEFAULT 0,
  documents bigint NOT NULL DEFAULT 0,
  lengths bigint[] NOT NULL DEFAULT '{0,0,0,0,0}',
  UNIQUE (repository, ref)
);

-- A content at a path. Forks, branches and tags share it. A memory is a file of the kind 2 under the path /memory/ID.
-- `cutter` is the version of the code that cut the content into chunks.
CREATE TABLE file(
  tenant integer NOT NULL,
  id bigint NOT NULL,
  content bytea NOT NULL,
  path text NOT NULL,
  cutter integer NOT NULL,
  kind smallint NOT NULL,
  language text NOT NULL,
  generated boolean NOT NULL,
  counts bytea NOT NULL,
  syntax bytea NOT NULL,
  stored timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, id)
) PARTITION BY LIST (tenant);
CREATE UNIQUE INDEX file_content ON file(tenant, path, content, cutter);

-- `vector` and `encoding` have the signed 8-bit numbers of the local index.
CREATE TABLE chunk(
  tenant integer NOT NULL,
  id bigint NOT NULL,
  file bigint NOT NULL,
  kind smallint NOT NULL,
  data bytea NOT NULL,
  counts bytea NOT NULL,
  vector bytea,
  encoding bytea,
  PRIMARY KEY (tenant, id)
) PARTITION BY LIST (tenant);
CREATE INDEX chunk_file ON chunk(tenant, file);

CREATE TABLE place(
  tenant integer NOT NULL,
  branch integer NOT NULL,
  file bigint NOT NULL,
  PRIMARY KEY (tenant, branch, file)
) PARTITION BY LIST (tenant);
CREATE INDEX place_file ON place(tenant, file, branch);

-- The names of definitions. `file.syntax` has the definitions.
CREATE TABLE symbol(
  tenant integer NOT NULL,
  name text NOT NULL,
  file bigint NOT NULL,
  PRIMARY KEY (tenant, name, file)
) PARTITION BY LIST (tenant);
CREATE INDEX symbol_file ON symbol(tenant, file);

-- Folded memories of a branch.
CREATE TABLE memory(
  tenant integer NOT NULL,
  branch integer NOT NULL,
  id text NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (tenant, branch, id)
) PARTITION BY LIST (tenant);

-- In how many chunks (body, symbol, title, path) and files (whole) of a branch a word stands.
CREATE TABLE frequency(
  tenant integer NOT NULL,
  word text NOT NULL,
  branch integer NOT NULL,
  body integer NOT NULL,
  symbol integer NOT NULL,
  title integer NOT NULL,
  path integer NOT NULL,
  whole integer NOT NULL,
  PRIMARY KEY (tenant, word, branch)
) PARTITION BY LIST (tenant);
CREATE INDEX frequency_branch ON frequency(tenant, branch);

CREATE SEQUENCE file_id;
CREATE SEQUENCE chunk_id;

-- The caller of a transaction, which `enter` sets: its tenant, its principal and the branches that it may read.
CREATE FUNCTION current_tenant() RETURNS integer LANGUAGE sql STABLE AS
$$ SELECT nullif(current_setting('muninn.tenant', true), '')::integer $$;

CREATE FUNCTION current_branches() RETURNS integer[] LANGUAGE sql STABLE AS
$$ SELECT coalesce(nullif(current_setting('muninn.branches', true), ''), '{}')::integer[] $$;

-- The repositories that a principal may read: those of its tenant, its own and those of its groups, until they expire.
CREATE FUNCTION readable(of_tenant integer, of_principal integer) RETURNS SETOF integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = muninn, pg_temp AS
$$
  SELECT r.id FROM repository r
  JOIN principal p ON p.id = of_principal AND p.tenant = of_tenant
  WHERE r.tenant = of_tenant AND (r.visibility = 'tenant' OR r.id IN (
    SELECT a.repository FROM access a WHERE a.expires > now() AND a.principal IN (
      SELECT of_principal UNION SELECT in_group FROM member m WHERE m.principal = of_principal)))
$$;

-- Begin a transaction of a principal: only the given repositories (NULL: all), only the given ref (NULL: the default
-- ref of each). Returns the branches that it may read.
CREATE FUNCTION enter(of_tenant integer, of_principal integer, names text[], wanted_ref text)
RETURNS TABLE (branch integer, name text, ref text, commit text, generation integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = muninn, pg_temp AS
$$
DECLARE allowed integer[];
BEGIN
  allowed := ARRAY(
    SELECT b.id FROM branch b JOIN repository r ON r.id = b.repository
    WHERE r.id IN (SELECT readable(of_tenant, of_principal))
      AND (names IS NULL OR r.name = ANY (names)) AND b.commit <> '' AND b.ref = coalesce(wanted_ref, r.default_ref));
  PERFORM set_config('muninn.tenant', of_tenant::text, true);
  PERFORM set_config('muninn.branches', allowed::text, true);
  RETURN QUERY SELECT b.id, r.name, b.ref, b.commit, b.generation FROM branch b
    JOIN repository r ON r.id = b.repository WHERE b.id = ANY (allowed) ORDER BY r.name, b.ref;
END
$$;

-- The tenant, principal, scope and repository of a token that is neither expired nor revoked.
CREATE FUNCTION authenticate(token_hash bytea)
RETURNS TABLE (id integer, tenant integer, principal integer, name text, scope text, repository text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = muninn, pg_temp AS
$$
  SELECT t.id, t.tenant, t.principal, p.name, t.scope, r.name FROM token t
  JOIN principal p ON p.id = t.principal LEFT JOIN repository r ON r.id = t.repository
  WHERE t.hash = token_hash AND t.expires > now() AND t.revoked IS NULL
$$;

-- Make a tenant with its partitions.
CREATE FUNCTION create_tenant(new_name text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = muninn, public, pg_temp AS
$$
DECLARE made integer; part text;
BEGIN
  INSERT INTO tenant(name) VALUES (new_name) RETURNING id INTO made;
  FOREACH part IN ARRAY ARRAY['file', 'chunk', 'symbol', 'place', 'memory', 'frequency'] LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES IN (%s)', part || '_' || made, part, made);
  END LOOP;
  RETURN made;
END
$$;

-- Delete a tenant and all of its rows.
CREATE FUNCTION drop_tenant(old_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = muninn, public, pg_temp AS
$$
DECLARE gone integer; part text;
BEGIN
  SELECT id INTO STRICT gone FROM tenant WHERE name = old_name;
  FOREACH part IN ARRAY ARRAY['file', 'chunk', 'symbol', 'place', 'memory', 'frequency'] LOOP
    EXECUTE format('DROP TABLE %I', part || '_' || gone);
  END LOOP;
  DELETE FROM tenant WHERE id = gone;
END
$$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA muninn FROM PUBLIC;
GRANT USAGE ON SCHEMA muninn TO muninn_reader, muninn_writer;
GRANT SELECT ON tenant, branch, repository, file, chunk, symbol, place, memory, frequency TO muninn_reader;
GRANT INSERT ON audit TO muninn_reader, muninn_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON repository, branch, place, memory, frequency, access, principal, member, token
  TO muninn_writer;
GRANT SELECT, INSERT, DELETE ON file, chunk, symbol TO muninn_writer;
GRANT SELECT ON tenant, audit TO muninn_writer;
GRANT USAGE ON SEQUENCE file_id, chunk_id TO muninn_writer;
GRANT EXECUTE ON FUNCTION current_tenant(), current_branches(), readable(integer, integer),
  enter(integer, integer, text[], text), authenticate(bytea) TO muninn_reader, muninn_writer;

DO $$
DECLARE part text;
BEGIN
  FOREACH part IN ARRAY ARRAY['tenant', 'principal', 'member', 'repository', 'access', 'token', 'audit', 'branch',
                              'file', 'chunk', 'symbol', 'place', 'memory', 'frequency'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
    EXECUTE format('CREATE POLICY owner ON %I TO muninn_owner USING (true) WITH CHECK (true)', part);
    IF part <> 'tenant' THEN
      EXECUTE format('CREATE POLICY writer ON %I TO muninn_writer USING (tenant = (SELECT current_tenant())) '
                     'WITH CHECK (tenant = (SELECT current_tenant()))', part);
    END IF;
  END LOOP;
END
$$;

CREATE POLICY writer ON tenant TO muninn_writer USING (id = (SELECT current_tenant()));
CREATE POLICY reader ON tenant TO muninn_reader USING (id = (SELECT current_tenant()));
CREATE POLICY auditor ON audit FOR INSERT TO muninn_reader WITH CHECK (tenant = (SELECT current_tenant()));
CREATE POLICY reader ON branch TO muninn_reader
  USING (tenant = (SELECT current_tenant()) AND id = ANY ((SELECT current_branches())::integer[]));
CREATE POLICY reader ON repository TO muninn_reader
  USING (tenant = (SELECT current_tenant()) AND EXISTS (SELECT 1 FROM branch b WHERE b.repository = repository.id));
CREATE POLICY reader ON place TO muninn_reader
  USING (tenant = (SELECT current_tenant()) AND branch = ANY ((SELECT current_branches())::integer[]));
CREATE POLICY reader ON memory TO muninn_reader
  USING (tenant = (SELECT current_tenant()) AND branch = ANY ((SELECT current_branches())::integer[]));
CREATE POLICY reader ON frequency TO muninn_reader
  USING (tenant = (SELECT current_tenant()) AND branch = ANY ((SELECT current_branches())::integer[]));
CREATE POLICY reader ON file TO muninn_reader
  USING (tenant = (SELECT current_tenant())
         AND EXISTS (SELECT 1 FROM place p WHERE p.tenant = file.tenant AND p.file = file.id));
CREATE POLICY reader ON symbol TO muninn_reader
  USING (tenant = (SELECT current_tenant())
         AND EXISTS (SELECT 1 FROM place p WHERE p.tenant = symbol.tenant AND p.file = symbol.file));
CREATE POLICY reader ON chunk TO muninn_reader
  USING (tenant = (SELECT current_tenant())
         AND EXISTS (SELECT 1 FROM place p WHERE p.tenant = chunk.tenant AND p.file = chunk.file));
