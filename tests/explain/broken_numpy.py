import numpy as np
import torch
from torch import nn

net = nn.Linear(3, 1)
pred = net(torch.ones(2, 3)).detach().numpy()
error = np.mean(pred**2)
loss = torch.tensor(error)
loss.backward()
