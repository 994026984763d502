"""Robots without contact, ours and published ones: numbers, memory, bits, files, speed; the project around them."""
