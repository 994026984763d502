"""The acceptance checks of ./dev verify: a folder a subject, a function a line; tools/verify.py finds them."""
