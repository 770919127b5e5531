# --- F.mse_loss size mismatch (warning)
R = F.mse_loss(torch.ones(3,1), torch.ones(3))

# --- F.mse_loss impossible broadcast
F.mse_loss(torch.ones(3), torch.ones(4))

# --- F.l1_loss size mismatch (warning)
R = F.l1_loss(torch.ones(3,1), torch.ones(3))

# --- F.smooth_l1_loss size mismatch (warning)
R = F.smooth_l1_loss(torch.ones(3,1), torch.ones(3))

# --- mse_loss dtype mismatch float/int target backward
p = torch.ones(3, requires_grad=True); R = F.mse_loss(p, torch.ones(3, dtype=torch.int64)); R.backward()

# --- mse_loss float vs double
p = torch.ones(3, requires_grad=True); R = F.mse_loss(p, torch.ones(3, dtype=torch.float64)); R.backward(); R = (R, p.grad)

# --- bce_loss size mismatch
F.binary_cross_entropy(torch.ones(3,1)*.5, torch.ones(3))

# --- bce_loss input out of range
F.binary_cross_entropy(torch.tensor([1.5]), torch.ones(1))

# --- bce_with_logits size mismatch
F.binary_cross_entropy_with_logits(torch.ones(3,1), torch.ones(3))

# --- cross_entropy target out of range
F.cross_entropy(torch.ones(2,3), torch.tensor([0,3]))

# --- cross_entropy float class-index target
F.cross_entropy(torch.ones(2,3), torch.tensor([0.,1.]))

# --- cross_entropy batch mismatch
F.cross_entropy(torch.ones(2,3), torch.tensor([0,1,2]))

# --- cross_entropy int32 target
F.cross_entropy(torch.ones(2,3), torch.tensor([0,1], dtype=torch.int32))

# --- nll_loss int32
F.nll_loss(torch.ones(2,3), torch.tensor([0,1], dtype=torch.int32))

# --- softmax without dim (warning)
R = F.softmax(torch.ones(2,3))

# --- F.tanh/F.sigmoid deprecated
R = (F.tanh(torch.ones(1)), F.sigmoid(torch.ones(1)))

# --- embedding index out of range
nn.Embedding(3,2)(torch.tensor([5]))

# --- embedding with float indices
nn.Embedding(3,2)(torch.tensor([1.]))

# --- optimizer with a non-leaf
x = torch.ones(3, requires_grad=True); torch.optim.SGD([x*2], lr=0.1)

# --- optimizer with an empty parameter list
torch.optim.SGD([], lr=0.1)

# --- optimizer with a single tensor instead of an iterable
torch.optim.SGD(torch.ones(3, requires_grad=True), lr=0.1)

# --- optimizer with a non-tensor
torch.optim.SGD([1.0], lr=0.1)

# --- optimizer with duplicate parameters
p = nn.Parameter(torch.ones(1)); R = torch.optim.SGD([p, p], lr=0.1)

# --- parameter in two groups
p = nn.Parameter(torch.ones(1)); torch.optim.SGD([{"params":[p]},{"params":[p]}], lr=0.1)

# --- optimizer negative lr
torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=-1)

# --- SGD nesterov without momentum
torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1, nesterov=True)

# --- Adam bad beta
torch.optim.Adam([nn.Parameter(torch.ones(1))], betas=(1.0, 0.9))

# --- step() with no .grad at all
p = nn.Parameter(torch.ones(1)); o = torch.optim.SGD([p], lr=0.1); R = (o.step(), p)

# --- differentiable step of lists of tensors
p = torch.ones(1, requires_grad=True) * 1; p.grad = torch.ones(1)
torch.optim.Adam([p], foreach=True, differentiable=True).step()

# --- LBFGS.step with a second group
p = nn.Parameter(torch.ones(1)); o = torch.optim.LBFGS([p])
o.add_param_group({"params": [nn.Parameter(torch.ones(1))]}); o.step(lambda: (p * p).sum())

# --- LBFGS.step without closure
p = nn.Parameter(torch.ones(1)); torch.optim.LBFGS([p]).step()

# --- lr_scheduler.step before optimizer.step (warning)
p = nn.Parameter(torch.ones(1)); o = torch.optim.SGD([p], lr=0.1); s = torch.optim.lr_scheduler.StepLR(o, 1); s.step()

# --- optimizer.load_state_dict mismatched groups
p = nn.Parameter(torch.ones(1)); a = torch.optim.SGD([p], lr=0.1); b = torch.optim.SGD([{"params":[p]},{"params":[nn.Parameter(torch.ones(1))]}], lr=.1); a.load_state_dict(b.state_dict())

# --- optimizer.load_state_dict mismatched sizes
p = nn.Parameter(torch.ones(1)); a = torch.optim.SGD([p], lr=0.1); b = torch.optim.SGD([p, nn.Parameter(torch.ones(1))], lr=.1); a.load_state_dict(b.state_dict())

# --- load_state_dict: missing and unexpected keys
nn.Linear(2,2).load_state_dict({"weight": torch.ones(2,2), "w": torch.ones(1)})

# --- load_state_dict: size mismatch
nn.Linear(2,2).load_state_dict({"weight": torch.ones(3,2), "bias": torch.ones(2)})

# --- load_state_dict: not a dict
nn.Linear(2,2).load_state_dict([1])

# --- load_state_dict(strict=False) result
R = nn.Linear(2,2).load_state_dict({"weight": torch.ones(2,2), "w": torch.ones(1)}, strict=False)

