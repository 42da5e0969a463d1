"""Where memories stand: what they cite as it is now, what other commits and branches hold."""
