"""The terminal: styles, width, the pager, progress, and text that is safe to show."""
