"""The command line: verbs from the catalogue, tables for people, JSON for programs. Holds no logic of its own."""
