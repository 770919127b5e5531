"""Records what PyTorch's loaders and samplers give:

python tests/record/data.py
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import DATA
from data_cases import outcome, runs

found = {name: outcome(torch, name) for name in runs(torch)}
lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
(DATA / "loader.json").write_text("{\n" + lines + "\n}\n")
