"""Every public function that takes such tensors, beside PyTorch's: what nobody thought of, too.

python benchmarks/functions.py [ROWS COLUMNS] [--above 1.5] [--threads 2]

The functions of torch, torch.nn.functional, torch.special, torch.linalg and torch.fft, and the
methods of a tensor, are called with a positive float32 matrix, with it and the number 1, and with
two matrices; once as they are, once with the gradient of the sum of the result. Calls that raise an
error are left out, as are those that take more than 50 ms. Each library runs in processes of its
own, twice by turns; the ratio is of the lower quartiles. Writes in place are repeated on one
tensor, whose numbers they change. Below 1: retrograd takes less time.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import subprocess
import sys
import time
import warnings

# What changes settings, leaves the process, reads files, needs gigabytes, or times only what other
# names do
SKIPPED = (
    "_", "seed", "save", "load", "compile", "set_", "manual", "use_det", "from_", "fork", "wait",
    "enable", "init", "import", "get_", "is_", "can_", "unify", "typename", "exec", "vmap", "cond",
    "sym_", "autocast", "share_memory", "to_dlpack", "module_load", "retain", "backward",
    "register", "requires_grad", "storage", "untyped", "apply_", "map_", "map2_", "resize",
    "detach_", "cuda", "xpu", "ipu", "hpu", "mtia", "reinforce", "record_stream", "pin",
    "data_ptr", "numpy", "tolist", "item", "dim_order", "refine", "rename", "names", "q_",
    "int_repr", "quant", "dequant", "fbgemm", "fake_", "hash", "jit", "asarray", "lobpcg", "pca",
    "svd", "eig", "matrix_exp", "diag_embed")
CALLS = {"x": lambda f, x, y: f(x), "x, 1": lambda f, x, y: f(x, 1),
         "x, y": lambda f, x, y: f(x, y)}
LONGEST, FOR_EACH = 0.05, 0.012                 # seconds


def functions(torch):
    """(name, function) of each."""
    spaces = {"": torch, "F.": torch.nn.functional, "special.": torch.special,
              "linalg.": torch.linalg, "fft.": torch.fft, "Tensor.": torch.Tensor}
    for prefix, space in spaces.items():
        for name in sorted(dir(space)):
            function = getattr(space, name)
            if callable(function) and not isinstance(function, type) \
                    and not name.startswith(SKIPPED):
                yield prefix + name, function


def step_of(torch, name, call, function, inputs, backward):
    """What is timed: the call, and the gradient of its result's sum."""
    x, y = (a.clone().requires_grad_(backward) for a in inputs)

    def step():
        x.grad = y.grad = None
        written = x * 1 if backward and name.endswith("_") else x
        out = call(function, written, y)
        if isinstance(out, (tuple, list)):
            out = next(o for o in out if isinstance(o, torch.Tensor) and o.is_floating_point())
        if backward:
            (out.abs() if out.is_complex() else out).sum().backward()
        return out
    return step


def time_of(step):
    """Seconds: the lower quartile of as many calls as fit; None if one takes too long."""
    step()
    start = time.perf_counter()
    step()
    first = time.perf_counter() - start
    if first > LONGEST:
        return None
    times = []
    for _ in range(max(5, int(FOR_EACH / first))):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 4]


def measure(library, rows, columns, threads):
    """Print [call, seconds] of each call that works."""
    warnings.simplefilter("ignore")
    torch = importlib.import_module(library)
    for part in ("nn", "nn.functional", "fft", "linalg", "special"):
        importlib.import_module(f"{library}.{part}")
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    inputs = [torch.rand(rows, columns) + 0.1 for _ in range(2)]
    for name, function in functions(torch):
        for shown, call in CALLS.items():
            for backward in (False, True):
                step = step_of(torch, name, call, function, inputs, backward)
                try:
                    if not isinstance(step(), torch.Tensor):
                        continue
                    seconds = time_of(step)
                except Exception:                        # not for such arguments, or no gradient
                    continue
                if seconds:
                    label = f"{name}({shown})" + " and backward" * backward
                    print(json.dumps([label, seconds]), flush=True)


def compare(rows, columns, threads, above):
    least = {}
    for _ in range(2):
        for library in ("torch", "retrograd"):
            command = [sys.executable, __file__, str(rows), str(columns), "--threads", str(threads),
                       "--library", library]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            for line in done.stdout.splitlines():
                if not line.startswith('["'):            # what a function printed
                    continue
                label, seconds = json.loads(line)
                times = least.setdefault(label, {})
                times[library] = min(seconds, times.get(library, math.inf))
    ratios = sorted(((t["retrograd"] / t["torch"], label, t) for label, t in least.items()
                     if len(t) == 2), key=lambda found: -found[0])
    for ratio, label, t in ratios:
        if ratio > above:
            ours, theirs = t["retrograd"] * 1e6, t["torch"] * 1e6
            print(f"{label:48} {ratio:6.2f} {ours:10.1f} us {theirs:10.1f}")
    mean = math.exp(sum(math.log(ratio) for ratio, *_ in ratios) / len(ratios))
    print(f"{len(ratios)} calls, geometric mean {mean:.2f}, "
          f"{sum(ratio > 1 for ratio, *_ in ratios)} above 1")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="?", type=int, default=300)
    parser.add_argument("columns", nargs="?", type=int, default=400)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--above", type=float, default=1.5, help="show ratios above this")
    parser.add_argument("--library", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.library:
        measure(args.library, args.rows, args.columns, args.threads)
    else:
        compare(args.rows, args.columns, args.threads, args.above)


if __name__ == "__main__":
    main()
