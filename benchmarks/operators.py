"""Every elementwise, reduction and indexing operator on a million float32 numbers, beside PyTorch.

python benchmarks/operators.py [NAME ...] [--rounds 7] [--above 0] [--threads N] [--backward]

Both libraries run in this one process, by turns; the ratio is that of their fastest rounds.
RETROGRAD_FAST=0 in the environment measures NumPy alone. --above 5 prints only what is slower
than five times PyTorch; --backward times the gradient instead of the function. With --threads 1
the clock is the thread's own, which counts what this process computes, whatever else the machine
does meanwhile.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings

N = 1_000_000
ROWS = (1000, 1000)

# A case is an expression of: torch, F, x y (any numbers), p q (in 0.1 .. 2.1), u (in -1 .. 1),
# m n (1000 x 1000), i j (integers 1 .. 100), b c (bools), k (row numbers), K (places in rows).
POINTWISE = """
x+y x-y x*y x/y x+2.5 2.5*x -x abs(x) x**2 x**3 p**2.5 p**q x//y x%y torch.fmod(x,y) x>y x==y
torch.remainder(x,1.5) torch.floor_divide(x,1.5) torch.fmod(x,1.5)
torch.addcmul(x,y,p) torch.addcdiv(x,y,p) torch.lerp(x,y,0.3) torch.lerp(x,y,u) torch.rsub(x,y)
torch.true_divide(x,y) torch.div(x,y,rounding_mode="floor") torch.div(x,y,rounding_mode="trunc")
torch.exp(x) torch.exp2(x) torch.expm1(x) torch.log(p) torch.log2(p) torch.log10(p) torch.log1p(p)
torch.sqrt(p) torch.rsqrt(p) torch.square(x) torch.reciprocal(p) torch.sin(x) torch.cos(x)
torch.tan(x) torch.asin(u) torch.acos(u) torch.atan(x) torch.sinh(x) torch.cosh(x) torch.tanh(x)
torch.asinh(x) torch.acosh(p+1) torch.atanh(u) torch.atan2(x,y) torch.sigmoid(x) torch.logit(q/3)
torch.sign(x) torch.sgn(x) torch.signbit(x) torch.floor(x) torch.ceil(x) torch.trunc(x)
torch.round(x) torch.round(x,decimals=2) torch.frac(x) torch.deg2rad(x) torch.rad2deg(x)
torch.nan_to_num(x) torch.sinc(x) torch.maximum(x,y) torch.minimum(x,y) torch.fmax(x,y)
torch.fmin(x,y) torch.clamp(x,-1,1) torch.clamp(x,min=0) torch.clamp(x,u,p) torch.where(b,x,y)
torch.where(b,x,0.0) torch.hypot(x,y) torch.logaddexp(x,y) torch.logaddexp2(x,y)
torch.copysign(x,y) torch.ldexp(x,i) torch.heaviside(x,y) torch.nextafter(x,y) torch.isclose(x,y)
torch.isnan(x) torch.isfinite(x) torch.isinf(x) torch.logical_and(b,c) torch.logical_not(b)
torch.logical_xor(x,y) torch.erf(x) torch.erfc(x) torch.erfinv(u) torch.lgamma(p)
torch.digamma(p) torch.polygamma(1,p) torch.mvlgamma(p+2,2) torch.igamma(p,q) torch.xlogy(x,p)
torch.special.xlog1py(x,p) torch.special.entr(p) torch.special.ndtr(x) torch.special.ndtri(q/3)
torch.special.log_ndtr(x) torch.special.erfcx(x) torch.special.i0e(x) torch.special.i1(x)
torch.i0(x)
torch.special.i1e(x) torch.special.zeta(p+1,q) torch.special.bessel_j0(x) torch.frexp(x)
torch.bitwise_and(i,j) torch.bitwise_or(i,j) torch.bitwise_xor(i,j) torch.bitwise_not(i) i<<2 i>>1
torch.gcd(i,j) torch.lcm(i,j) i+j i*j i//j i%j i/j x.double() x.half() x.int() i.float() x.bool()
x.clone() torch.complex(x,y) torch.polar(p,x) torch.zeros_like(x) torch.full_like(x,2.0)
torch.relu(x) F.leaky_relu(x) F.elu(x) F.selu(x) F.celu(x) F.gelu(x) F.gelu(x,approximate="tanh")
F.silu(x) F.mish(x) F.softplus(x) F.logsigmoid(x) F.hardtanh(x) F.hardsigmoid(x) F.hardswish(x)
F.hardshrink(x) F.softshrink(x) F.tanhshrink(x) F.softsign(x) F.threshold(x,0.1,0.0) F.relu6(x)
F.glu(m) F.prelu(x,q[:1]) F.mse_loss(x,y) F.l1_loss(x,y) F.smooth_l1_loss(x,y) F.huber_loss(x,y)
F.binary_cross_entropy_with_logits(x,p/2.2) F.binary_cross_entropy(q/2.2,p/2.2) F.kl_div(x,p)
F.softmax(m,1) F.log_softmax(m,1) F.softmax(m,0) F.normalize(m) F.cosine_similarity(m,n)
F.layer_norm(m,(1000,)) F.cross_entropy(m,k) torch.rand_like(x) torch.randn_like(x)
torch.bernoulli(p/2.2) torch.randint(0,9,(1000000,)) torch.randperm(1000000) F.dropout(x)
torch.empty_like(x).exponential_() torch.multinomial(p,1000)
"""
REDUCTIONS = """
x.sum() m.sum(0) m.sum(1) x.mean() m.mean(0) m.mean(1) x.prod() p.view(1000,1000).prod(0)
p.view(1000,1000).prod(1) x.max() m.max(0) m.max(1) m.min(1) m.amax(0) m.amax(1) m.aminmax(dim=1)
x.argmax() m.argmax(0) m.argmax(1) m.argmin(1) x.var() m.var(0) m.var(1) m.std(1)
torch.var_mean(m,1) x.norm() m.norm(dim=1) m.norm(1,dim=0) torch.linalg.vector_norm(m,3,1)
torch.logsumexp(m,1) torch.logsumexp(m,0) b.any() b.all() b.view(1000,1000).any(1)
torch.count_nonzero(b) m.nansum(1) m.nanmean(1) m.median() m.median(1) m.nanmedian(1)
torch.quantile(m,0.3,1) torch.mode(i.view(1000,1000),1) torch.kthvalue(m,5,1) torch.cumsum(x,0)
torch.cumsum(m,0) torch.cumsum(m,1) torch.cumprod(m,1) torch.cummax(m,1) torch.cummin(m,0)
torch.logcumsumexp(m,1) torch.diff(m) torch.trapezoid(m) torch.dot(x,y) m@n torch.mv(m,x[:1000])
torch.outer(x[:1000],y[:1000]) torch.trace(m) torch.sort(x) torch.sort(m,1) torch.sort(m,0)
torch.argsort(m,1) torch.topk(m,5,1) torch.topk(x,100) torch.unique(i) torch.unique_consecutive(i)
torch.bincount(i) torch.histc(x) torch.searchsorted(s,x) torch.bucketize(x,s) torch.isin(i,k[:9])
torch.cdist(m[:300],n[:300]) torch.allclose(x,x) torch.equal(x,x)
"""
INDEXING = """
x[b] x[i] m[k] m[:,k] m[K,K.t()] x.masked_fill(b,0.0) torch.masked_select(x,b) x.index_select(0,i)
m.index_select(1,k) torch.gather(m,0,K) torch.gather(m,1,K) m.scatter(0,K,n) m.scatter(1,K,n)
m.scatter_add(0,K,n) m.scatter_add(1,K,n) m.scatter_reduce(0,K,n,"amax") m.index_add(0,k,n)
m.index_copy(0,k,n) m.index_fill(0,k,2.0) x.index_put((i,),y) x.index_put((i,),y,accumulate=True)
torch.take(x,i) torch.put(x,i,y) x.masked_scatter(b,y) torch.nonzero(b) torch.argwhere(b)
torch.take_along_dim(m,K,1) F.embedding(K,m[:,:8].contiguous()) F.one_hot(k,1000) m.t().contiguous()
torch.cat([x,y]) torch.stack([m,n],1) torch.flip(m,(0,)) torch.flip(m,(1,)) torch.roll(m,3,1)
torch.tril(m) torch.triu(m) torch.repeat_interleave(x,2) m.repeat(2,2) torch.tile(x,(2,))
torch.rot90(m) torch.diag(x[:1000]) torch.diagonal(m).clone() torch.block_diag(m[:400],n[:400])
m.permute(1,0).reshape(-1) F.pad(m,(1,1)) F.pad(m[None],(1,1),mode="reflect")
F.max_pool2d(m[None,None],2) F.avg_pool2d(m[None,None],2) F.interpolate(m[None,None],scale_factor=2)
F.interpolate(m[None,None],scale_factor=2,mode="bilinear") F.pixel_shuffle(m.view(1,4,500,500),2)
torch.tril_indices(1000,1000) torch.arange(1000000) torch.linspace(0,1,1000000)
torch.kron(m[:30,:30],n[:30,:30])
F.unfold(m[None,None],3) m.unfold(0,4,2).clone() torch.fft.fft(m) torch.fft.rfft(x)
torch.fft.fft2(m)
torch.linalg.lu(m[:300,:300]) torch.linalg.qr(m[:300,:300]) torch.linalg.svd(m[:200,:200])
torch.linalg.solve(m[:300,:300],n[:300]) torch.linalg.inv(m[:300,:300])
torch.linalg.det(m[:300,:300])
torch.linalg.cholesky(m[:300]@m[:300].mT) torch.linalg.eigh(m[:200]@m[:200].mT)
torch.linalg.inv(x[:90000].view(-1,3,3)) torch.linalg.det(x[:64000].view(-1,8,8))
torch.linalg.solve(x[:64000].view(-1,8,8),y[:16000].view(-1,8,2))
torch.linalg.solve_triangular(x[:128000].view(-1,16,16),y[:16000].view(-1,16,2),upper=False)
F.grid_sample(x.view(10,10,100,100),u[:200000].view(10,100,100,2),align_corners=False)
F.conv2d(x.view(4,10,250,100)[:,:3],y[:9600].view(50,3,8,8),stride=8)
F.conv_transpose2d(x[:6400].view(64,100,1,1),y[:409600].view(100,256,4,4))
"""
FAMILIES = {"pointwise": POINTWISE, "reductions": REDUCTIONS, "indexing": INDEXING}


def values(torch, arrays):
    """The names of the cases' expressions for one of the two libraries."""
    found = {name: torch.from_numpy(a.copy()) for name, a in arrays.items()}
    found.update(m=found["x"].view(ROWS), n=found["y"].view(ROWS), torch=torch,
                 F=torch.nn.functional, abs=abs)
    return found


