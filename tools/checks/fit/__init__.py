"""Identification of parameters from recordings."""
