import torch
from torch import nn

output, target = torch.randn(8, 3, requires_grad=True), torch.randint(3, (8,))
loss = nn.CrossEntropyLoss(output, target)
