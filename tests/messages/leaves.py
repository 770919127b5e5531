# --- access .grad of a non-leaf tensor
x = torch.ones(3, requires_grad=True); y = x*2; R = y.grad

# --- access .grad of a non-leaf after retain_grad and before backward
x = torch.ones(3, requires_grad=True); y = x*2; y.retain_grad(); R = y.grad

# --- retain_grad on a tensor that does not require grad
torch.ones(3).retain_grad()

# --- retain_grad on a leaf (no-op)
x = torch.ones((), requires_grad=True); x.retain_grad(); R = (x.retains_grad, x.is_leaf)

# --- requires_grad=True on an integer tensor (factory)
torch.tensor([1,2,3], requires_grad=True)

# --- requires_grad_() on an integer tensor
torch.tensor([1,2,3]).requires_grad_()

# --- torch.ones(int, requires_grad=True)
torch.ones(3, dtype=torch.int64, requires_grad=True)

# --- requires_grad=False on a non-leaf
x = torch.ones(3, requires_grad=True); y = x*2; y.requires_grad = False

# --- requires_grad_(False) on a non-leaf
x = torch.ones(3, requires_grad=True); y = x*2; y.requires_grad_(False)

# --- requires_grad = "yes"
x = torch.ones(3); x.requires_grad = "yes"

# --- torch.tensor(existing_tensor) copy warning
x = torch.ones(3, requires_grad=True); R = torch.tensor(x)

# --- assign .grad of a wrong shape
x = torch.ones(3, requires_grad=True); x.grad = torch.ones(4)

# --- assign .grad of a wrong dtype
x = torch.ones(3, requires_grad=True); x.grad = torch.ones(3, dtype=torch.float64)

# --- assign .grad a non-tensor
x = torch.ones(3, requires_grad=True); x.grad = 1.0

# --- assign x.grad = x itself
x = torch.ones(3, requires_grad=True); x.grad = x

# --- set is_leaf
x = torch.ones(3); x.is_leaf = False

# --- set grad_fn
x = torch.ones(3); x.grad_fn = None

# --- deepcopy of a non-leaf
x = torch.ones(3, requires_grad=True); copy.deepcopy(x*2)

# --- deepcopy of a module holding a non-leaf attribute
m = nn.Linear(2,2); m.cache = m.weight*2; copy.deepcopy(m)

# --- .numpy() on a tensor that requires grad
torch.ones(3, requires_grad=True).numpy()

# --- np.asarray(t) on a tensor that requires grad
np.asarray(torch.ones(3, requires_grad=True))

# --- np.sin(t) on a tensor that requires grad
np.sin(torch.ones(3, requires_grad=True))

# --- float(t) of a scalar that requires grad
R = float(torch.tensor(1., requires_grad=True))

# --- item() on a multi-element tensor
torch.ones(3).item()

# --- float(t) on a multi-element tensor
float(torch.ones(3))

# --- bool(t) on a multi-element tensor
bool(torch.ones(3))

# --- int(t) as index / __index__ on a float tensor
[1,2,3][torch.tensor(1.)]

# --- detach_() on a view
x = torch.ones(3, requires_grad=True).clone(); x[0].detach_()

# --- detach_() on a multi-output view (unbind)
x = torch.ones(3, requires_grad=True).clone(); a, b, c = x.unbind(); a.detach_()

# --- pickle / torch.save of a non-leaf
import pickle; x = torch.ones(2, requires_grad=True); pickle.dumps(x*2); R="pickle.dumps worked"

# --- x.data = tensor of another dtype
x = torch.ones(3, requires_grad=True); x.data = torch.ones(3, dtype=torch.int64)

# --- x.data of another shape is allowed
x = torch.ones(3, requires_grad=True); x.data = torch.ones(5); R = x

# --- register_hook on a tensor that does not require grad
torch.ones(3).register_hook(lambda g: g)

# --- register_post_accumulate_grad_hook on a non-leaf
x = torch.ones(3, requires_grad=True); (x*2).register_post_accumulate_grad_hook(lambda p: None)

# --- register_hook: not callable
x = torch.ones(3, requires_grad=True); x.register_hook(3); x.sum().backward()

# --- set_() on a leaf that requires grad
x = torch.ones(3, requires_grad=True); x.set_(torch.ones(2))

# --- set_() on a leaf that requires grad, under no_grad
x = torch.ones(3, requires_grad=True)
with torch.no_grad(): x.set_(torch.ones(2))
R = x

# --- backward after the leaf was frozen
x = torch.ones(3, requires_grad=True); y = x * 2; x.requires_grad_(False); y.sum().backward()
R = x.grad

# --- backward after the leaf was detached in place
x = torch.ones(3, requires_grad=True); y = x * 2; x.detach_(); y.sum().backward(); R = x.grad

# --- backward after the leaf was frozen for a while
x = torch.ones(3, requires_grad=True); y = x * 2
x.requires_grad_(False); x.requires_grad_(True); y.sum().backward(); R = x.grad

# --- backward after the leaf has got a history
x = torch.ones(3, requires_grad=True); w = torch.ones(3, requires_grad=True); y = x * 2
x.requires_grad_(False); x.mul_(w); y.sum().backward()

# --- requires_grad_(False) on a view made under no_grad
x = torch.ones(3, requires_grad=True) * 1
with torch.no_grad(): v = x[1:]
R = v.requires_grad, v.requires_grad_(False).requires_grad

# --- a view whose numbers are replaced after a write to its base
a = torch.zeros(4, requires_grad=True); b = a.clone(); v = b[:2]
b.mul_(2); v.data = torch.ones(2) * 5
(v * v).sum().backward()
R = type(v.grad_fn).__name__, v.tolist(), a.grad

# --- backward after x.data has got another shape
x = torch.ones(3, requires_grad=True); x.sum().backward(); x.data = torch.ones(4); x.sum().backward()

# --- backward after x.data has got a shape that the old gradient would have to grow to
x = torch.ones(1, requires_grad=True); x.sum().backward(); x.data = torch.ones(3); x.sum().backward()

# --- SGD with the gradient of another shape
x = torch.ones(3, requires_grad=True); x.sum().backward(); x.data = torch.ones(4)
torch.optim.SGD([x], lr=0.1, momentum=0.9).step()

# --- Adam with the gradient of a shape that its parameter would have to grow to
x = torch.ones(2, 3, requires_grad=True); x.sum().backward(); x.data = torch.ones(3)
torch.optim.Adam([x], lr=0.1).step()
