"""The operators: `declare.py` says what one is; each other file declares a family."""
