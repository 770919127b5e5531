import torch
import torch.nn as nn
from collections import deque
import random
net = nn.Linear(4, 2)
opt = torch.optim.Adam(net.parameters())
memory = deque(maxlen=100)
s = torch.randn(4)
for i in range(30):
    q = net(s)
    a = q.argmax().item()
    s2 = torch.randn(4)
    memory.append((s, q[a], random.random(), s2))
    s = s2
    if len(memory) >= 8:
        batch = random.sample(memory, 4)
        pred = torch.stack([b[1] for b in batch])
        target = torch.tensor([b[2] for b in batch])
        loss = (pred - target).pow(2).mean()
        opt.zero_grad(); loss.backward(retain_graph=True); opt.step()
