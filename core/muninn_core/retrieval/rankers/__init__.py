"""Rankings: kinds of terms, which gather and score the candidates of a request."""
