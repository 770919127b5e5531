"""Data pipes: datasets that are built by chaining, ``pipe.shuffle().map(f).batch(4)``.

The pipes of streams are in `iter`, those of samples by index in `map`.
"""
