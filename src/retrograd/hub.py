"""torch.hub: models and weights from folders of this machine; downloads of files by their URL.

Repositories are taken from a folder (`source="local"`). Nothing is fetched from GitHub: clone
the repository and name its folder.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
import uuid
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn
from urllib.parse import urlparse

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url",
           "set_dir"]

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")     # name-<first digits of its sha256>.pth
_hub_dir: str | None = None


def _get_torch_home() -> str:
    """$TORCH_HOME, else `torch` in $XDG_CACHE_HOME or ~/.cache."""
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.getenv("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder of downloads: what `set_dir` said, else `hub` in $TORCH_HOME.

    >>> import retrograd as torch
    >>> torch.hub.get_dir().endswith("hub")
    True
    """
    return os.path.join(_get_torch_home(), "hub") if _hub_dir is None else _hub_dir


def set_dir(d: str | os.PathLike) -> None:
    """Set the folder of downloads for this process.

    >>> import retrograd as torch
    >>> before = torch.hub.get_dir()
    >>> torch.hub.set_dir("/data/weights")
    >>> torch.hub.get_dir()
    '/data/weights'
    >>> torch.hub.set_dir(before)
    """
    global _hub_dir
    _hub_dir = os.path.expanduser(d)


def load(repo_or_dir: str | os.PathLike, model: str, *args: Any, source: str = "github",
         trust_repo: Any = "check", force_reload: bool = False, verbose: bool = True,
         skip_validation: bool = False, **kwargs: Any) -> Any:
    """Call the entry point `model` of the folder's hubconf.py with the arguments that are left.

    Raises NotImplementedError for source="github", ValueError for any other unknown source,
    RuntimeError when there is no such entry point.

    >>> import retrograd as torch
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "hubconf.py").write_text("from retrograd.nn import Linear as small")
    >>> torch.hub.load(folder, "small", 3, 1, source="local")
    Linear(in_features=3, out_features=1, bias=True)
    """
    source = source.lower()
    if source == "github":
        raise _no_github("load", repo_or_dir)
    if source != "local":
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    return _entry(_hubconf(repo_or_dir), model)(*args, **kwargs)


def list(github: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError: it asks GitHub."""
    raise _no_github("list", github)


def help(github: str, model: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError: it asks GitHub."""
    raise _no_github("help", github)


def _no_github(asked: str, repository: object) -> NotImplementedError:
    return NotImplementedError(
        f"torch.hub.{asked}: retrograd does not fetch {repository!r} from GitHub; "
        "clone the repository and call torch.hub.load(folder, model, source='local')"
    )


def _hubconf(folder: str | os.PathLike) -> ModuleType:
    path = os.path.join(os.fspath(folder), "hubconf.py")
    spec = importlib.util.spec_from_file_location("hubconf", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.fspath(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(os.fspath(folder))
    return module


def _entry(module: ModuleType, name: str) -> Callable:
    missing = [package for package in getattr(module, "dependencies", ())
               if importlib.util.find_spec(package) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    found = getattr(module, name, None)
    if found is None or not callable(found):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return found


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None,
                         progress: bool = True) -> None:
    """Fetch `url` into the file `dst`, which appears only when it is complete.

    Raises RuntimeError when the file's sha256 does not begin with `hash_prefix`.

    >>> import retrograd as torch
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "there.txt").write_text("weights")
    >>> torch.hub.download_url_to_file((folder / "there.txt").as_uri(), str(folder / "here.txt"))
    >>> (folder / "here.txt").read_text()
    'weights'
    """
    from urllib.request import Request, urlopen

    folder = os.path.dirname(os.path.abspath(dst))
    partial = os.path.join(folder, f"{os.path.basename(dst)}.{uuid.uuid4().hex}.partial")
    digest = hashlib.sha256()
    try:
        with urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as remote:
            with open(partial, "wb") as file:
                while block := remote.read(1 << 17):
                    file.write(block)
                    digest.update(block)
        if hash_prefix is not None and not digest.hexdigest().startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", '
                               f'got "{digest.hexdigest()}")')
        os.replace(partial, dst)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def load_state_dict_from_url(url: str, model_dir: str | None = None, map_location: Any = None,
                             progress: bool = True, check_hash: bool = False,
                             file_name: str | None = None, weights_only: bool = False) -> Any:
    """`torch.load` of the file at `url`, which is fetched into `model_dir` if it is not there yet.

    `model_dir` defaults to `checkpoints` in `get_dir()`. With `check_hash` the file's sha256 must
    begin with the digits in its name.

    >>> import retrograd as torch
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> torch.save({"bias": torch.zeros(1)}, folder / "there.pth")
    >>> address = (folder / "there.pth").as_uri()
    >>> torch.hub.load_state_dict_from_url(address, folder / "here")  # doctest: +ELLIPSIS
    Downloading: "file:...there.pth" to ...there.pth
    {'bias': tensor([0.])}
    """
    from .serialization import load as load_file

    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    os.makedirs(folder, exist_ok=True)
    name = os.path.basename(urlparse(url).path) if file_name is None else file_name
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        sys.stdout.write(f'Downloading: "{url}" to {path}\n')
        digits = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, digits.group(1) if digits else None, progress)
    return load_file(path, map_location=map_location, weights_only=weights_only)


def __getattr__(name: str) -> Any:
    if name == "tqdm":             # libraries take it from here
        from tqdm import tqdm

        return tqdm
    raise AttributeError(f"module 'torch.hub' has no attribute {name!r}")
