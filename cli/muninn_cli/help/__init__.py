"""Help: the manual, the short help, and the completion of shells."""
