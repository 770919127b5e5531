"""Two networks that learn from each other, and a body in eval() mode that is trained."""
import torch
import torch.nn.functional as F
from torch import nn

texts, images = nn.Linear(5, 3), nn.Linear(4, 3)
body, head = nn.Sequential(nn.Linear(5, 8), nn.Tanh()), nn.Linear(8, 3)
teacher = nn.Linear(5, 3)
teaching = torch.optim.SGD(teacher.parameters(), lr=0.1)
optimizer = torch.optim.SGD([p for net in (texts, images, body, head) for p in net.parameters()],
                            lr=0.1)
body.eval()
for _ in range(5):
    x, y = torch.randn(8, 5), torch.randint(0, 3, (8,))
    teaching.zero_grad()
    F.cross_entropy(teacher(x), y).backward()
    teaching.step()
for _ in range(5):
    x, y = torch.randn(8, 5), torch.randint(0, 3, (8,))
    one, two = texts(x), images(x[:, :4])
    scores = head(body(x))
    with torch.no_grad():
        wanted = F.softmax(teacher(x), dim=1)
    loss = F.cross_entropy(one @ two.T, torch.arange(8)) + F.mse_loss(one, two)
    loss = loss + F.kl_div(F.log_softmax(scores, dim=1), wanted, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
