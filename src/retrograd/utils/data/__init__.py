"""Datasets, samplers and the DataLoader."""

from . import _utils as _utils
from .dataloader import DataLoader as DataLoader
from .dataloader import _DatasetKind as _DatasetKind
from .dataloader import default_collate as default_collate
from .dataloader import default_convert as default_convert
from .dataloader import get_worker_info as get_worker_info
from .datapipes._decorator import argument_validation as argument_validation
from .datapipes._decorator import functional_datapipe as functional_datapipe
from .datapipes._decorator import (
    guaranteed_datapipes_determinism as guaranteed_datapipes_determinism,
)
from .datapipes._decorator import non_deterministic as non_deterministic
from .datapipes._decorator import runtime_validation as runtime_validation
from .datapipes._decorator import runtime_validation_disabled as runtime_validation_disabled
from .datapipes.datapipe import DataChunk as DataChunk
from .datapipes.datapipe import DFIterDataPipe as DFIterDataPipe
from .datapipes.datapipe import IterDataPipe as IterDataPipe
from .datapipes.datapipe import MapDataPipe as MapDataPipe
from .dataset import ChainDataset as ChainDataset
from .dataset import ConcatDataset as ConcatDataset
from .dataset import Dataset as Dataset
from .dataset import IterableDataset as IterableDataset
from .dataset import StackDataset as StackDataset
from .dataset import Subset as Subset
from .dataset import TensorDataset as TensorDataset
from .dataset import random_split as random_split
from .distributed import DistributedSampler as DistributedSampler
from .sampler import BatchSampler as BatchSampler
from .sampler import RandomSampler as RandomSampler
from .sampler import Sampler as Sampler
from .sampler import SequentialSampler as SequentialSampler
from .sampler import SubsetRandomSampler as SubsetRandomSampler
from .sampler import WeightedRandomSampler as WeightedRandomSampler
