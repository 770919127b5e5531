"""Writes files with PyTorch for retrograd to read:

python tests/record/files.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from comparing import DATA
from file_cases import make, objects

(DATA / "files").mkdir(exist_ok=True)
for name, value in make(torch).items():
    torch.save(value, DATA / "files" / f"{name}.pt")
torch.save(
    make(torch)["layouts"], DATA / "files" / "old.pt", _use_new_zipfile_serialization=False
)
model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
torch.nn.init.ones_(model[0].weight)
torch.nn.init.zeros_(model[0].bias)
torch.save(model, DATA / "files" / "model.pt")
torch.save(objects(torch), DATA / "files" / "objects.pt")
