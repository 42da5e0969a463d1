"""Accuracy of capture on labelled conversations, and the training of its classifier."""
