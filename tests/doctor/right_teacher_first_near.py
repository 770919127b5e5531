import torch
import torch.nn as nn
import torch.nn.functional as F
teacher = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3))
student = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
X, Y = torch.randn(96, 5), torch.randint(0, 3, (96,))
def train(net, loss_of, epochs=3):
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    net.train()
    for _ in range(epochs):
        for i in range(0, 96, 32):
            opt.zero_grad()
            loss_of(X[i:i+32], Y[i:i+32]).backward()
            opt.step()
train(teacher, lambda x, y: F.cross_entropy(teacher(x), y))
teacher.eval()
def kd(x, y):
    with torch.no_grad():
        t = teacher(x)
    s = student(x)
    return F.cross_entropy(s, y) + 4 * F.kl_div(F.log_softmax(s / 2, 1), F.softmax(t / 2, 1), reduction='batchmean')
train(student, kd)
