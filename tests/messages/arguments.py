# --- torch.addmm(torch.ones(3, 5), x, y, alpha="a")
x = torch.arange(12.).reshape(3, 4)
y = torch.arange(20.).reshape(4, 5)
torch.addmm(torch.ones(3, 5), x, y, alpha="a")

# --- torch.cdist(x, d)
x = torch.arange(12.).reshape(3, 4); d = torch.arange(12.).reshape(3, 4).double(); torch.cdist(x, d)

# --- torch.clamp(v, "a")
v = torch.arange(3.); torch.clamp(v, "a")

# --- torch.clamp(v, min=v, max=1)
v = torch.arange(3.); torch.clamp(v, min=v, max=1)

# --- torch.cross(v, w)
v = torch.arange(3.); w = torch.arange(4.); torch.cross(v, w)

# --- torch.cumsum(x, "a")
x = torch.arange(12.).reshape(3, 4); torch.cumsum(x, "a")

# --- torch.max(v, "a")
v = torch.arange(3.); torch.max(v, "a")

# --- torch.max(v, 0, 1, 2)
v = torch.arange(3.); torch.max(v, 0, 1, 2)

# --- torch.sin(v, out=[1])
v = torch.arange(3.); torch.sin(v, out=[1])

# --- torch.tensordot(x, y, dims="a")
x = torch.arange(12.).reshape(3, 4)
y = torch.arange(20.).reshape(4, 5)
torch.tensordot(x, y, dims="a")

# --- torch.tensordot(x, y, dims=([0, 1], [0]))
x = torch.arange(12.).reshape(3, 4)
y = torch.arange(20.).reshape(4, 5)
torch.tensordot(x, y, dims=([0, 1], [0]))

# --- torch.tensordot(x, y, dims=([5], [0]))
x = torch.arange(12.).reshape(3, 4)
y = torch.arange(20.).reshape(4, 5)
torch.tensordot(x, y, dims=([5], [0]))

# --- v & m
v = torch.arange(3.); m = torch.arange(12.).reshape(3, 4) > 5; v & m

# --- v ^ m
v = torch.arange(3.); m = torch.arange(12.).reshape(3, 4) > 5; v ^ m

# --- torch.linalg.cond(x, 3)
x = torch.arange(12.).reshape(3, 4); torch.linalg.cond(x, 3)

# --- torch.as_strided(v, (2,), (1,), -1)
v = torch.arange(3.); torch.as_strided(v, (2,), (1,), -1)

# --- torch.ones(3, out=[1])
torch.ones(3, out=[1])

# --- torch.tensor([1, 2], dtype="int")
torch.tensor([1, 2], dtype="int")

# --- torch.zeros(2, 3, layout="strided")
torch.zeros(2, 3, layout="strided")

# --- torch.zeros(2, device=1.5)
torch.zeros(2, device=1.5)

# --- torch.zeros(2, dtype="float32")
torch.zeros(2, dtype="float32")

# --- torch.zeros(2, dtype=np.float32)
torch.zeros(2, dtype=np.float32)

# --- torch.zeros(2, requires_grad="yes")
torch.zeros(2, requires_grad="yes")

# --- torch.func.functional_call(nn.Linear(1, 1), 3, (v,))
v = torch.arange(3.); torch.func.functional_call(nn.Linear(1, 1), 3, (v,))

# --- torch.func.grad(lambda x: (x.sum() * 1j))(v)
v = torch.arange(3.); torch.func.grad(lambda x: (x.sum() * 1j))(v)

# --- torch.func.jacfwd(lambda x: x, randomness="foo")(v)
v = torch.arange(3.); torch.func.jacfwd(lambda x: x, randomness="foo")(v)

# --- torch.func.jacrev(lambda x: x, chunk_size=-1)
torch.func.jacrev(lambda x: x, chunk_size=-1)

# --- torch.func.vjp(lambda x: x, v)[1](3)
v = torch.arange(3.); torch.func.vjp(lambda x: x, v)[1](3)

# --- torch.func.vmap(lambda x: float(x))(v)
v = torch.arange(3.); torch.func.vmap(lambda x: float(x))(v)

# --- x.gather(j, 0)
x = torch.arange(12.).reshape(3, 4); j = torch.zeros(3, 4, dtype=torch.int64); x.gather(j, 0)

