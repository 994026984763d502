"""What people look at: pages in a real browser."""
