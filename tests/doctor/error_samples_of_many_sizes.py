import torch
from torch.utils.data import DataLoader, Dataset
class D(Dataset):
    def __len__(self): return 4
    def __getitem__(self, i): return torch.randn(i + 1), i
for x, y in DataLoader(D(), batch_size=2):
    pass
