-- Tokens that list the repositories, rights and groups of an organisation, and read no content.
ALTER TABLE token DROP CONSTRAINT token_scope_check;
ALTER TABLE token ADD CONSTRAINT token_scope_check CHECK (scope IN ('read', 'push', 'list'));
