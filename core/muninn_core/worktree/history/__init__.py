"""What is read from git for a work tree: revisions, branches, authors, renames and changes of files."""
