import torch
x = torch.tensor(2.0, requires_grad=True)
out = x ** 3
out.backward() # first call — works fine
print(f"x.grad = {x.grad}")
try:
    out.backward() # second call — graph is already freed
except RuntimeError as e:
    print(f"RuntimeError: {e}")
