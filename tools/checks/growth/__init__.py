"""Growth distances: values, derivatives, files, what is refused, time."""
