import torch
import torch.nn as nn
emb = nn.Embedding(5, 3)
opt = torch.optim.SGD(emb.parameters(), lr=0.1)
a, b = torch.tensor([0, 1, 2]), torch.tensor([0, 3, 4])
for i in range(3):
    d = ((emb(a) - emb(b)) ** 2).sum(1) ** 0.5
    loss = torch.relu(1 - d).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(emb.weight)
