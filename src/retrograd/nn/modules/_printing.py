"""How a module is printed: its settings, and its submodules below it."""
from __future__ import annotations

import itertools


def _addindent(text, spaces):
    """Indent every line of `text` but the first."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(spaces * " " + line for line in rest)])


class Printing:
    """What repr() shows of a module."""

    def _get_name(self):
        return self.__class__.__name__

    def extra_repr(self):
        """What repr shows of this module's own settings; override it.

        >>> import retrograd as torch
        >>> class Scale(torch.nn.Module):
        ...     def extra_repr(self):
        ...         return "factor=2"
        >>> Scale()
        Scale(factor=2)
        """
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_addindent(repr(module), 2)}"
                    for name, module in self._modules.items()]
        name = self._get_name()
        if len(lines) == 1 and not children:
            return f"{name}({lines[0]})"
        if not lines and not children:
            return f"{name}()"
        return f"{name}(\n  " + "\n  ".join(itertools.chain(lines, children)) + "\n)"
