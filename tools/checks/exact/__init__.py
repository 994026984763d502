"""Contact against exact answers."""
