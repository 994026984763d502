"""Task files and the runs that they ask for."""
