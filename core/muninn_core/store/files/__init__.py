"""The files below `.muninn`: where they are, and how records are appended, read and edited in them."""