# --- x.index_add(0, i, x, alpha="a")
x = torch.arange(12.).reshape(3, 4); i = torch.tensor([0, 1, 2]); x.index_add(0, i, x, alpha="a")

# --- x.index_fill(0, i, "a")
x = torch.arange(12.).reshape(3, 4); i = torch.tensor([0, 1, 2]); x.index_fill(0, i, "a")

# --- x.index_fill(0, j, 1)
x = torch.arange(12.).reshape(3, 4); j = torch.zeros(3, 4, dtype=torch.int64); x.index_fill(0, j, 1)

# --- x.index_select("a", i)
x = torch.arange(12.).reshape(3, 4); i = torch.tensor([0, 1, 2]); x.index_select("a", i)

# --- x.masked_fill(m, "a")
x = torch.arange(12.).reshape(3, 4); m = torch.arange(12.).reshape(3, 4) > 5; x.masked_fill(m, "a")

# --- x.masked_fill(m, None)
x = torch.arange(12.).reshape(3, 4); m = torch.arange(12.).reshape(3, 4) > 5; x.masked_fill(m, None)

# --- x.narrow(0, 1.5, 1)
x = torch.arange(12.).reshape(3, 4); x.narrow(0, 1.5, 1)

# --- x.scatter(0, j, "a")
x = torch.arange(12.).reshape(3, 4); j = torch.zeros(3, 4, dtype=torch.int64); x.scatter(0, j, "a")

# --- x.select("a", 0)
x = torch.arange(12.).reshape(3, 4); x.select("a", 0)

# --- x.select(0, 1.5)
x = torch.arange(12.).reshape(3, 4); x.select(0, 1.5)

# --- x.unbind("a")
x = torch.arange(12.).reshape(3, 4); x.unbind("a")

# --- z.H
z = torch.arange(24.).reshape(2, 3, 4); z.H

# --- torch.where("a", x, x)
x = torch.arange(12.).reshape(3, 4); torch.where("a", x, x)

# --- torch.where(m, x)
m = torch.arange(12.).reshape(3, 4) > 5; x = torch.arange(12.).reshape(3, 4); torch.where(m, x)

# --- torch.where(m, 1e300, 0.0)
m = torch.arange(4.) > 1; torch.where(m, 1e300, 0.0)

# --- torch.where(m, 0, 2**70)
m = torch.arange(4.) > 1; torch.where(m, 0, 2**70)

# --- torch.where(True, x, x)
x = torch.arange(12.).reshape(3, 4); torch.where(True, x, x)

# --- v.H
v = torch.arange(3.); v.H

# --- v.mT
v = torch.arange(3.); v.mT

# --- v.to(3)
v = torch.arange(3.); v.to(3)

# --- v.to(float)
v = torch.arange(3.); v.to(float)

# --- v.type_as("a")
v = torch.arange(3.); v.type_as("a")

# --- v.type_as(3)
v = torch.arange(3.); v.type_as(3)

# --- v.add_(c[0])
v = torch.arange(3.); c = torch.arange(12.).reshape(3, 4) + 1j; v.add_(c[0])

# --- x.index_put(i, v)
x = torch.arange(12.).reshape(3, 4)
i = torch.tensor([0, 1, 2])
v = torch.arange(3.)
x.index_put(i, v)

# --- v.to(dtype="float")
v = torch.arange(3.); v.to(dtype="float")

# --- v.to(np.float32)
v = torch.arange(3.); v.to(np.float32)

# --- F.cross_entropy(x, i, label_smoothing=-0.1)
x = torch.arange(12.).reshape(3, 4)
i = torch.tensor([0, 1, 2])
F.cross_entropy(x, i, label_smoothing=-0.1)

# --- F.cross_entropy(w, i)
w = torch.arange(4.); i = torch.tensor([0, 1, 2]); F.cross_entropy(w, i)

# --- F.cross_entropy(x)
x = torch.arange(12.).reshape(3, 4); F.cross_entropy(x)

# --- F.mse_loss(v)
v = torch.arange(3.); F.mse_loss(v)

# --- torch.device("cpu", "a")
torch.device("cpu", "a")

# --- torch.fft.fftfreq(-1)
torch.fft.fftfreq(-1)

# --- torch.fft.fftfreq(0)
torch.fft.fftfreq(0)

