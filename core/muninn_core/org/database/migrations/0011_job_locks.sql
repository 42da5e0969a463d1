-- A job is taken with the lock of its repository alone, for the transaction. No row is locked: a repository can be deleted
-- while a worker fetches it, and a worker does not hold jobs of other repositories that others could do.

DROP FUNCTION take_job();

-- Lock the repository of the oldest due job that no worker does, and return the job and the ids of those for the same
-- branch (`equal`), which are done with it.
CREATE FUNCTION take_job()
RETURNS TABLE (tenant integer, id bigint, equal bigint[], repository text, ref text, remote text, default_ref text,
               branches text[], tries integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = muninn, pg_temp AS
$$
DECLARE place integer; next record;
BEGIN
  -- The transaction waits for as long as the push takes.
  PERFORM set_config('idle_in_transaction_session_timeout', '0', true);
  FOR place IN SELECT j.repository FROM job j WHERE j.not_before <= now() GROUP BY j.repository ORDER BY min(j.id) LOOP
    BEGIN
      CONTINUE WHEN NOT pg_try_advisory_xact_lock(1836410473, place);
      SELECT j.* INTO STRICT next FROM job j WHERE j.repository = place AND j.not_before <= now() ORDER BY j.id LIMIT 1;
      RETURN QUERY SELECT r.tenant, next.id,
        ARRAY(SELECT j.id FROM job j WHERE j.repository = place AND j.ref = next.ref AND j.id <> next.id),
        r.name, next.ref, r.remote, r.default_ref, r.branches, next.tries
        FROM repository r WHERE r.id = place;
      RETURN;
    EXCEPTION WHEN no_data_found THEN  -- another worker did them meanwhile; the block gives the lock back
      NULL;
    END;
  END LOOP;
END
$$;

REVOKE ALL ON FUNCTION take_job() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_job() TO muninn_writer;
