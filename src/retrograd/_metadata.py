"""What importlib.metadata answers about torch while `import torch` means retrograd."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder
from typing import Any

from ._version import __version__


class _TorchDistribution(Distribution):
    """The version of the PyTorch whose names these are, under the name torch."""

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        return f"Metadata-Version: 2.1\nName: torch\nVersion: {__version__}\n"

    def locate_file(self, path: Any) -> Any:
        return os.path.join(os.path.dirname(__file__), path)


def torch_distribution(path: Any) -> Iterator[Distribution]:
    """The stand-in, unless the real torch is installed on `path` and will be found."""
    context = DistributionFinder.Context(name="torch", path=path)
    if next(iter(MetadataPathFinder.find_distributions(context)), None) is None:
        yield _TorchDistribution()
