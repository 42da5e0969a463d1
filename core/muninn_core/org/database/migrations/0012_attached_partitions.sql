-- The partitions of a new tenant are attached. A table that is created as a partition needs a lock that pushes hold up,
-- and that holds up the questions of all tenants meanwhile.

CREATE OR REPLACE FUNCTION create_tenant(new_name text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = muninn, public, pg_temp AS
$$
DECLARE made integer; part text;
BEGIN
  INSERT INTO tenant(name) VALUES (new_name) RETURNING id INTO made;
  FOREACH part IN ARRAY ARRAY['file', 'chunk', 'symbol', 'dependency', 'place', 'memory', 'frequency'] LOOP
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part || '_' || made, part);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES IN (%s)', part, part || '_' || made, made);
  END LOOP;
  PERFORM vacuum_often(made);
  RETURN made;
END
$$;
