"""Memories from and to other places: backfill, bundles, packs and exports."""
