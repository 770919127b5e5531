import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
rows = [(torch.randn(int(torch.randint(2, 7, ())), 3) + k % 2, k % 2) for k in range(40)]


def collate(batch):
    labels = torch.tensor([label for _, label in batch])
    sequences = sorted((s for s, _ in batch), key=len, reverse=True)
    return pad_sequence(sequences, batch_first=True), labels


net, head = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=1e-2)
for x, y in DataLoader(rows, batch_size=10, collate_fn=collate):
    loss = nn.functional.cross_entropy(head(net(x)[0].mean(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