# --- assign a plain tensor to a registered parameter
m = nn.Linear(2,2); m.weight = torch.ones(2,2)

# --- Parameter before Module.__init__
class M(nn.Module):
    def __init__(self): self.w = nn.Parameter(torch.ones(1))
M()

# --- submodule before Module.__init__
class M(nn.Module):
    def __init__(self): self.l = nn.Linear(1,1)
M()

# --- Module without forward
class M(nn.Module): pass
M()(1)

# --- unknown Module attribute
nn.Linear(1,1).foo

# --- non-leaf as Parameter of module
m = nn.Module(); x = torch.ones(2, requires_grad=True); m.register_parameter("w", x*2)

# --- register_parameter with a non-leaf Parameter
m = nn.Module(); p = nn.Parameter(torch.ones(1)); m.register_parameter("w", p); m.register_parameter("w", p)

# --- Parameter from an integer tensor
nn.Parameter(torch.ones(2, dtype=torch.int64))

# --- register_buffer with a dot
nn.Module().register_buffer("a.b", torch.ones(1))

# --- nn.Sequential index out of range
nn.Sequential(nn.ReLU())[3]

# --- BatchNorm1d with a single value per channel in train mode
nn.BatchNorm1d(3)(torch.ones(1,3))

# --- BatchNorm1d wrong dim
nn.BatchNorm1d(3)(torch.ones(3))

# --- Dropout wrong p
nn.Dropout(1.5)

# --- Conv2d wrong input dims
nn.Conv2d(3,4,3)(torch.ones(3,3))

# --- Conv2d wrong channels
nn.Conv2d(3,4,3)(torch.ones(1,2,8,8))

# --- Conv2d kernel larger than input
nn.Conv2d(1,1,5)(torch.ones(1,1,3,3))

# --- clip_grad_norm_ with nan and error_if_nonfinite
p = nn.Parameter(torch.ones(1)); p.grad = torch.tensor([float("nan")]); nn.utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)

# --- clip_grad_norm_ over an exhausted generator (warning)
m = nn.Linear(1,1); g = m.parameters(); list(g); R = nn.utils.clip_grad_norm_(g, 1.0)

# --- multi-loss: step between two backwards through a retained 2-layer graph
torch.manual_seed(0); m = nn.Sequential(nn.Linear(3,4), nn.Tanh(), nn.Linear(4,1)); o = torch.optim.SGD(m.parameters(), lr=.1)
y = m(torch.ones(2,3)); l1 = y.mean(); l2 = (y**2).mean()
l1.backward(retain_graph=True); o.step(); l2.backward()

# --- multi-loss: step between two backwards through a retained 1-layer graph
torch.manual_seed(0); m = nn.Linear(3,1); o = torch.optim.SGD(m.parameters(), lr=.1)
y = m(torch.ones(2,3)); l1 = y.mean(); l2 = (y**2).mean()
l1.backward(retain_graph=True); o.step(); l2.backward(); R = "no error"

# --- torch.load with weights_only refusing a class
import io as _io, argparse
b = _io.BytesIO(); torch.save(argparse.Namespace(a=1), b); b.seek(0); torch.load(b)

# --- transposed convolution of an empty batch to a negative size
F.conv_transpose2d(torch.zeros(0, 2, 1, 1), torch.zeros(2, 3, 1, 1), padding=2)

# --- transposed convolution of an empty batch of sequences to a negative size
F.conv_transpose1d(torch.zeros(0, 2, 1), torch.zeros(2, 3, 1), padding=2)

# --- transposed convolution of an empty batch to one size of -1
F.conv_transpose2d(torch.zeros(0, 2, 1, 1), torch.zeros(2, 3, 1, 1), padding=(0, 1))

# --- output_size of a transposed convolution out of range
nn.ConvTranspose2d(1, 1, 3, stride=2)(torch.zeros(1, 1, 3, 3), output_size=(1, 1))

# --- output_size of a transposed convolution with a batch, out of range
nn.ConvTranspose2d(1, 1, 3, stride=2)(torch.zeros(1, 1, 3, 3), output_size=torch.Size((1, 1, 1, 2)))

# --- unfold of a matrix
F.unfold(torch.zeros(3, 3), 2)

# --- unfold of a number
F.unfold(torch.zeros(()), 2)

# --- SGD with nan for lr is made, other optimizers are not
R = type(torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=float("nan"))).__name__
torch.optim.Adam([nn.Parameter(torch.ones(1))], lr=float("nan"))

# --- dropout that drops nothing of no tensor
F.dropout("a", 0)

# --- alpha dropout of no tensor in evaluation
F.alpha_dropout(None, 0.5)

# --- insert into a Sequential with names
nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh(), c=nn.GELU())).insert(0, nn.Identity())

# --- insert at the end of a Sequential with names, and into one with numbers
R = (nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh())).insert(2, nn.Identity()),
     nn.Sequential(nn.ReLU(), nn.Tanh()).insert(-1, nn.Identity()))

# --- text for the learning rate of SGD
torch.optim.SGD([nn.Parameter(torch.ones(1))], lr="a")

# --- nn.Dropout("a")
nn.Dropout("a")

# --- nn.Container
R = nn.Container(a=nn.ReLU())

# --- load_state_dict: a hook that returns a value
m = nn.Linear(1, 1); m.register_load_state_dict_post_hook(lambda m, keys: keys)
m.load_state_dict(m.state_dict())