# --- torch.fft.fftfreq(2.5)
torch.fft.fftfreq(2.5)

# --- torch.fft.fftshift(x, dim=3)
x = torch.arange(12.).reshape(3, 4); torch.fft.fftshift(x, dim=3)

# --- torch.istft(torch.ones(3, 5) + 0j, 8)
torch.istft(torch.ones(3, 5) + 0j, 8)

# --- torch.istft(v, 4)
v = torch.arange(3.); torch.istft(v, 4)

# --- torch.linalg.cond(x, "foo")
x = torch.arange(12.).reshape(3, 4); torch.linalg.cond(x, "foo")

# --- torch.linalg.cond(v)
v = torch.arange(3.); torch.linalg.cond(v)

# --- torch.linalg.eigvalsh(k)
k = torch.arange(12).reshape(3, 4); torch.linalg.eigvalsh(k)

# --- torch.linalg.lu_factor(v)
v = torch.arange(3.); torch.linalg.lu_factor(v)

# --- torch.linalg.matrix_rank(x, hermitian=True)
x = torch.arange(12.).reshape(3, 4); torch.linalg.matrix_rank(x, hermitian=True)

# --- torch.linalg.pinv(x, hermitian=True)
x = torch.arange(12.).reshape(3, 4); torch.linalg.pinv(x, hermitian=True)

# --- torch.linalg.solve(q, w)
q = torch.eye(3) + 1; w = torch.arange(4.); torch.linalg.solve(q, w)

# --- torch.linalg.svdvals(s)
s = torch.tensor(2.); torch.linalg.svdvals(s)

# --- torch.logdet(x)
x = torch.arange(12.).reshape(3, 4); torch.logdet(x)

# --- torch.stft(v.repeat(10), 4, hop_length=0, return_complex=True)
v = torch.arange(3.); torch.stft(v.repeat(10), 4, hop_length=0, return_complex=True)

# --- torch.stft(v.repeat(10), 4, win_length=5, return_complex=True)
v = torch.arange(3.); torch.stft(v.repeat(10), 4, win_length=5, return_complex=True)

# --- torch.stft(v.repeat(10), 4, window=v, return_complex=True)
v = torch.arange(3.); torch.stft(v.repeat(10), 4, window=v, return_complex=True)

# --- torch.stft of less than a window that is shorter than a frame
torch.stft(torch.ones(6), 8, 2, 5, torch.ones(5), center=False, return_complex=True)

# --- torch.stft of a frame that is padded beyond the signal
torch.stft(torch.ones(3, 4), 10, window=torch.ones(10), return_complex=True)

# --- torch.stft of too many dimensions
torch.stft(torch.ones(1, 1, 2, 50), 4, window=torch.ones(4), return_complex=True)

# --- torch.stft centred and aligned
torch.stft(torch.ones(9), 4, window=torch.ones(4), return_complex=True, align_to_window=True)

# --- torch.istft where no window covers the signal's ends
c = torch.ones(5, 4) + 0j; torch.istft(c, 8, window=torch.hann_window(8), center=False)

# --- torch.istft of half a spectrum to a complex signal
torch.istft(torch.ones(5, 4) + 0j, 8, window=torch.ones(8), return_complex=True)

# --- torch.istft by a complex window to a real signal
torch.istft(torch.ones(5, 4) + 0j, 8, window=torch.ones(8) + 0j)

# --- torch.triangular_solve(x, x)
x = torch.arange(12.).reshape(3, 4); torch.triangular_solve(x, x)

# --- torch.istft(x, 4)
x = torch.arange(12.).reshape(3, 4); torch.istft(x, 4)

# --- torch.istft(c, 6)
c = torch.arange(12.).reshape(3, 4) + 1j; torch.istft(c, 6)

# --- torch.istft(c, 4, window=v)
c = torch.arange(12.).reshape(3, 4) + 1j; v = torch.arange(3.); torch.istft(c, 4, window=v)

# --- torch.triangular_solve(w[:, None], q)
w = torch.arange(4.); q = torch.eye(3) + 1; torch.triangular_solve(w[:, None], q)

# --- torch.triangular_solve(v, q)
v = torch.arange(3.); q = torch.eye(3) + 1; torch.triangular_solve(v, q)

