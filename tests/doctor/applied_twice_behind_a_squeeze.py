import torch
from torch import nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 1)

    def forward(self, x):
        p = torch.sigmoid(self.body(x))
        return p.squeeze(-1)


net = Classifier()
optimizer = torch.optim.Adam(net.parameters())
x = torch.randn(8, 4)
for _ in range(3):
    loss = nn.BCEWithLogitsLoss()(net(x), (x[:, 0] > 0).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
