"""torch._subclasses: only the test whether a tensor is fake, which none is."""