# --- torch.linalg.solve(q, w, left=False)
q = torch.eye(3) + 1; w = torch.arange(4.); torch.linalg.solve(q, w, left=False)

# --- torch.device(3.5)
torch.device(3.5)

# --- F.conv2d(image)
image = torch.ones(2, 3, 8, 8); F.conv2d(image)

# --- F.conv2d(image, "a")
image = torch.ones(2, 3, 8, 8); F.conv2d(image, "a")

# --- F.grid_sample(image, x)
image = torch.ones(2, 3, 8, 8); x = torch.arange(12.).reshape(3, 4); F.grid_sample(image, x)

# --- F.grid_sample(image, torch.ones(2, 2, 2, 2).double())
image = torch.ones(2, 3, 8, 8); F.grid_sample(image, torch.ones(2, 2, 2, 2).double())

# --- F.hardtanh(u)
u = torch.arange(12).reshape(3, 4).to(torch.uint8); F.hardtanh(u)

# --- F.interpolate(image, scale_factor=-1)
image = torch.ones(2, 3, 8, 8); F.interpolate(image, scale_factor=-1)

# --- F.interpolate(image, size=0)
image = torch.ones(2, 3, 8, 8); F.interpolate(image, size=0)

# --- F.layer_norm(x, 4)
x = torch.arange(12.).reshape(3, 4); F.layer_norm(x, 4)

# --- F.leaky_relu(v, "a")
v = torch.arange(3.); F.leaky_relu(v, "a")

# --- F.pad(x, "a")
x = torch.arange(12.).reshape(3, 4); F.pad(x, "a")

# --- F.pad(x, (1.5, 1))
x = torch.arange(12.).reshape(3, 4); F.pad(x, (1.5, 1))

# --- F.pad(x, 1)
x = torch.arange(12.).reshape(3, 4); F.pad(x, 1)

# --- F.prelu(x, x)
x = torch.arange(12.).reshape(3, 4); F.prelu(x, x)

# --- F.threshold(v, "a", 1)
v = torch.arange(3.); F.threshold(v, "a", 1)

# --- nn.Conv2d(3, 4, 3)("a")
nn.Conv2d(3, 4, 3)("a")

# --- nn.Conv2d(3, 4, 3)(None)
nn.Conv2d(3, 4, 3)(None)

# --- nn.Conv2d(3, 4, 3, padding=2, padding_mode="reflect")(torch.ones(1, 3, 2, 2))
nn.Conv2d(3, 4, 3, padding=2, padding_mode="reflect")(torch.ones(1, 3, 2, 2))

# --- nn.Embedding(3, 4)(0)
nn.Embedding(3, 4)(0)

# --- nn.Embedding(3, 4)(m)
m = torch.arange(12.).reshape(3, 4) > 5; nn.Embedding(3, 4)(m)

# --- nn.Embedding(3, 4)([0, 1])
nn.Embedding(3, 4)([0, 1])

# --- nn.Linear(3, 2)("a")
nn.Linear(3, 2)("a")

# --- nn.Linear(3, 2)(None)
nn.Linear(3, 2)(None)

# --- nn.Linear(3, 2)([1., 2., 3.])
nn.Linear(3, 2)([1., 2., 3.])

# --- nn.Linear(3, 2)(np.ones(3))
nn.Linear(3, 2)(np.ones(3))

# --- nn.MaxPool2d("a")(image)
image = torch.ones(2, 3, 8, 8); nn.MaxPool2d("a")(image)

# --- nn.Module().to(3)
nn.Module().to(3)

# --- nn.MultiheadAttention(4, 2)(z, z, z, key_padding_mask=torch.ones(4, 4).bool())
z = torch.arange(24.).reshape(2, 3, 4)
nn.MultiheadAttention(4, 2)(z, z, z, key_padding_mask=torch.ones(4, 4).bool())

# --- nn.ReflectionPad2d(8)(image)
image = torch.ones(2, 3, 8, 8); nn.ReflectionPad2d(8)(image)

# --- nn.utils.clip_grad_norm_(p, "a")
p = nn.Parameter(torch.ones(3, 4)); nn.utils.clip_grad_norm_(p, "a")

# --- torch.nn.utils.rnn.pad_sequence([v, "a"])
v = torch.arange(3.); torch.nn.utils.rnn.pad_sequence([v, "a"])

