"""An organisation's memory on PostgreSQL."""
