import torch
from torch import nn

optimizer = torch.optim.SGD(nn.Linear(4, 1).parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
scheduler.step()
