"""Principal components by random projections, and their gradients."""
import torch

x = torch.randn(40, 3) @ torch.randn(3, 12) + 0.01 * torch.randn(40, 12)
for matrix in (x, x.T, torch.randn(2, 5, 4)):
    U, S, V = torch.svd_lowrank(matrix, q=3)
    print(tuple(U.shape), S, tuple(V.shape), (U * S.unsqueeze(-2) @ V.mH).sum((-2, -1)))
U, S, V = torch.pca_lowrank(x, q=3, niter=3)
print(S, ((x - x.mean(0)) - U * S @ V.T).abs().max() < 0.1)
print(torch.svd_lowrank(x, q=2, M=x.mean(0))[1], torch.pca_lowrank(x, center=False)[1][:3])
x.requires_grad_()
torch.pca_lowrank(x, q=2)[1].sum().backward()
print(x.grad.abs().sum())
for wrong in (dict(q=20), dict(q=2, niter=-1)):
    try:
        torch.pca_lowrank(x, **wrong)
    except ValueError as e:
        print(e)
