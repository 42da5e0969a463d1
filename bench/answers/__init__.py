"""`python -m bench answers`: records the answers to over a thousand questions, and compares two records.

A refactoring that must not change any answer records before and after, on the same prepared repositories.
"""
