"""Contact and motion against exact answers."""
