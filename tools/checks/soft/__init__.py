"""Contact soft."""
