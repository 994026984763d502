"""What steps do exactly: energies told and kept."""
