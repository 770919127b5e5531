import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Files(Dataset):
    def __init__(self, names):
        self.names = [name for name in names if name.endswith(".jpg")]

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return torch.zeros(4), 0


net = nn.Linear(4, 2)
for x, y in DataLoader(Files(["a.png", "b.png"]), batch_size=2):
    nn.functional.cross_entropy(net(x), y).backward()
