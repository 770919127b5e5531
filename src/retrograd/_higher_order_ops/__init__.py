"""torch._higher_order_ops: the operators that take functions and that libraries import by name."""
