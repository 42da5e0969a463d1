"""What agents run by themselves: one module an event. A client of the daemon that fails open, quickly and on record."""
