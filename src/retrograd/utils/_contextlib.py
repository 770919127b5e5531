"""torch.utils._contextlib: context managers that decorate functions too."""

from ..autograd.grad_mode import _DecoratorContextManager as _DecoratorContextManager
from ..autograd.grad_mode import _NoParamDecoratorContextManager as _NoParamDecoratorContextManager
