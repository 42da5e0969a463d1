"""The commands of `muninn org`: their arguments, and what each does."""
