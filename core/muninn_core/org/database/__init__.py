"""The database: connections, roles, tables, and a PostgreSQL server for trials."""
