"""torch._subclasses: of its fake tensors, the question whether one is."""
