import torch
import torch.nn as nn
net = nn.Linear(4, 3)
y = nn.functional.one_hot(torch.randint(0, 3, (8,)), 3)
loss = nn.CrossEntropyLoss()(net(torch.randn(8, 4)), y)
loss.backward()