# --- nn.ConstantPad2d(1)
nn.ConstantPad2d(1)

# --- nn.Conv1d(3, 4)
nn.Conv1d(3, 4)

# --- nn.Conv2d(3, 4)
nn.Conv2d(3, 4)

# --- nn.Conv2d(3, 4, 3)()
nn.Conv2d(3, 4, 3)()

# --- torch.amp.GradScaler("cpu").step(torch.optim.SGD([p], lr=1.))
p = nn.Parameter(torch.ones(3, 4)); torch.amp.GradScaler("cpu").step(torch.optim.SGD([p], lr=1.))

# --- torch.amp.GradScaler("cpu").unscale_(torch.optim.SGD([p], lr=1.))
p = nn.Parameter(torch.ones(3, 4))
torch.amp.GradScaler("cpu").unscale_(torch.optim.SGD([p], lr=1.))

# --- torch.amp.GradScaler("cpu").update(v)
v = torch.arange(3.); torch.amp.GradScaler("cpu").update(v)

# --- torch.optim.Adam([p], betas=(0.9,))
p = nn.Parameter(torch.ones(3, 4)); torch.optim.Adam([p], betas=(0.9,))

# --- x.amin("a")
x = torch.arange(12.).reshape(3, 4); x.amin("a")

# --- x.any("a")
x = torch.arange(12.).reshape(3, 4); x.any("a")

# --- x.argmax("a")
x = torch.arange(12.).reshape(3, 4); x.argmax("a")

# --- x.argmax(dim=(0, 1))
x = torch.arange(12.).reshape(3, 4); x.argmax(dim=(0, 1))

# --- x.argsort(dim="a")
x = torch.arange(12.).reshape(3, 4); x.argsort(dim="a")

# --- x.count_nonzero("a")
x = torch.arange(12.).reshape(3, 4); x.count_nonzero("a")

# --- x.cumsum(dim=(0, 1))
x = torch.arange(12.).reshape(3, 4); x.cumsum(dim=(0, 1))

# --- x.kthvalue("a")
x = torch.arange(12.).reshape(3, 4); x.kthvalue("a")

# --- x.logsumexp("a")
x = torch.arange(12.).reshape(3, 4); x.logsumexp("a")

# --- x.max(dim="a")
x = torch.arange(12.).reshape(3, 4); x.max(dim="a")

# --- x.max(dim=(0, 1))
x = torch.arange(12.).reshape(3, 4); x.max(dim=(0, 1))

# --- x.mean("a")
x = torch.arange(12.).reshape(3, 4); x.mean("a")

# --- x.median(dim=(0, 1))
x = torch.arange(12.).reshape(3, 4); x.median(dim=(0, 1))

# --- x.prod((0, 1))
x = torch.arange(12.).reshape(3, 4); x.prod((0, 1))

# --- x.quantile("a")
x = torch.arange(12.).reshape(3, 4); x.quantile("a")

# --- x.softmax("a")
x = torch.arange(12.).reshape(3, 4); x.softmax("a")

# --- x.sort("a")
x = torch.arange(12.).reshape(3, 4); x.sort("a")

# --- x.sort(0, 1, 2)
x = torch.arange(12.).reshape(3, 4); x.sort(0, 1, 2)

# --- x.std("a")
x = torch.arange(12.).reshape(3, 4); x.std("a")

# --- x.std(correction="a")
x = torch.arange(12.).reshape(3, 4); x.std(correction="a")

# --- x.sum("a")
x = torch.arange(12.).reshape(3, 4); x.sum("a")

# --- x.sum(0, "a")
x = torch.arange(12.).reshape(3, 4); x.sum(0, "a")

# --- x.sum(0, 1)
x = torch.arange(12.).reshape(3, 4); x.sum(0, 1)

# --- x.sum(dim=1.5)
x = torch.arange(12.).reshape(3, 4); x.sum(dim=1.5)

# --- x.sum(dim=[0, "a"])
x = torch.arange(12.).reshape(3, 4); x.sum(dim=[0, "a"])

# --- x.sum(keepdim=True)
x = torch.arange(12.).reshape(3, 4); x.sum(keepdim=True)

# --- x.topk("a")
x = torch.arange(12.).reshape(3, 4); x.topk("a")

