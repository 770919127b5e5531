"""torch.torch_version: a version string that compares by its numbers."""

from ._version import TorchVersion as TorchVersion
from ._version import __version__ as __version__
