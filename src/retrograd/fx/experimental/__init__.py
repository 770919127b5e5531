"""torch.fx.experimental: what libraries ask about its tracing, which never happens."""
