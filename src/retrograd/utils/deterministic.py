"""A switch of deterministic mode that is kept and does nothing."""

fill_uninitialized_memory = True
