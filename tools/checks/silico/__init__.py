"""Contact of pairs, solved together with the impulses."""
