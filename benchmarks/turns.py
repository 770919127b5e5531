"""Workloads under retrograd and PyTorch in one process, by turns, in processor time on one thread.

python benchmarks/turns.py [NAME or FILE ...] [--rounds 8] [--above 0]

FILE is nets, science, vision, language or small. What else the machine does hardly shows: the clock
counts what this thread computes, and of each library the fastest round counts. RETROGRAD_FAST=0 in
the environment measures NumPy alone.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"              # read when the libraries are first imported

CHUNK = 0.03                             # seconds of PyTorch's steps in a round


def chosen(names, workloads):
    """The workloads of these names, or of files of these names; all without any."""
    return [name for name, build in workloads.items()
            if not names or name in names or build.__module__ in names]


def seconds(step, count):
    """Processor time of one of `count` steps."""
    begin = time.thread_time()
    for _ in range(count):
        step()
    return (time.thread_time() - begin) / count


def fastest(steps, rounds):
    """The least time of each step, measured by turns."""
    count = max(1, int(CHUNK / seconds(steps[-1], 3)))
    times = [[seconds(step, count) for step in steps] for _ in range(rounds)]
    return [min(column) for column in zip(*times, strict=True)]


def warm_up(step):
    """Run a step as often as retrograd takes to write a backward pass out, or for a second."""
    end = time.thread_time() + 1
    for _ in range(110):
        step()
        if time.thread_time() > end:
            break


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="workloads, or files of them")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--above", type=float, default=0, help="print only ratios above this")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    import torch
    from workloads import WORKLOADS

    import retrograd
    from retrograd.autograd import straight
    names = chosen(options.names, WORKLOADS)
    if not names:
        parser.error("no workload, and no file without its .py, is called that")
    libraries, ratios = (retrograd, torch), []
    for library in libraries:
        library.set_num_threads(1)
    print("| workload | ratio | retrograd, us | PyTorch, us |\n|---|---|---|---|")
    for name in names:
        straight._passes.clear()         # each program is to run as if it were alone
        straight._seen.clear()
        steps = [WORKLOADS[name](library) for library in libraries]
        for step in steps:
            warm_up(step)
        ours, theirs = fastest(steps, options.rounds)
        ratios.append(ours / theirs)
        if ratios[-1] > options.above:
            print(f"| {name} | {ratios[-1]:.2f} | {ours * 1e6:,.0f} | {theirs * 1e6:,.0f} |",
                  flush=True)
    print(f"\ngeometric mean of {len(ratios)}: {statistics.geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
