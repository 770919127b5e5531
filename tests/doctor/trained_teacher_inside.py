import torch
import torch.nn as nn
import torch.nn.functional as F
class Distiller(nn.Module):
    def __init__(self, teacher, student):
        super().__init__()
        self.teacher = teacher
        self.student = student
    def forward(self, x):
        return self.student(x), self.teacher(x)
d = Distiller(nn.Linear(6, 3), nn.Linear(6, 3))
opt = torch.optim.Adam(d.parameters(), lr=1e-2)
for i in range(12):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    s, t = d(x)
    loss = F.cross_entropy(s, y) + F.kl_div(F.log_softmax(s, 1), F.softmax(t, 1), reduction='batchmean')
    opt.zero_grad(); loss.backward(); opt.step()
