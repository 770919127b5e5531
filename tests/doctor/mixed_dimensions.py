import torch
import torch.nn as nn
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 8)
        self.lstm = nn.LSTM(8, 8)
        self.fc = nn.Linear(8, 5)
    def forward(self, x):            # x (B, T)
        e = self.emb(x)
        out, _ = self.lstm(e.view(e.size(1), e.size(0), -1))
        return self.fc(out)
net = Tagger()
opt = torch.optim.Adam(net.parameters())
for i in range(5):
    x = torch.randint(0, 20, (4, 7))
    y = torch.randint(0, 5, (7, 4))
    loss = nn.functional.cross_entropy(net(x).view(-1, 5), y.view(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
