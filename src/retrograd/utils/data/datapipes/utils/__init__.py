"""Where libraries look for StreamWrapper: `utils.common`."""
