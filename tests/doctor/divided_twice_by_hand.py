import torch
import torch.nn.functional as F
torch.manual_seed(1)
batch_size = 32
w = torch.randn(4, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
true_w = torch.tensor([[1.], [-2.], [3.], [0.5]])
for i in range(20):
    x = torch.randn(batch_size, 4)
    y = x @ true_w + 0.1
    loss = F.mse_loss(x @ w + b, y)
    loss = loss / batch_size
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
    w.grad.zero_()
    b.grad.zero_()
print(w)