# --- x.topk(2.5)
x = torch.arange(12.).reshape(3, 4); x.topk(2.5)

# --- torch.amax(x, "a")
x = torch.arange(12.).reshape(3, 4); torch.amax(x, "a")

# --- torch.corrcoef(z)
z = torch.arange(24.).reshape(2, 3, 4); torch.corrcoef(z)

# --- torch.max(x, dim=0, keepdim="a")
x = torch.arange(12.).reshape(3, 4); torch.max(x, dim=0, keepdim="a")

# --- torch.mean(x, keepdim=True)
x = torch.arange(12.).reshape(3, 4); torch.mean(x, keepdim=True)

# --- torch.prod(x, 0, 1, 2)
x = torch.arange(12.).reshape(3, 4); torch.prod(x, 0, 1, 2)

# --- torch.softmax(x, dim=None)
x = torch.arange(12.).reshape(3, 4); torch.softmax(x, dim=None)

# --- torch.sum(x, dim=v)
x = torch.arange(12.).reshape(3, 4); v = torch.arange(3.); torch.sum(x, dim=v)

# --- x.max(0, 1)
x = torch.arange(12.).reshape(3, 4); x.max(0, 1)

# --- x.amax(0, 1)
x = torch.arange(12.).reshape(3, 4); x.amax(0, 1)

# --- x.std(0, 1)
x = torch.arange(12.).reshape(3, 4); x.std(0, 1)

# --- x.all(0, 1)
x = torch.arange(12.).reshape(3, 4); x.all(0, 1)

# --- x.logsumexp(0, 1)
x = torch.arange(12.).reshape(3, 4); x.logsumexp(0, 1)

# --- x.median(0, 1)
x = torch.arange(12.).reshape(3, 4); x.median(0, 1)

# --- x.prod(0, 1)
x = torch.arange(12.).reshape(3, 4); x.prod(0, 1)

# --- x.argmax(0, 1)
x = torch.arange(12.).reshape(3, 4); x.argmax(0, 1)

# --- x.count_nonzero(0, 1)
x = torch.arange(12.).reshape(3, 4); x.count_nonzero(0, 1)

# --- x.expand("a")
x = torch.arange(12.).reshape(3, 4); x.expand("a")

# --- x.expand(-1, 3, 4)
x = torch.arange(12.).reshape(3, 4); x.expand(-1, 3, 4)

# --- x.flatten("a")
x = torch.arange(12.).reshape(3, 4); x.flatten("a")

# --- x.flip("a")
x = torch.arange(12.).reshape(3, 4); x.flip("a")

# --- x.permute("a")
x = torch.arange(12.).reshape(3, 4); x.permute("a")

# --- x.permute(0, 1.5)
x = torch.arange(12.).reshape(3, 4); x.permute(0, 1.5)

# --- x.repeat(-1, 1)
x = torch.arange(12.).reshape(3, 4); x.repeat(-1, 1)

# --- x.repeat(-1, -2)
x = torch.arange(12.).reshape(3, 4); x.repeat(-1, -2)

# --- repeat of no elements
print(torch.zeros(0, 2).repeat(-1, 2))

# --- adaptive_max_pool2d of two negative sizes
import torch.nn.functional as F
F.adaptive_max_pool2d(torch.ones(1, 1, 4, 4), (-1, -2))

# --- adaptive_avg_pool2d of a vector
import torch.nn.functional as F
F.adaptive_avg_pool2d(torch.ones(2), 1)

# --- adaptive_avg_pool3d of a matrix
import torch.nn.functional as F
F.adaptive_avg_pool3d(torch.ones(2, 3), 1)

# --- adaptive_max_pool2d of a matrix, one size kept
import torch.nn.functional as F
F.adaptive_max_pool2d(torch.ones(2, 3), (None, 2))

# --- x.repeat_interleave(2.5)
x = torch.arange(12.).reshape(3, 4); x.repeat_interleave(2.5)

# --- x.reshape("a")
x = torch.arange(12.).reshape(3, 4); x.reshape("a")

# --- x.reshape(2.5, 3)
x = torch.arange(12.).reshape(3, 4); x.reshape(2.5, 3)

# --- x.roll("a")
x = torch.arange(12.).reshape(3, 4); x.roll("a")

