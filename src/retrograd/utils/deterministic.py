"""Whether deterministic algorithms fill new memory: see torch.use_deterministic_algorithms()."""

fill_uninitialized_memory = True
