"""Optimizers, learning-rate schedules and weight averaging."""

from importlib import import_module
from typing import TYPE_CHECKING

from . import lr_scheduler as lr_scheduler
from ._adafactor import Adafactor as Adafactor
from ._muon import Muon as Muon
from ._stateless import swap_in_optimizer_params_and_state as swap_in_optimizer_params_and_state
from .adadelta import Adadelta as Adadelta
from .adagrad import Adagrad as Adagrad
from .adam import Adam as Adam
from .adamax import Adamax as Adamax
from .adamw import AdamW as AdamW
from .asgd import ASGD as ASGD
from .lbfgs import LBFGS as LBFGS
from .nadam import NAdam as NAdam
from .optimizer import Optimizer as Optimizer
from .radam import RAdam as RAdam
from .rmsprop import RMSprop as RMSprop
from .rprop import Rprop as Rprop
from .sgd import SGD as SGD
from .sparse_adam import SparseAdam as SparseAdam

if TYPE_CHECKING:                 # what __getattr__ finds
    from . import swa_utils

__all__ = [
    "ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "Muon", "NAdam",
    "Optimizer", "RAdam", "RMSprop", "Rprop", "SGD", "SparseAdam", "lr_scheduler",
    "swap_in_optimizer_params_and_state", "swa_utils",
]


def __dir__():
    return __all__


def __getattr__(name):
    if name == "swa_utils":  # it needs nn, which optimizers do not
        return import_module(f"{__name__}.swa_utils")
    raise AttributeError(f"module 'torch.optim' has no attribute {name!r}")
