"""Contact lcp."""
