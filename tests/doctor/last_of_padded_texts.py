import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 8, batch_first=True)
        self.answer = nn.Linear(8, 2)

    def forward(self, tokens):
        out, _ = self.lstm(self.words(tokens))
        return self.answer(out[:, -1])


net = Reader()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(4):
    texts = [torch.randint(1, 20, (n,)) for n in (3, 9, 5, 6, 4, 9)]
    labels = torch.tensor([int(text[0] > 10) for text in texts])
    tokens = pad_sequence(texts, batch_first=True)
    loss = nn.functional.cross_entropy(net(tokens), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
