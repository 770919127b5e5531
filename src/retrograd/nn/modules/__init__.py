"""The layers; every name is also one of retrograd.nn."""
from __future__ import annotations

from retrograd.nn._own_names import name_its_own
from retrograd.nn.modules import lazy as lazy
from retrograd.nn.modules import utils as utils
from retrograd.nn.modules.activation import *  # noqa: F403
from retrograd.nn.modules.adaptive import *  # noqa: F403
from retrograd.nn.modules.batchnorm import *  # noqa: F403
from retrograd.nn.modules.channelshuffle import *  # noqa: F403
from retrograd.nn.modules.container import *  # noqa: F403
from retrograd.nn.modules.conv import *  # noqa: F403
from retrograd.nn.modules.distance import *  # noqa: F403
from retrograd.nn.modules.dropout import *  # noqa: F403
from retrograd.nn.modules.flatten import *  # noqa: F403
from retrograd.nn.modules.fold import *  # noqa: F403
from retrograd.nn.modules.instancenorm import *  # noqa: F403
from retrograd.nn.modules.linear import *  # noqa: F403
from retrograd.nn.modules.linear_cross_entropy_options import *  # noqa: F403
from retrograd.nn.modules.loss import *  # noqa: F403
from retrograd.nn.modules.module import Module as Module
from retrograd.nn.modules.normalization import *  # noqa: F403
from retrograd.nn.modules.padding import *  # noqa: F403
from retrograd.nn.modules.pixelshuffle import *  # noqa: F403
from retrograd.nn.modules.pooling import *  # noqa: F403
from retrograd.nn.modules.rnn import *  # noqa: F403
from retrograd.nn.modules.sparse import *  # noqa: F403
from retrograd.nn.modules.transformer import *  # noqa: F403
from retrograd.nn.modules.upsampling import *  # noqa: F403

__all__ = sorted(name for name in globals() if name[0].isupper())  # pyright: ignore

for _name in __all__:
    name_its_own(globals()[_name])
