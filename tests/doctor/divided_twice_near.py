import torch
from torch import nn

class Trainer:
    def __init__(self, net, lr=0.05):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=lr)
        self.criterion = nn.CrossEntropyLoss()

    def train_epoch(self, batches):
        total = 0.0
        for x, y in batches:
            self.opt.zero_grad()
            out = self.net(x)
            loss = self.criterion(out, y)
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
batches = [(torch.randn(16, 6), torch.randint(0, 3, (16,))) for _ in range(5)]
trainer = Trainer(net)
for e in range(3):
    print(trainer.train_epoch(batches))
