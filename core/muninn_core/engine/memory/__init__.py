"""Memories: drafts, changes, approval, look-up, backfill, redaction, bundles and packs."""
