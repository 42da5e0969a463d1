"""Plans of changes to the log: consolidation, pruning and upkeep; and how they are applied."""