def arrays():
    """The same numbers for both."""
    import numpy as np
    rng = np.random.default_rng(0)
    f32 = np.float32
    return {
        "x": rng.standard_normal(N).astype(f32), "y": rng.standard_normal(N).astype(f32),
        "p": (rng.random(N) * 2 + 0.1).astype(f32), "q": (rng.random(N) * 2 + 0.1).astype(f32),
        "u": ((rng.random(N) * 2 - 1) * 0.999).astype(f32), "i": rng.integers(1, 100, N),
        "j": rng.integers(1, 100, N), "b": rng.random(N) < 0.5, "c": rng.random(N) < 0.5,
        "k": rng.permutation(1000), "K": rng.integers(0, 1000, ROWS),
        "s": np.sort(rng.standard_normal(1000)).astype(f32),
    }


def cases(names):
    """(family, expression) of all cases, or of those that contain one of the names."""
    for family, text in FAMILIES.items():
        for expression in text.split():
            if not names or any(name in expression for name in names):
                yield family, expression


def gradient(torch, names, expression):
    """A function that computes the gradients of the case's floating inputs; None without any."""
    leaves = [t for t in names.values() if isinstance(t, torch.Tensor)
              and t.is_floating_point() and t.is_leaf and t._base is None]
    for t in leaves:
        t.requires_grad_()
    names.update(m=names["x"].view(ROWS), n=names["y"].view(ROWS))
    out = eval(expression, names)
    out = out[0] if isinstance(out, tuple) else out
    if not isinstance(out, torch.Tensor) or not out.requires_grad:
        return None
    weight = torch.ones_like(out)
    return lambda: torch.autograd.grad(out, leaves, weight, retain_graph=True, allow_unused=True)


