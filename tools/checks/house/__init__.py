"""Order of the source: layers, memory, index, and what may not change."""
