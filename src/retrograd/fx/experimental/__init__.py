"""torch.fx.experimental: what libraries ask of its tracing, which never happens."""
