import torch
from torch import nn

torch.manual_seed(0)
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(20, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)
        self.out = nn.Linear(16, 20)
    def forward(self, ids):
        mask = nn.Transformer.generate_square_subsequent_mask(ids.size(1))
        return self.out(self.layer(self.tokens(ids), src_mask=mask))
net = Model()
optimizer = torch.optim.AdamW(net.parameters())
for _ in range(3):
    ids = torch.randint(20, (4, 8))
    loss = nn.functional.cross_entropy(net(ids).view(-1, 20), ids.view(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
