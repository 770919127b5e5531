import torch


class MLP:
    def __init__(self):
        self.w = torch.randn(3, 1, requires_grad=True)

    def __call__(self, x):
        return (x @ self.w).tanh()

    def parameters(self):
        return [self.w]


n = MLP()
xs, ys = torch.randn(4, 3), torch.ones(4, 1)
ypred = n(xs)
loss = ((ypred - ys) ** 2).sum()
for k in range(20):
    for p in n.parameters():
        p.grad = None
    loss.backward()
    for p in n.parameters():
        p.data += -0.1 * p.grad
