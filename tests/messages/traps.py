# --- w = w - lr*w.grad outside no_grad: second iteration
w = torch.ones(2, requires_grad=True)
for _ in range(2):
    loss = (w*w).sum(); loss.backward(); w = w - 0.1*w.grad

# --- w -= lr*w.grad outside no_grad
w = torch.ones(2, requires_grad=True); (w*w).sum().backward(); w -= 0.1*w.grad

# --- w = w - lr*w.grad inside no_grad: second iteration
w = torch.ones(2, requires_grad=True)
for _ in range(2):
    loss = (w*w).sum(); loss.backward()
    with torch.no_grad(): w = w - 0.1*w.grad

# --- w.grad.zero_() before any backward
w = torch.ones(2, requires_grad=True); w.grad.zero_()

# --- with torch.no_grad: (forgotten parentheses)
with torch.no_grad: pass

# --- backward() on a python float
x = torch.ones(2, requires_grad=True); loss = (x*x).sum().item(); loss.backward()

# --- torch.tensor(loss) breaks the graph
x = torch.ones(2, requires_grad=True); loss = torch.tensor((x*x).sum().item()); loss.backward()

# --- argmax output used as a loss
x = torch.ones(2, requires_grad=True); loss = x.argmax().float(); loss.backward()

# --- hidden state carried across iterations (RNN trap): second backward
W = torch.ones(2,2, requires_grad=True); h = torch.ones(2)
for _ in range(2):
    h = torch.tanh(W @ h); h.sum().backward()

# --- shared encoder output computed once outside the loop
w = torch.ones(3, requires_grad=True); feat = w.exp()
for _ in range(2): (feat*2).sum().backward()

# --- unknown keyword of backward
x = torch.ones((), requires_grad=True); (x*2).backward(retain=True)

# --- .to(dtype) / .cuda()-style leaf trap: x = torch.ones(2, requires_grad=True).double()
x = torch.ones(2, requires_grad=True).double(); x.sum().backward(); R = (x.is_leaf, x.grad)

# --- x = torch.rand(2, requires_grad=True) * 2 (non-leaf by accident)
x = torch.ones(2, requires_grad=True) * 2; x.sum().backward(); R = (x.is_leaf, x.grad)

# --- derivative not implemented: torch.igamma w.r.t. its first argument
a = torch.tensor(1., requires_grad=True); torch.igamma(a, torch.tensor(2.)).backward()

# --- derivative not implemented: torch.special.gammainc etc. / torch.nextafter
a = torch.tensor(1., requires_grad=True); torch.nextafter(a, torch.tensor(2.)).backward()

# --- derivative not implemented: torch.histc
a = torch.ones(4, requires_grad=True); torch.histc(a, 4).sum().backward()

# --- derivative not implemented: torch.quantile exists; torch.bincount(weights)
w = torch.ones(3, requires_grad=True); torch.bincount(torch.tensor([0,1,1]), weights=w).sum().backward()

# --- gradient of a sparse/unsupported forward-mode op: jvp of an op without forward AD
with fwAD.dual_level(): torch.histc(fwAD.make_dual(torch.ones(3), torch.ones(3)), 3)

# --- torch.autograd.grad twice through the same graph
x = torch.tensor(2., requires_grad=True); y = x**3; torch.autograd.grad(y, x); torch.autograd.grad(y, x)

# --- two losses, shared graph, no retain_graph
x = torch.tensor(2., requires_grad=True); h = x**2; a = h*3; b = h*h; a.backward(); b.backward()

# --- sum of the two losses is fine
x = torch.tensor(2., requires_grad=True); h = x**2; (h*3 + h*h).backward(); R = x.grad

# --- retain_grad after backward
x = torch.tensor(2., requires_grad=True); h = x**2; (h*3).backward(); h.retain_grad(); R = h.grad

# --- unknown saved attribute of a node
x = torch.tensor(2., requires_grad=True); (x**2).grad_fn._saved_foo

# --- functional_call with an unknown name
torch.func.functional_call(nn.Linear(1,1), {"w": torch.ones(1,1)}, (torch.ones(1,1),), strict=True)

# --- jacrev of an integer input
torch.func.jacrev(lambda x: x*2)(torch.ones(3, dtype=torch.int64))

# --- jvp: primals/tangents mismatch
torch.func.jvp(lambda x: x*2, (torch.ones(3),), (torch.ones(4),))

# --- jvp: not tuples
torch.func.jvp(lambda x: x*2, torch.ones(3), torch.ones(3))

# --- vjp: cotangent of a wrong shape
o, f = torch.func.vjp(lambda x: x*2, torch.ones(3)); f(torch.ones(4))

# --- vmap of a function returning a non-tensor
torch.func.vmap(lambda x: 3)(torch.ones(3))

# --- vmap out_dims mismatch
torch.func.vmap(lambda x: x, out_dims=(0,1))(torch.ones(3))

# --- vmap in_dims not matching inputs
torch.func.vmap(torch.add, in_dims=(0,))(torch.ones(3), torch.ones(3))

# --- linearize of an int
torch.func.linearize(lambda x: x*2, torch.ones(3, dtype=torch.int64))

# --- grad argnums out of range
torch.func.grad(lambda x: x.sum(), argnums=1)(torch.ones(3))

# --- hook removal twice
x = torch.ones(1, requires_grad=True); h = x.register_hook(lambda g: g); h.remove(); h.remove(); R = "no error"

# --- allow_mutation_on_saved_tensors: backward after the context ended
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    x = torch.ones(3, requires_grad=True); b = x.clone(); y = (b**2).sum(); b.sin_()
y.backward(); R = x.grad

# --- allow_mutation_on_saved_tensors: backward inside
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    x = torch.ones(3, requires_grad=True); b = x.clone(); y = (b**2).sum(); b.sin_(); y.backward()
R = x.grad

# --- set_grad_enabled with a non-bool
torch.set_grad_enabled("no")

# --- iterating parameters() twice for clip + step is fine; NaN gradient is silent
p = nn.Parameter(torch.tensor([0.])); torch.sqrt(p).sum().backward(); (torch.sqrt(p)*0).sum().backward(); R = p.grad

# --- repr of grad_fn chain
x = torch.ones(2, requires_grad=True); y = (x*2).sum(); R = (y.grad_fn.name(), y.grad_fn.next_functions, y.grad_fn.next_functions[0][0].next_functions[0][0].variable)
