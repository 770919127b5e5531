"""torch.fx.passes: facts about a Graph that are learnt by running it."""
