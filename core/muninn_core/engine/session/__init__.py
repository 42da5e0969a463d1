"""What sessions of agents are told and what they leave: briefs, reminders, captures, summaries."""
