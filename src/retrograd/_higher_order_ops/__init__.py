"""torch._higher_order_ops: the operators that take functions and that libraries import by name."""

from .._control_flow import cond
from .associative_scan import associative_scan
from .scan import scan
from .while_loop import while_loop

__all__ = ["associative_scan", "cond", "scan", "while_loop"]
