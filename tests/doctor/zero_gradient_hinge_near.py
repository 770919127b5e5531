import torch
torch.manual_seed(0)
w = torch.zeros(2, requires_grad=True)
x = torch.tensor([[2.0, 1.0], [-2.0, -1.0]])
y = torch.tensor([1.0, -1.0])
opt = torch.optim.SGD([w], lr=1.0)
for i in range(12):
    loss = torch.relu(1 - y * (x @ w)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
