import torch
L = torch.zeros(3, 3, requires_grad=True)
opt = torch.optim.SGD([L], 0.1)
for it in range(1):
    P = torch.eye(3) + L @ L.T
    w, V = torch.linalg.eigh(P)
    loss = (V @ torch.diag(w.sqrt()) @ V.T - 2 * torch.eye(3)).pow(2).sum()
    opt.zero_grad(); loss.backward(); opt.step()
