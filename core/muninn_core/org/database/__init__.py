"""The database: connections, roles, tables, and a server for trying."""
