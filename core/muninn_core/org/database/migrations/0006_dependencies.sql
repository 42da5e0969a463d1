-- The modules that files import, and the packages that manifests declare and publish. Files have them from their next push.
CREATE TABLE dependency(
  tenant integer NOT NULL,
  name text NOT NULL,
  file bigint NOT NULL,
  PRIMARY KEY (tenant, name, file)
) PARTITION BY LIST (tenant);
CREATE INDEX dependency_file ON dependency(tenant, file);

DO $$
DECLARE made integer;
BEGIN
  FOR made IN SELECT id FROM tenant LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF dependency FOR VALUES IN (%s)', 'dependency_' || made, made);
  END LOOP;
END
$$;

ALTER TABLE dependency ENABLE ROW LEVEL SECURITY;
ALTER TABLE dependency FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON dependency TO muninn_owner USING (true) WITH CHECK (true);
CREATE POLICY writer ON dependency TO muninn_writer USING (tenant = (SELECT current_tenant()))
  WITH CHECK (tenant = (SELECT current_tenant()));
CREATE POLICY reader ON dependency TO muninn_reader
  USING (tenant = (SELECT current_tenant())
         AND EXISTS (SELECT 1 FROM place p WHERE p.tenant = dependency.tenant AND p.file = dependency.file));
GRANT SELECT ON dependency TO muninn_reader;
GRANT SELECT, INSERT, DELETE ON dependency TO muninn_writer;

-- Make a tenant with its partitions.
CREATE OR REPLACE FUNCTION create_tenant(new_name text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = muninn, public, pg_temp AS
$$
DECLARE made integer; part text;
BEGIN
  INSERT INTO tenant(name) VALUES (new_name) RETURNING id INTO made;
  FOREACH part IN ARRAY ARRAY['file', 'chunk', 'symbol', 'dependency', 'place', 'memory', 'frequency'] LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES IN (%s)', part || '_' || made, part, made);
  END LOOP;
  RETURN made;
END
$$;

-- Delete a tenant and all of its rows.
CREATE OR REPLACE FUNCTION drop_tenant(old_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = muninn, public, pg_temp AS
$$
DECLARE gone integer; part text;
BEGIN
  SELECT id INTO STRICT gone FROM tenant WHERE name = old_name;
  FOREACH part IN ARRAY ARRAY['file', 'chunk', 'symbol', 'dependency', 'place', 'memory', 'frequency'] LOOP
    EXECUTE format('DROP TABLE %I', part || '_' || gone);
  END LOOP;
  DELETE FROM tenant WHERE id = gone;
END
$$;
