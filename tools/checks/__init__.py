"""The acceptance checks of ./dev verify: one function per line, found by tools/verify.py."""
