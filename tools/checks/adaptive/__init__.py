"""Error-controlled integrators."""
