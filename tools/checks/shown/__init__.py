"""What users read: pages, headers, help and messages."""
