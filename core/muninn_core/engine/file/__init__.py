"""Files in editors: notes on them, diagnostics, references and virtual documents."""
