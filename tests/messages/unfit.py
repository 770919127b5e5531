# --- torch.broadcast_to(x, 3)
torch.broadcast_to(torch.tensor(1.5), 3)

# --- x.nan_to_num("a")
torch.ones(2).nan_to_num("a")

# --- torch.nan_to_num(x, None, None, [1])
torch.nan_to_num(torch.ones(2), None, None, [1])

# --- x[bytes] = number
x = torch.zeros(2, 2); x[torch.eye(2, dtype=torch.uint8)] = 9

# --- x[0, bytes] = number
x = torch.zeros(2, 2); x[0, torch.eye(2, dtype=torch.uint8)[0]] = torch.tensor([9.])

# --- x[bytes of another shape] = number
x = torch.zeros(2, 2); x[torch.zeros(3, 2, dtype=torch.uint8)] = 9

# --- index_put with a number at bytes
torch.zeros(2).index_put((torch.ones(2, dtype=torch.uint8),), torch.tensor(9.))

# --- masked_fill: shapes before dtypes
torch.zeros(2, 2).masked_fill(torch.zeros(3), 1)

# --- masked_fill: dimensions of the value before the mask's dtype
torch.zeros(2, 2).masked_fill(torch.eye(2), torch.zeros(3))

# --- masked_fill_: dimensions of the value before shapes
torch.zeros(2, 2).masked_fill_(torch.zeros(3), torch.zeros(3))

# --- scatter from too few dimensions
torch.zeros(2, 2).scatter(0, torch.zeros(2, 2).long(), torch.zeros(3))

# --- scatter_add from too few dimensions
torch.zeros(2, 2).scatter_add(0, torch.zeros(2, 2).long(), torch.zeros(3))

# --- slice_scatter in steps of 0
torch.slice_scatter(torch.ones(2), torch.ones(2), 0, 0, 2, 0)

# --- slice_scatter backwards
torch.slice_scatter(torch.ones(2), torch.ones(2), 0, 0, 2, -1)

# --- as_strided to -1
torch.ones(2).as_strided((-1,), (1,))

# --- lu_unpack of vectors
torch.lu_unpack(torch.ones(3), torch.ones(3).int())

# --- lu_unpack with pivots that are no integers
torch.lu_unpack(torch.eye(2), torch.ones(2))

# --- affine_grid of two maps for one image
F.affine_grid(torch.zeros(2, 2, 3), (1, 1, 2, 2), align_corners=False)

# --- affine_grid_generator of a matrix
torch.affine_grid_generator(torch.ones(2, 2), (1, 1, 2, 2), False)

# --- affine_grid_generator of four dimensions
torch.affine_grid_generator(torch.zeros(1, 1, 2, 3), (1, 1, 2, 2), False)

# --- affine_grid_generator of two sizes
torch.affine_grid_generator(torch.zeros(1, 2, 3), (1, 1), False)

# --- affine_grid_generator of four rows
torch.affine_grid_generator(torch.zeros(1, 4, 3), (1, 1, 2, 2), False)

# --- affine_grid_generator of flat maps for volumes
torch.affine_grid_generator(torch.zeros(1, 2, 3), (1, 1, 2, 2, 2), False)

# --- ctc_loss of four dimensions
F.ctc_loss(torch.zeros(2, 2, 2, 2), torch.zeros(2, 2).long(), (2, 2), (1, 1))

# --- ctc_loss of a vector
F.ctc_loss(torch.zeros(2), torch.zeros(2, 2).long(), (2, 2), (1, 1))

# --- ctc_loss of targets in three dimensions
F.ctc_loss(torch.zeros(3, 2, 4), torch.zeros(2, 2, 2).long(), (3, 3), (1, 1))

# --- bilinear with a vector for the weight
F.bilinear(torch.ones(2, 2), torch.ones(2, 2), torch.ones(3))

# --- bilinear with a weight of four dimensions
F.bilinear(torch.ones(2, 2), torch.ones(2, 2), torch.ones(1, 2, 2, 1))

# --- histogramdd with no bins in a dimension
torch.histogramdd(torch.ones(2, 2), [3, 0])

# --- histogramdd over a range backwards
torch.histogramdd(torch.ones(2, 2), [3, 3], range=[0., 1., 2., 1.])

# --- histogramdd with no edges
torch.histogramdd(torch.ones(2, 2), [torch.arange(3.), torch.zeros(0)])

# --- histogramdd with a matrix of edges
torch.histogramdd(torch.ones(2, 2), [torch.arange(3.), torch.ones(2, 2)])

# --- histogramdd with edges of another dtype
torch.histogramdd(torch.ones(2, 2), [torch.arange(3.), torch.arange(3.).double()])

