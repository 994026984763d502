"""What people meet on their first day."""
