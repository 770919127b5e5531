import torch
from torch import nn
net = nn.Linear(5, 6); opt = torch.optim.Adam(net.parameters(), 1e-3)
ctc = nn.CTCLoss()
for it in range(6):
    x = torch.randn(20, 4, 5)
    out = net(x).softmax(2)
    loss = ctc(out, torch.randint(1, 6, (4, 6)), torch.full((4,), 20), torch.full((4,), 6))
    opt.zero_grad(); loss.backward(); opt.step()
