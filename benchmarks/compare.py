"""Measures each workload under retrograd and PyTorch by turns and prints the ratios.

python benchmarks/compare.py [NAME ...] [--rounds 3] [--seconds 1]

Needs an environment that has both. A ratio below 1 means that retrograd takes less time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

from workloads import WORKLOADS

SCRIPT = Path(__file__).with_name("workloads.py")


def measure(name: str, backend: str, seconds: float) -> dict:
    """One measurement in a process of its own, so that neither library warms the other."""
    command = [sys.executable, str(SCRIPT), name, backend, "--seconds", str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(f"{name} under {backend}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def compare(name: str, rounds: int, seconds: float) -> tuple[float, str]:
    """The median over the rounds of retrograd's time over PyTorch's, and the table's row."""
    pairs = [
        (measure(name, "retrograd", seconds), measure(name, "torch", seconds))
        for _ in range(rounds)
    ]
    ratio = statistics.median(ours["step"] / theirs["step"] for ours, theirs in pairs)
    ours, theirs = pairs[-1]
    same = abs(ours["value"] - theirs["value"]) <= 1e-3 * max(1, abs(theirs["value"]))

    def us(side):
        return statistics.median(pair[side]["step"] for pair in pairs) * 1e6

    row = (
        f"| {name} | {ratio:.2f} | {us(0):,.0f} | {us(1):,.0f} "
        f"| {ours['peak_mib']:.0f} / {theirs['peak_mib']:.0f} "
        f"| {ours['first_step']:.2f} / {theirs['first_step']:.2f} "
        f"| {'yes' if same else 'NO'} |"
    )
    return ratio, row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WORKLOADS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    print(
        "| workload | ratio | retrograd, us | PyTorch, us | peak MiB | first step, s | same value |"
    )
    print("|---|---|---|---|---|---|---|")
    ratios = []
    for name in options.names or WORKLOADS:
        try:
            ratio, row = compare(name, options.rounds, options.seconds)
        except RuntimeError as error:
            row = f"| {error} |"
        else:
            ratios.append(ratio)
        print(row, flush=True)
    if ratios:
        print(f"\ngeometric mean of {len(ratios)}: {statistics.geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
