import torch
import torch.nn as nn
class CenterLoss(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(n, d))
    def forward(self, f, y):
        return (f - self.centers[y]).pow(2).sum(1).mean()
net, head, center = nn.Linear(4, 2), nn.Linear(2, 3), CenterLoss(3, 2)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
for i in range(8):
    x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
    f = net(x)
    loss = nn.functional.cross_entropy(head(f), y) + 0.1 * center(f, y)
    opt.zero_grad(); loss.backward(); opt.step()
