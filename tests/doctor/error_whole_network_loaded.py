import io

import torch
from torch import nn

file = io.BytesIO()
torch.save(nn.Linear(3, 1), file)
file.seek(0)
net = torch.load(file)
