"""Files that people write for Muninn and agents: frontmatter, references, skills, Metis documents, decision records."""
