"""Derivatives of smooth dynamics."""
