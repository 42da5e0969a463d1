"""What measurements share: the measured trees, daemons, processes, and the table of figures."""
