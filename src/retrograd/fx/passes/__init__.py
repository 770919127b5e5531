"""torch.fx.passes: what is learnt about a Graph by running it."""