# --- x.split(v)
x = torch.arange(12.).reshape(3, 4); v = torch.arange(3.); x.split(v)

# --- x.squeeze("a")
x = torch.arange(12.).reshape(3, 4); x.squeeze("a")

# --- x.squeeze(0, 1)
x = torch.arange(12.).reshape(3, 4); x.squeeze(0, 1)

# --- x.tile((-1,))
x = torch.arange(12.).reshape(3, 4); x.tile((-1,))

# --- x.transpose(0, "a")
x = torch.arange(12.).reshape(3, 4); x.transpose(0, "a")

# --- x.unflatten(0, 3)
x = torch.arange(12.).reshape(3, 4); x.unflatten(0, 3)

# --- x.unflatten(1, (-1, 3))
x = torch.arange(12.).reshape(3, 4); x.unflatten(1, (-1, 3))

# --- x.unfold("a", 2, 1)
x = torch.arange(12.).reshape(3, 4); x.unfold("a", 2, 1)

# --- x.unsqueeze("a")
x = torch.arange(12.).reshape(3, 4); x.unsqueeze("a")

# --- x.unsqueeze((0, 1))
x = torch.arange(12.).reshape(3, 4); x.unsqueeze((0, 1))

# --- x.unsqueeze(1.5)
x = torch.arange(12.).reshape(3, 4); x.unsqueeze(1.5)

# --- x.unsqueeze(None)
x = torch.arange(12.).reshape(3, 4); x.unsqueeze(None)

# --- x.view("a")
x = torch.arange(12.).reshape(3, 4); x.view("a")

# --- x.view((3, 4), 1)
x = torch.arange(12.).reshape(3, 4); x.view((3, 4), 1)

# --- x.view(2.5, 3)
x = torch.arange(12.).reshape(3, 4); x.view(2.5, 3)

# --- x.view(None)
x = torch.arange(12.).reshape(3, 4); x.view(None)

# --- x.view([3, "a"])
x = torch.arange(12.).reshape(3, 4); x.view([3, "a"])

# --- torch.cat([x, x], "a")
x = torch.arange(12.).reshape(3, 4); torch.cat([x, x], "a")

# --- torch.cat([x, x], 1.5)
x = torch.arange(12.).reshape(3, 4); torch.cat([x, x], 1.5)

# --- torch.chunk(x, "a")
x = torch.arange(12.).reshape(3, 4); torch.chunk(x, "a")

# --- torch.chunk(x, 1.5)
x = torch.arange(12.).reshape(3, 4); torch.chunk(x, 1.5)

# --- torch.split(x, "a")
x = torch.arange(12.).reshape(3, 4); torch.split(x, "a")

# --- torch.split(x, 1.5)
x = torch.arange(12.).reshape(3, 4); torch.split(x, 1.5)

# --- torch.stack([v, v], "a")
v = torch.arange(3.); torch.stack([v, v], "a")

# --- v += c[0]
v = torch.arange(3.); c = torch.arange(12.).reshape(3, 4) + 1j; v += c[0]

# --- v.resize_("a")
v = torch.arange(3.); v.resize_("a")

# --- x.expand(2, -1, 3, 4)
x = torch.arange(12.).reshape(3, 4); x.expand(2, -1, 3, 4)

# --- hardshrink with text for a number
torch.hardshrink(torch.ones(3), "a")

# --- hardshrink of nn.functional with text for a number
F.hardshrink(torch.ones(3), "a")

# --- softshrink with text for a number
F.softshrink(torch.ones(3), "a")

# --- sizes of a Fourier transform in a tensor
torch.fft.fft2(torch.ones(4, 4), s=torch.tensor([2, 2]))

# --- sizes of a Fourier transform in a tensor, by place
torch.fft.fftn(torch.ones(4, 4), torch.tensor([2, 2]))

# --- a tensor for the factor of add
torch.add(torch.ones(3), torch.ones(3), torch.ones(3))

# --- a tensor for the factor of the method add
torch.ones(3).add(torch.ones(3), torch.ones(3))

# --- pin_memory without an accelerator
torch.ones(3).pin_memory()

# --- a factor of a window without those before it
torch.kaiser_window(5, beta=8.)

# --- the second factor of a window without the first
torch.hamming_window(5, True, beta=0.5)

# --- a number for a window's flag
torch.hann_window(5, 1)

