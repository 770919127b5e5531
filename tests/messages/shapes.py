# --- matmul shape mismatch 2d
torch.ones(2,3) @ torch.ones(4,5)

# --- matmul 1d-1d mismatch
torch.ones(3) @ torch.ones(4)

# --- matmul 2d-1d mismatch
torch.ones(2,3) @ torch.ones(4)

# --- batched matmul mismatch
torch.ones(5,2,3) @ torch.ones(5,4,5)

# --- batched matmul batch mismatch
torch.ones(5,2,3) @ torch.ones(4,3,5)

# --- torch.mm of a 1d
torch.mm(torch.ones(3), torch.ones(3,2))

# --- torch.mm wrong inner
torch.mm(torch.ones(2,3), torch.ones(4,5))

# --- matmul with a 0-d
torch.tensor(2.) @ torch.ones(3)

# --- matmul of different dtypes
torch.ones(2,2) @ torch.ones(2,2, dtype=torch.float64)

# --- F.linear wrong in_features
nn.Linear(3,2)(torch.ones(1,4))

# --- nn.Linear on float64 input
nn.Linear(3,2)(torch.ones(1,3, dtype=torch.float64))

# --- nn.Linear on int input
nn.Linear(3,2)(torch.ones(1,3, dtype=torch.int64))

# --- broadcast mismatch
torch.ones(3) + torch.ones(4)

# --- broadcast mismatch 2d
torch.ones(2,3) * torch.ones(2,4)

# --- expand wrong
torch.ones(3).expand(4)

# --- cat wrong shapes
torch.cat([torch.ones(2,3), torch.ones(2,4)])

# --- stack wrong shapes
torch.stack([torch.ones(3), torch.ones(4)])

# --- dim out of range
torch.ones(2,3).sum(dim=2)

# --- index out of range
torch.ones(3)[5]

# --- too many indices
torch.ones(3)[0,0]

# --- fancy index out of range
torch.ones(3)[torch.tensor([0,5])]

# --- float tensor as an index
torch.ones(3)[torch.tensor([0.,1.])]

# --- boolean mask of a wrong shape
torch.ones(3)[torch.tensor([True, False])]

# --- index with a str
torch.ones(3)["a"]

# --- setitem shape mismatch
x = torch.ones(3); x[:2] = torch.ones(3)

# --- reshape invalid
torch.ones(6).reshape(4)

# --- mean of an int tensor
torch.ones(3, dtype=torch.int64).mean()

# --- unary minus / subtraction on bool
torch.tensor([True]) - torch.tensor([False])

# --- neg on bool
-torch.tensor([True])

# --- gather index dtype
torch.gather(torch.ones(3), 0, torch.tensor([0.]))

# --- len of a 0-d
len(torch.tensor(1.))

# --- iterate over a 0-d
list(torch.tensor(1.))

# --- .T on a 3-d tensor (deprecated)
R = torch.ones(2,3,4).T.shape

# --- squeeze/permute: wrong number of dims
torch.ones(2,3).permute(0,1,2)

# --- t() on 3-d
torch.ones(2,3,4).t()

# --- torch.tensor of a ragged list
torch.tensor([[1,2],[3]])

# --- torch.tensor of a list of arrays (slow warning)
R = torch.tensor([np.ones(2), np.ones(2)]).shape

# --- torch.tensor of strings
torch.tensor(["a"])

# --- torch.from_numpy of a list
torch.from_numpy([1,2])

# --- torch.from_numpy of a read-only array
a = np.ones(3); a.flags.writeable = False; R = torch.from_numpy(a)

# --- torch.from_numpy of negative strides
torch.from_numpy(np.arange(3)[::-1])

# --- negative step slice
torch.arange(3)[::-1]

# --- numpy array + tensor requiring grad
R = np.ones(3) + torch.ones(3, requires_grad=True)

# --- add tensor and str
torch.ones(3) + "a"

# --- add tensor and None
torch.ones(3) + None

# --- unknown attribute
torch.ones(3).foo

# --- add with numpy array
R = torch.ones(3) + np.ones(3)

# --- x.T of one dimension
torch.ones(2).T
