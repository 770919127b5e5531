"""cholesky_ex of matrices that are not positive definite: what was done before it stopped."""
import torch

torch.manual_seed(0)
a = torch.randn(5, 5, dtype=torch.float64)
a = a @ a.T
for place in (0, 2, 4):
    b = a.clone()
    b[place, place] = -1
    for upper in (False, True):
        print(torch.linalg.cholesky_ex(b, upper=upper))
mixed = torch.stack([a, b])
L, info = torch.linalg.cholesky_ex(mixed)
print(info, torch.dist(L[0] @ L[0].T, a) < 1e-9, L[1])
print(torch.linalg.cholesky_ex(torch.tensor([[1, 2j], [-2j, 1]])).L.abs())
