"""Shapes: distances, contacts, their derivatives, times of impact."""
