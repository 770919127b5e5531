"""Event files for TensorBoard; needs the tensorboard package."""

from .writer import FileWriter as FileWriter
from .writer import SummaryWriter as SummaryWriter
