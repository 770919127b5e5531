import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(4, 3)
choice = Categorical(policy(torch.randn(8, 4)))
