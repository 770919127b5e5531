"""The older name of torch.hub's downloads."""

from __future__ import annotations

from ..hub import download_url_to_file as download_url_to_file
from ..hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]


def __getattr__(name: str) -> object:
    if name == "tqdm":
        from .. import hub

        return hub.tqdm
    raise AttributeError(f"module 'torch.utils.model_zoo' has no attribute {name!r}")
