"""Measures Muninn's time, memory and answer quality against its budgets, on the source of a large real package."""
