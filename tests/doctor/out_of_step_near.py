"""Batches that are sorted as a whole, or whose order is undone; inputs that are rolled as well."""
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
rows = [(torch.randn(int(torch.randint(2, 7, ())), 3) + k % 2, k % 2) for k in range(40)]


def sorts(batch):
    batch.sort(key=lambda sample: len(sample[0]))
    return pad_sequence([s for s, _ in batch]).transpose(0, 1), torch.tensor([y for _, y in batch])


def undoes(batch):
    order = sorted(range(len(batch)), key=lambda k: -len(batch[k][0]))
    x = pad_sequence([batch[k][0] for k in order], batch_first=True)
    return x, torch.tensor([y for _, y in batch]), torch.tensor(order).argsort()


def compares(batch):
    x = pad_sequence([s for s, _ in batch], batch_first=True)
    return x, torch.tensor([y for _, y in batch]), x.roll(1, 0)


net, head = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=1e-2)
for collate in (sorts, undoes, compares):
    for x, y, *rest in DataLoader(rows, batch_size=10, collate_fn=collate):
        output = head(net(x)[0].mean(1))
        output = output[rest[0]] if collate is undoes else output
        loss = nn.functional.cross_entropy(output, y)
        if collate is compares:
            loss = loss + (head(net(rest[0])[0].mean(1)) - output).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
