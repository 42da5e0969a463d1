"""The generation of candidates, within the filters of a request."""
