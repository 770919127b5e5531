import torch
import torch.nn as nn
import copy
model = nn.Linear(4, 1)
meta_opt = torch.optim.SGD(model.parameters(), lr=0.1)
for it in range(10):
    learner = copy.deepcopy(model)
    inner_opt = torch.optim.SGD(learner.parameters(), lr=0.01)
    x = torch.randn(8, 4)
    loss = (learner(x) - x.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    inner_opt.step()
    x = torch.randn(8, 4)
    outer = (learner(x) - x.sum(1, keepdim=True)).pow(2).mean()
    meta_opt.zero_grad()
    outer.backward()
    meta_opt.step()
