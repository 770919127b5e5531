"""A script as they were written in 2017: Variables, .data, tensors of typed classes."""
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.init as init
from torch.autograd import Variable

warnings.simplefilter("ignore")
FloatTensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
torch.manual_seed(1)
torch.set_default_tensor_type("torch.DoubleTensor")
print(torch.get_default_dtype(), torch.Tensor(2, 3).type())
torch.set_default_tensor_type(torch.FloatTensor)
x = Variable(torch.randn(10, 5).type(FloatTensor), requires_grad=False)
y = Variable(torch.LongTensor(10).random_(0, 3))
print(y.data.type(), x.data.new().size(), x.data.new(2, 2).fill_(3))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.bn, self.fc2 = nn.Linear(5, 8, bias=False), nn.BatchNorm1d(8), nn.Linear(8, 3)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                init.xavier_uniform(m.weight.data)
            elif isinstance(m, nn.BatchNorm1d):
                m.weight.data.fill_(1)
                m.bias.data.zero_()

    def forward(self, x):
        h = F.tanh(self.bn(self.fc1(x)))
        return F.log_softmax(self.fc2(F.dropout(h, p=0.2, training=self.training)))


net = Net()
optimizer = torch.optim.Adadelta(net.parameters(), lr=1.0, rho=0.9)
criterion = nn.NLLLoss(size_average=True)
for epoch in range(4):
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    nn.utils.clip_grad_norm(net.parameters(), 1.0)
    optimizer.step()
    print("epoch", epoch, f"loss {loss.data.item():.5f}")
net.eval()
with torch.no_grad():
    out = net(Variable(x.data))
values, indices = torch.max(torch.exp(out).data, 1)
print(values.numpy().round(3), indices.cpu().numpy(), indices.eq(y.data).cpu().sum())
w = Variable(torch.Tensor([[1, 2], [3, 4]]), requires_grad=True)
(w * w * 3).mean().backward(torch.Tensor([1.0]).squeeze())
print(w.grad.data, w.data.index_fill(0, torch.LongTensor([1]), 7))
print(F.sigmoid(w).data, torch.range(0, 3), torch.ger(torch.ones(2), torch.arange(1.0, 3)))
mask = torch.ByteTensor([[1, 0], [0, 1]])
print(w.data.masked_select(mask.bool()), w.data.ge(2).type_as(w.data), torch.lt(w.data, 3).all())
print(torch.addmm(1, w.data, 2, w.data, w.data), torch.zeros(3).scatter_(0, mask[0].long(), 5.0))
print(torch.HalfTensor([1]).dtype, torch.IntTensor([3]).float(), torch.FloatTensor([1.5]).int())
optimizer = torch.optim.SGD([{"params": [w]}, {"params": net.fc2.parameters(), "lr": 0.1}], lr=1)
print(optimizer)
