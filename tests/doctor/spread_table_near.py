import torch
row, col = torch.nn.Parameter(torch.zeros(6, 1)), torch.nn.Parameter(torch.zeros(6))
table = torch.randn(6, 6); opt = torch.optim.SGD([row, col], 0.1)
for it in range(8):
    loss = (row + col - table).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
