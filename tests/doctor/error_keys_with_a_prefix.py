import torch
from torch import nn
a, b = nn.Linear(3, 1), nn.Sequential(nn.Linear(3, 1))
b.load_state_dict(a.state_dict())
