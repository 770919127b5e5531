import torch
from torch import nn

scores = nn.Linear(4, 3)(torch.randn(8, 4))
nn.CrossEntropyLoss()(scores, torch.randint(3, (8, 1)))
