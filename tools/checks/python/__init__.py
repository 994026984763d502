"""The Python package: bits, times, threads, torch, environments, copies, types, the wheel."""
