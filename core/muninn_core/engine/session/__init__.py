"""Agents' sessions: briefs, reminders, captures and summaries."""
