"""Batches that stay."""
