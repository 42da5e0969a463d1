"""Files of ours in an editor: `.muninn`, context files, steering documents. Other files are none of its business.

Each module is one family of features; what belongs into an answer is decided in the core.
"""