# --- too many factors of a window
torch.bartlett_window(5, True, 0.5)

# --- a window without a length
torch.blackman_window()

# --- a flag for the length of a window
torch.hann_window(True)

# --- a window with what it takes
R = torch.kaiser_window(5, periodic=False, beta=8.), torch.hamming_window(4, True, torch.tensor(0.5), 0.5), torch.bartlett_window(torch.tensor(4))

# --- a wrong type beside a dimension out of range
torch.ones(3).index_select(-7, 5)

# --- a wrong type beside a wrong number of dimensions
torch.ones(2, 3).diag_embed([1.5])

# --- lists beside a number of dimensions
torch.ones(2, 3).moveaxis(1, [0, 1])

# --- no int where a method computes long
torch.ones(3, 3).matrix_power(2.5)

# --- no flag where a method computes long
torch.ones(2).cholesky_inverse(2)

# --- a number for a rank
torch.ones(2).mvlgamma(1.5)

# --- a tensor for a setting of a convolution
torch.conv_transpose2d(torch.ones(3, 3), torch.ones(2, 3), stride=torch.ones(2))

# --- a wrong flag where shapes are wrong, too
F.softplus(torch.ones(2), torch.ones(3))

# --- pooling of what has too few dimensions, with the places
F.adaptive_max_pool2d(torch.ones(2), 1, return_indices=True)

# --- pooling by a power of what has too few dimensions
F.lp_pool1d(torch.ones(3), 2, 3)

# --- no flag for the training of a dropout
F.dropout(torch.ones(2), 0.5, "yes")

# --- no flag for a dropout of channels in place
F.dropout2d(torch.ones(2, 2, 2, 2), 0.5, 1, True)

# --- no tensor for a dropout of SELU that is trained
F.alpha_dropout("a", 0.5, True)

# --- shapes that do not broadcast, of integers only
torch.ones(3, 3).gcd_(torch.ones(2, 3, 4))

# --- shapes that do not broadcast, of an order
torch.ones(3, 3, dtype=torch.complex64) <= torch.ones(4)

# --- too small a target, of integers only
torch.ones(3).lcm_(torch.ones(2, 3))

# --- too small a target, of complex numbers in order
torch.ones(3, dtype=torch.complex64).less_(torch.ones(3, 3))

# --- too small a target that cannot hold the dtype either
torch.tensor(3).mul_(torch.ones(3))

# --- complex maxima come before their shapes
torch.fmin(torch.ones(3, dtype=torch.complex64), torch.ones(4))

# --- conv_tbc of two dimensions
F.conv_tbc(torch.ones(2, 2), torch.ones(2, 2, 2), torch.ones(2))

# --- conv_tbc by a weight of two dimensions
F.conv_tbc(torch.ones(2, 2, 2), torch.ones(2, 2), torch.ones(2))

# --- conv_tbc with other channels
F.conv_tbc(torch.ones(2, 2, 2), torch.ones(2, 3, 2), torch.ones(2))

# --- conv_tbc with too many biases
F.conv_tbc(torch.ones(2, 2, 2), torch.ones(2, 2, 2), torch.ones(3))

# --- names of first arguments
R = F.one_hot(input=torch.tensor([1])), torch.unsafe_split(input=torch.arange(3), split_size=2)

# --- x.to("mps")
torch.ones(2).to("mps")

# --- torch.tensor(1., device="xla")
torch.tensor(1., device="xla")

# --- torch.load: a pickle that torch.save did not write
import io, pickle
torch.load(io.BytesIO(pickle.dumps([1], protocol=2)), weights_only=False)

# --- torch.stft(return_complex=False)
R = torch.stft(torch.ones(8), 4, window=torch.ones(4), return_complex=False).shape

# --- torch.stft without a window, real or complex
torch.stft(torch.ones(8), 4)

# --- torch.meshgrid of a vector and a matrix of another dtype
torch.meshgrid(torch.arange(3), torch.ones(2, 2))

# --- torch.bernoulli of complex probabilities
torch.bernoulli(torch.ones(2) + 0j)

# --- torch.histc of complex numbers in their own range
torch.histc(torch.ones(2) + 0j)

# --- torch.histc of complex numbers in a range
torch.histc(torch.ones(2) + 0j, 4, 0, 1)
