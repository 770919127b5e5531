import numpy as np
import torch
from torch import nn
rng = np.random.default_rng(0)
table = rng.normal(size=(120, 6)).astype(np.float32)
table[:, 5] = (table[:, 0] - table[:, 1] > 0)
y = torch.from_numpy(table[:, 5]).long()
X = torch.from_numpy(table[:, :5])
torch.manual_seed(0)
clf = nn.Sequential(nn.Linear(X.shape[1], 10), nn.ReLU(), nn.Linear(10, 2))
opt = torch.optim.Adam(clf.parameters(), lr=0.01)
for epoch in range(10):
    perm = torch.randperm(120)
    for i in range(0, 120, 30):
        b = perm[i:i + 30]
        loss = nn.functional.cross_entropy(clf(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
