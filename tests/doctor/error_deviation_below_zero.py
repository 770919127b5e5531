import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
mean, deviation = nn.Linear(4, 2), nn.Linear(4, 2)
state = torch.randn(8, 4)
action = Normal(mean(state), deviation(state)).rsample()
