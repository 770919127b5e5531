# --- in-place on a leaf that requires grad
x = torch.ones(3, requires_grad=True); x += 1

# --- x.add_ on a leaf that requires grad
x = torch.ones(3, requires_grad=True); x.add_(1)

# --- in-place on a view of a leaf that requires grad (x[0] = 5)
x = torch.ones(3, requires_grad=True); x[0] = 5.

# --- in-place on an explicit view of a leaf (v = x[:2]; v.mul_(2))
x = torch.ones(3, requires_grad=True); v = x[:2]; v.mul_(2)

# --- in-place on a view of a leaf created in no_grad
x = torch.ones(3, requires_grad=True)
with torch.no_grad(): v = x[:2]
v.mul_(2)

# --- in-place on a view (of a non-leaf) created in no_grad
x = torch.ones(3, requires_grad=True); b = x*1
with torch.no_grad(): v = b[:2]
v.mul_(x[:2])

# --- in-place on an output of unbind (multi-view)
x = torch.ones(3, requires_grad=True); b = x*1; a,*_ = b.unbind(); a.mul_(2)

# --- in-place on an output of split/chunk
x = torch.ones(4, requires_grad=True); b = x*1; a,*_ = b.chunk(2); a.mul_(2)

# --- in-place on an element yielded by iterating a tensor
x = torch.ones(3, requires_grad=True); b = x*1
for r in b: r.mul_(2)

# --- in-place modification of a saved tensor
x = torch.ones(3, requires_grad=True); y = x.exp(); y += 1; y.sum().backward()

# --- in-place modification of a saved leaf under no_grad
w = torch.ones(3, requires_grad=True); y = (w*w).sum()
with torch.no_grad(): w -= 0.1
y.backward()

# --- in-place modification via detach() of a saved tensor
x = torch.ones(3, requires_grad=True); y = x.sigmoid(); y.detach().zero_(); y.sum().backward()

# --- detach_() of a saved tensor
x = torch.ones(3, requires_grad=True); y = x * 1; z = y.sin(); y.detach_(); z.sum().backward()

# --- detach_() of a saved tensor, create_graph
x = torch.ones(3, requires_grad=True); y = x * 1; z = y.sin(); y.detach_()
R = torch.autograd.grad(z.sum(), x, create_graph=True)

# --- detach_() of a tensor saved as a result, or by nobody
x = torch.ones(3, requires_grad=True); y = x.exp(); z = y * 2; y.detach_(); w = x * 3; u = w * 2
v = w.detach(); t = v * x; w.detach_(); (z + u + t).sum().backward(); R = x.grad, y._version

# --- in-place modification via .data of a saved tensor: silent wrong gradient
x = torch.ones(3, requires_grad=True); y = x.sigmoid(); y.data.zero_(); y.sum().backward(); R = x.grad

# --- in-place modification via .numpy() alias of a saved tensor: silent
x = torch.ones(3, requires_grad=True); y = x.sigmoid(); y.detach().numpy()[:] = 0; y.sum().backward(); R = x.grad

# --- in-place modification of a saved tensor, with detect_anomaly
with torch.autograd.detect_anomaly():
    x = torch.ones(3, requires_grad=True); y = x.exp(); y += 1; y.sum().backward()

# --- in-place modification of a saved non-differentiable leaf input
x = torch.ones(3); w = torch.ones(3, requires_grad=True); y = (x*w).sum(); x.add_(1); y.backward()

# --- out= with a tensor that requires grad
a = torch.ones(3, requires_grad=True); o = torch.empty(3); torch.add(a, 1, out=o)

# --- in-place broadcast that would grow the destination
x = torch.ones(3); x.add_(torch.ones(2,3))

# --- in-place result type cannot be cast
x = torch.ones(3, dtype=torch.int64); x.add_(1.5)

# --- in-place div on an int tensor
x = torch.ones(3, dtype=torch.int64); x /= 2

# --- in-place on an expanded tensor
x = torch.ones(1).expand(3); x.add_(1)

# --- overlapping copy
x = torch.arange(4.); x[1:].copy_(x[:-1]); R = x

# --- view on non-contiguous
torch.ones(2,3).t().view(6)

# --- view with wrong size
torch.ones(6).view(4)

# --- view with two -1
torch.ones(6).view(-1,-1)

# --- resize_ on a tensor that requires grad
x = torch.ones(3, requires_grad=True); x.resize_(4)

# --- t_() on a view of a leaf that requires grad
x = torch.ones(2, 3, requires_grad=True); x.view(3, 2).t_()

# --- t_() on a view made under no_grad
x = torch.ones(2, 3, requires_grad=True) * 1
with torch.no_grad(): v = x.view(3, 2)
v.t_()

# --- t_() on one of several views
x = torch.ones(2, 2, 3, requires_grad=True); x.unbind()[0].t_()

# --- t_() in three dimensions
torch.ones(1, 2, 3).t_()

# --- unsqueeze_() of a saved result
x = torch.ones(3, requires_grad=True); y = x.exp(); y.unsqueeze_(0); y.sum().backward()

# --- the names of nodes of changes of shape
x = torch.ones(1, 2, 1, 3, requires_grad=True)
R = [f(x * 1).grad_fn.name() for f in (
    lambda y: y.unsqueeze_(0), lambda y: y.squeeze_(), lambda y: y.squeeze_(0),
    lambda y: y.squeeze_((0, 2)), lambda y: y.transpose_(0, 1), lambda y: y.swapdims_(1, 2),
    lambda y: y[0, :, 0].t_(), lambda y: y.as_strided_((2,), (1,)))]
