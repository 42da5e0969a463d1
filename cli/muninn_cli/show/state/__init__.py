"""The state of Muninn: health, settings, models, the listed repositories."""