# --- histogramdd with too many weights
torch.histogramdd(torch.ones(2, 2), 2, weight=torch.ones(3))

# --- histogramdd with weights of another dtype
torch.histogramdd(torch.ones(2, 2), 2, weight=torch.ones(2).double())

# --- histogramdd with text for bins
torch.histogramdd(torch.ones(2, 2), ["a", "b"])

# --- histogramdd without columns
R = torch.histogramdd(torch.zeros(3, 0), 3), torch.histogramdd(torch.zeros(3, 0), [], density=True)

# --- histc of infinity
torch.histc(torch.tensor([float("inf")]), 3)

# --- histc from minus infinity
torch.histc(torch.tensor([-float("inf")]).double(), 3)

# --- sum in integers of a tensor that requires grad
torch.ones(2, requires_grad=True).sum(dtype=torch.int64)

# --- cumsum in integers of a tensor that requires grad
torch.ones(2, requires_grad=True).cumsum(0, dtype=torch.int32)

# --- prod in integers of a tensor that requires grad
torch.ones(2, requires_grad=True).prod(0, dtype=torch.uint8)

# --- mean in integers of a tensor that requires grad
torch.ones(2, requires_grad=True).mean(dtype=torch.int64)

# --- torch.tensor of tensors with several elements
torch.tensor([torch.tensor([1, 2]), torch.tensor([3, 4])])

# --- torch.tensor of bool tensors with several elements
torch.tensor([torch.tensor([True, False])])

# --- torch.tensor of a float tensor, as integers
torch.tensor([torch.tensor(1.5)], dtype=torch.int64)

# --- batch_norm with a row of running means
F.batch_norm(torch.ones(2, 2), torch.ones(1, 2), torch.ones(1, 2))

# --- batch_norm with a row of weights
R = F.batch_norm(torch.eye(2), torch.zeros(2), torch.ones(2), torch.ones(1, 2), torch.ones(2, 1))

# --- group_norm in -1 groups
F.group_norm(torch.ones(2, 2), -1)

# --- native_group_norm in no groups
torch.native_group_norm(torch.ones(2, 2), None, None, 2, 2, 1, 0, 1e-5)

# --- native_group_norm of other sizes
torch.native_group_norm(torch.ones(2, 2), None, None, 2, 3, 1, 1, 1e-5)

# --- native_group_norm with too many weights
torch.native_group_norm(torch.ones(2, 2), torch.ones(3), None, 2, 2, 1, 1, 1e-5)

# --- layer_norm with eps=None
F.layer_norm(torch.ones(2, 2), (2,), eps=None)

# --- group_norm with eps=None
F.group_norm(torch.ones(2, 2), 1, eps=None)

# --- layer_norm with a tensor for eps
R = F.layer_norm(torch.eye(2), (2,), eps=torch.tensor(1.))

# --- instance_norm with one running statistic of the wrong size
F.instance_norm(torch.zeros(1, 2, 3), running_mean=torch.ones(3))

# --- a list for the reduction
F.mse_loss(torch.ones(2), torch.ones(2), reduction=["mean"])

# --- a list for the mode
F.interpolate(torch.ones(1, 1, 2, 2), 2, mode=["nearest"])

# --- interpolate to a float
F.interpolate(torch.ones(1, 1, 2, 2), 1.5)

# --- interpolate to text, bilinear
F.interpolate(torch.ones(1, 1, 2, 2), "a", mode="bilinear")

# --- interpolate volumes by text
F.interpolate(torch.ones(1, 1, 2, 2, 2), scale_factor="a")

# --- trapezoid at one place
torch.trapezoid(torch.arange(3.), torch.tensor(1.))

# --- trapezoid of two numbers at one place
R = torch.trapezoid(torch.ones(3, 2), torch.tensor(1.))

# --- max_unpool2d without indices
F.max_unpool2d(torch.zeros(1, 1, 2, 2), None, 2)

# --- slogdet of a singular matrix, backward
x = torch.tensor([[1., 2.], [2., 4.]], requires_grad=True)
y = torch.zeros(2, 2, requires_grad=True)
torch.linalg.slogdet(x)[1].backward()
torch.logdet(y).backward()
R = x.grad, y.grad

# --- acosh at -1, backward
x = torch.tensor([-1., 1., 2.], requires_grad=True)
x.acosh().sum().backward()
R = x.grad

# --- flip(dims=) of text in a tuple
torch.flip(torch.ones(2), dims=("a",))

# --- x.addmm("a", x)
x = torch.eye(2); x.addmm("a", x)

# --- x.addmm(x, x, alpha="a")
x = torch.eye(2); x.addmm(x, x, alpha="a")

