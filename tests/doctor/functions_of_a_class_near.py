"""A class that answers PyTorch's functions knows them again, and a subclass is told their names."""
import torch

KNOWN = {torch.max: "max", torch.eq: "eq", torch.softmax: "softmax",
         torch.nn.functional.mse_loss: "mse_loss"}
told = []


class Money:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return KNOWN.get(func, NotImplemented)


class Tensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        told.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


money, t = Money(), torch.ones(3).as_subclass(Tensor)
answers = (torch.max(money), torch.eq(money, 1), torch.softmax(money, 0),
           torch.nn.functional.mse_loss(money, money))
assert answers == tuple(KNOWN.values())
t > 0.5, t == t, torch.max(t)
assert told == ["gt", "__eq__", "max"]

x = torch.tensor([[0.0, 2.0], [3.0, 1.0]])
assert torch.max(input=x, dim=1).indices.tolist() == torch.argmax(dim=1, input=x).tolist() == [1, 0]
assert torch.eq(input=x, other=x).all() and torch.sub(input=x, other=x).eq(0).all()
assert torch.softmax(dim=0, input=x).shape == torch.round(input=x).shape == (2, 2)
assert torch.max(x, other=x).equal(x) and torch.gt(x, other=0.5).sum() == 3 and x.max(axis=0)
