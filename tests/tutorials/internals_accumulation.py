import torch
x = torch.tensor(1.0, requires_grad=True)
for i in range(3):
    y = x * (i + 1)
    y.backward()
    print(f"After step {i}: x.grad = {x.grad}")
