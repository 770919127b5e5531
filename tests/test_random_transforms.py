"""Random compositions of transforms against PyTorch."""

import warnings

import numpy as np
import pytest

import retrograd
from random_transforms import script


def results(source, torch):
    """The arrays that the script leaves in R, or its error."""
    namespace = {"torch": torch}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(source, namespace)
        except (RuntimeError, IndexError, ValueError, NotImplementedError) as error:
            return error
    return [t.numpy(force=True) for t in namespace["R"]]


def agree(seed, torch):
    """Whether PyTorch could do it; retrograd does the same then."""
    source = script(seed)
    want = results(source, torch)
    if isinstance(want, Exception):
        return False
    got = results(source, retrograd)
    assert not isinstance(got, Exception), f"seed {seed}: {got!r}\n{source}"
    assert len(got) == len(want), f"seed {seed}:\n{source}"
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, 1e-6, 1e-8, err_msg=f"seed {seed}:\n{source}")
    return True


@pytest.mark.live
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_random_compositions(first):
    torch = pytest.importorskip("torch")
    done = sum([agree(seed, torch) for seed in range(first, first + 20)])
    assert done > 12