# --- x.addmm(x, x, x)
x = torch.eye(2); x.addmm(x, x, x)

# --- x.addmm(x)
x = torch.eye(2); x.addmm(x)

# --- addmm_ into a vector
torch.ones(2).addmm_(torch.eye(2), torch.eye(2))

# --- baddbmm_ into a row
torch.ones(1, 1, 2).baddbmm_(torch.ones(1, 2, 2), torch.ones(1, 2, 2))

# --- addr_ into a vector
torch.ones(2).addr_(torch.ones(2), torch.ones(2))

# --- addr_ into a matrix of another size
torch.ones(2, 2).addr_(torch.ones(3), torch.ones(2))

# --- split by a tensor without dimensions
R = torch.arange(4).split(torch.tensor(3))

# --- split into sizes that are text
torch.arange(4).split(("a",))

# --- split into sizes that are floats
torch.arange(4).split((3.5, 0.5))

# --- index_put at None
torch.ones(2).index_put((None,), torch.tensor(1.))

# --- torch.index_put at None
torch.index_put(torch.ones(2, 2), (torch.tensor(0), None), torch.tensor(1.))

# --- broadcast_shapes of -1
torch.broadcast_shapes((-1, 2), (2,))

# --- broadcast_shapes of a float
torch.broadcast_shapes(1.5)

# --- einsum without an equation
torch.einsum([torch.ones(2)], "i->")

# --- take_along_dim: dimensions before dtypes
torch.take_along_dim(torch.ones(2, 2), torch.ones(2), 0)

# --- masked_scatter: shapes before dtypes
torch.ones(2, 2).masked_scatter(torch.ones(3), torch.ones(3))

# --- cholesky_ex of what is not square
torch.linalg.cholesky_ex(torch.ones(1, 2))

# --- multinomial of text
torch.multinomial(torch.ones(2), "a")

# --- multinomial of a float
torch.multinomial(torch.ones(2), 1.5)

# --- renorm by tensors without dimensions
R = torch.renorm(torch.tensor([[3., 4.]]), torch.tensor(2.), 0, torch.tensor(1.))

# --- renorm by a complex number
torch.renorm(torch.ones(2, 2), 2, 0, 1j)

# --- unfold by text
torch.ones(4).unfold(0, "a", 1)

# --- unfold in steps that are text
torch.ones(4).unfold(0, 1, "a")

# --- cumsum_ with text for the dtype
torch.ones(2).cumsum_(0, dtype="float32")

# --- linalg.solve for a number
torch.linalg.solve(torch.eye(2), torch.tensor(1.))

# --- slice_scatter into a number
torch.slice_scatter(torch.tensor(1.), torch.tensor(1.))

# --- put into nothing
torch.zeros(0).put(torch.tensor([1]), torch.ones(1))

# --- a list for grid_sample's mode
F.grid_sample(torch.ones(1, 1, 2, 2), torch.zeros(1, 1, 1, 2), mode=["bilinear"])

# --- cdist with p=None
torch.cdist(torch.eye(2), torch.eye(2), None)

# --- x[..., ..., None]
torch.ones(2, 3)[..., ..., None]

# --- x[0, ..., ..., True] = 1
torch.ones(2, 3)[0, ..., ..., True] = 1

# --- x[None, ..., ..., None] of a number's tensor
R = torch.ones(())[None, ..., ..., None].shape

# --- F.mse_loss(t, 3)
F.mse_loss(torch.ones(2), 3)

# --- F.l1_loss(3, t)
F.l1_loss(3, torch.ones(2))

# --- F.huber_loss(t, t, weight=3)
F.huber_loss(torch.ones(2), torch.ones(2), weight=3)

# --- torch.cholesky of zeros
import warnings; warnings.simplefilter("ignore"); torch.cholesky(torch.zeros(3, 2, 2))

# --- linalg.vecdot(axis=)
R = torch.linalg.vecdot(torch.ones(2, 3), torch.ones(2, 3), axis=0)

# --- linalg.norm(keepdims=3)
torch.linalg.norm(torch.ones(2, 3), keepdims=3)

# --- torch.sum(keepdims=3)
torch.sum(torch.ones(2, 3), dim=0, keepdims=3)

# --- torch.argmax(axis=, keepdims=3)
torch.argmax(torch.ones(2, 3), axis=0, keepdims=3)

# --- fractional_max_pool2d(output_ratio=0.5)
F.fractional_max_pool2d(torch.ones(1, 1, 8, 8), 2, output_ratio=0.5)

# --- methods that PyTorch has as functions alone
R = [hasattr(torch.Tensor, name) for name in ("celu", "threshold", "view_as_real")]
