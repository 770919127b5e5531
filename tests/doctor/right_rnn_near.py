"""A recurrent net, its state detached between turns; clipping and a schedule."""
import torch
from torch import nn

torch.manual_seed(0)
rnn, head = nn.LSTM(4, 8, batch_first=True), nn.Linear(8, 1)
params = [*rnn.parameters(), *head.parameters()]
opt = torch.optim.Adam(params, lr=1e-2)
sched = torch.optim.lr_scheduler.StepLR(opt, 5)
state = None
for it in range(15):
    x = torch.randn(3, 5, 4)
    if state is not None:
        state = tuple(s.detach() for s in state)
    out, state = rnn(x, state)
    loss = head(out).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
    sched.step()