def best(functions, rounds, clock):
    """The fastest time of each function, measured by turns."""
    found = [float("inf")] * len(functions)
    for _ in range(rounds):
        for k, function in enumerate(functions):
            start = clock()
            function()
            found[k] = min(found[k], clock() - start)
    return found


def measure(expression, libraries, rounds, backward, clock):
    """(ratio, seconds of retrograd, seconds of PyTorch); None where there is nothing to time."""
    functions = []
    for torch, names in libraries:
        code = compile(expression, expression, "eval")
        function = gradient(torch, dict(names), expression) if backward else (
            lambda code=code, names=names: eval(code, names))
        if function is None:
            return None
        function()                             # the first call compiles
        functions.append(function)
    ours, theirs = best(functions, rounds, clock)
    return ours / theirs, ours, theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of the cases' expressions")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--above", type=float, default=0, help="print only ratios above this")
    parser.add_argument("--threads", type=int, help="threads of both libraries")
    parser.add_argument("--backward", action="store_true", help="time the gradients")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    import torch

    import retrograd
    numbers, libraries, ratios = arrays(), [], []
    for library in (retrograd, torch):
        if options.threads:
            library.set_num_threads(options.threads)
        libraries.append((library, numbers))
    print("| operator | ratio | retrograd, us | PyTorch, us |\n|---|---|---|---|")
    plain = [(library, values(library, numbers)) for library, _ in libraries]
    for _, expression in cases(options.names):
        given = [(library, values(library, numbers)) for library, _ in libraries] \
            if options.backward else plain
        try:
            found = measure(expression, given, options.rounds, options.backward,
                            time.thread_time if options.threads == 1 else time.perf_counter)
        except Exception as error:             # a case that fails is a line of the table
            print(f"| `{expression}` | {type(error).__name__}: {str(error)[:60]} | | |", flush=True)
            continue
        if found is None:
            continue
        ratio, ours, theirs = found
        ratios.append(ratio)
        if ratio > options.above:
            print(f"| `{expression}` | {ratio:.2f} | {ours * 1e6:,.0f} | {theirs * 1e6:,.0f} |",
                  flush=True)
    print(f"\n{len(ratios)} operators: geometric mean {statistics.geometric_mean(ratios):.2f}, "
          f"median {statistics.median(ratios):.2f}, {sum(r > 5 for r in ratios)} above 5")


if __name__ == "__main__":
    main()
