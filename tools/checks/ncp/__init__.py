"""Contact ncp."""
