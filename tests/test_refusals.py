"""Which dtypes and arguments functions take, beside the installed PyTorch: results or errors.

A is a matrix whose numbers every dtype holds, P pivots counted from 1, Z zeros to index with.
"""

import warnings

import pytest

import retrograd

pytest.importorskip("ml_dtypes")
pytestmark = pytest.mark.live
DTYPES = ("int64", "uint8", "bool", "float16", "bfloat16", "complex64")

LINALG = """
cholesky(A); cholesky_ex(A); eig(A); eigvals(A); eigh(A); eigvalsh(A); svd(A); svdvals(A);
cond(A); cond(A,1); pinv(A); pinv(A,hermitian=True); matrix_rank(A);
matrix_rank(A,hermitian=True); lstsq(A,A); lu(A); lu_factor(A); lu_factor_ex(A); ldl_factor(A);
inv(A); inv_ex(A); det(A); slogdet(A); solve(A,A); solve_triangular(A,A,upper=True);
householder_product(A,A[0]); matrix_exp(A); matrix_power(A,2); matrix_power(A,-1); qr(A);
norm(A); matrix_norm(A); matrix_norm(A,2); matrix_norm(A,"nuc"); vector_norm(A);
tensorinv(A,ind=1); tensorsolve(A,A[0]); multi_dot([A,A]); lu_solve(A,P,A); ldl_solve(A,P,A);
vander(A[0]); vecdot(A,A); cross(A,A)
"""
FUNCTIONAL = """
normalize(A); ctc_loss(A[:,None],P[None],P[:1],P[:1]); kl_div(A,A); soft_margin_loss(A,A);
hinge_embedding_loss(A,A); pdist(A); grid_sample(A[None,None],T.zeros(1,1,1,2,dtype=A.dtype));
adaptive_avg_pool1d(A,1); adaptive_avg_pool1d(A,2); adaptive_avg_pool2d(A[None],1);
adaptive_avg_pool3d(A[None,None],1); max_pool1d(A,2); pad(A[None],(1,1),mode="reflect");
pad(A[None],(1,1),mode="replicate"); pad(A[None],(1,1),mode="circular"); avg_pool1d(A,2);
avg_pool2d(A[None],2); avg_pool3d(A[None,None],(1,2,2)); linear(A,A); conv1d(A[None],A[None]);
conv2d(A[None,None],A[None,None],dilation=2,padding=2); conv_transpose1d(A[None],A[None]);
max_unpool1d(A[None],T.zeros(1,3,3,dtype=T.long)+T.arange(3),2);
interpolate(A[None],scale_factor=2,mode="linear");
interpolate(A[None,None],scale_factor=2,mode="bilinear");
interpolate(A[None,None],scale_factor=2,mode="nearest");
interpolate(A[None],scale_factor=2,mode="nearest");
interpolate(A[None,None],scale_factor=2,mode="bicubic");
interpolate(A[None,None],scale_factor=2,mode="area"); local_response_norm(A[None],2);
multi_margin_loss(A,Z[0]);
multilabel_margin_loss(A,Z[0].expand(3,3)); nll_loss(A,Z[0]);
cross_entropy(A,Z[0]); smooth_l1_loss(A,A); huber_loss(A,A); mse_loss(A,A);
l1_loss(A,A); binary_cross_entropy(A,A); binary_cross_entropy_with_logits(A,A);
poisson_nll_loss(A,A); cosine_similarity(A,A); cosine_embedding_loss(A,A,A[0]);
triplet_margin_loss(A,A,A); layer_norm(A,(3,)); group_norm(A[None],1);
batch_norm(A,None,None,training=True); rms_norm(A,(3,)); instance_norm(A[None]); softmax(A,0);
log_softmax(A,0); gumbel_softmax(A); gelu(A); silu(A); mish(A); elu(A); hardswish(A);
hardsigmoid(A); softplus(A); softshrink(A); hardshrink(A); leaky_relu(A); logsigmoid(A);
threshold(A,0,0); glu(A[:2,:2]); dropout(A); one_hot(A);
pixel_shuffle(A[None,None].expand(1,4,3,3),2); unfold(A[None,None],2);
fold(A[:,:,None].expand(3,4,1),(2,2),2); affine_grid(A[None,:2],(1,1,2,2)); lp_pool1d(A,2,2);
adaptive_max_pool1d(A,1); adaptive_max_pool2d(A[None],1);
channel_shuffle(A[None,None].expand(1,2,3,3),2); prelu(A,A[0,:1]); celu(A); selu(A);
tanhshrink(A); softsign(A)
"""
FUNCTIONS = """
cholesky(A); cholesky_inverse(A); cholesky_solve(A,A); logdet(A); pinverse(A); inverse(A);
triangular_solve(A,A); qr(A); svd(A); lu(A); lu_solve(A,A,P); geqrf(A); orgqr(A,A[0]);
ormqr(A,A[0],A); matrix_exp(A); det(A); slogdet(A); trace(A); norm(A,p="nuc"); cdist(A,A);
index_reduce(A[0],0,Z[0],A[0],"prod"); index_reduce(A[0],0,Z[0],A[0],"mean");
scatter_reduce(A,0,Z,A,"mean");
logsumexp(A,0); cumprod(A,0); renorm(A,2,0,1);
stft(A[0].repeat(10),n_fft=4,return_complex=True); fft.fft(A); searchsorted(A[0],A[0]);
bucketize(A,A[0]); histogram(A,3); index_reduce(A,0,Z[0],A,"prod");
scatter_reduce(A,0,Z,A,"amax");
scatter_reduce(A,0,Z,A,"prod"); sum(A).sum_to_size(1);
linspace(0,1,3,dtype=A.dtype); logspace(0,1,3,dtype=A.dtype); arange(3,dtype=A.dtype); mode(A);
median(A); nanmedian(A); quantile(A,0.5); kthvalue(A,1); topk(A,1); sort(A); argsort(A);
unique(A); cummax(A,0); multinomial(A,1); poisson(A); normal(A,A); lerp(A,A,0.5); lerp(A,A,A);
addcdiv(A,A,A); addcmul(A,A,A); addmm(A,A,A); addmv(A[0],A,A[0]); addr(A,A[0],A[0]);
dot(A[0],A[0]); kron(A,A); cov(A); corrcoef(A); trapezoid(A); cumulative_trapezoid(A);
cartesian_prod(A[0],A[0]); vander(A[0]); bincount(A[0]); unravel_index(P.to(A.dtype),(3,3));
logaddexp(A,A); hypot(A,A); nextafter(A,A); gcd(A,A); ldexp(A,A); frexp(A); signbit(A);
heaviside(A,A); fmod(A,A); remainder(A,A); atan2(A,A); copysign(A,A); sinc(A); logit(A);
erfinv(A); i0(A); lgamma(A); frac(A); nan_to_num(A); real(A); imag(A); angle(A);
view_as_complex(A[:,:2]); view_as_real(A); bitwise_and(A,A); bitwise_not(A); logical_not(A);
isposinf(A); isclose(A,A); allclose(A,A); var(A); std(A); mean(A); nanmean(A); nansum(A);
sum(A); prod(A); aminmax(A); amax(A,0); max(A); argmax(A); all(A); any(A); count_nonzero(A);
logcumsumexp(A,0); diff(A); gradient(A); clamp(A,0,1); where(A>0,A,0); masked_fill(A,A>0,1);
tril(A); diag_embed(A); block_diag(A,A)
"""
MASKED = "; ".join(f"{name}(A,{dim},mask=A>0)" for name, dim in (
    *((name, 1) for name in ("sum", "prod", "cumsum", "cumprod", "amax", "amin", "argmax", "argmin",
                             "mean", "median", "var", "std", "softmax", "log_softmax", "softmin",
                             "logsumexp")),
    ("norm", "2,1"), ("normalize", "2,1"))) + """;
logaddexp(A,A); median(A,0,mask=A>1); amax(A,1); amax(A,1,dtype=T.double); mean(A,1,dtype=T.int32);
mean(A,1,dtype=T.double); std(A,1,dtype=T.double); median(A,1,dtype=T.double)
"""
UNFIT = """
eq(2,A); fmod(2,A); copysign(2,A); pow(2,3); special.zeta(2,3); bitwise_and(2,3); hypot(2,3);
gradient(A,spacing=[1.,2.,3.]); gradient(A,spacing=[1.,2.],dim=1); gradient(A,dim=(1,1));
fft.fftn(A[0,0],dim=0); fft.fft2(A[0,0]); multinomial(-A,1); multinomial(A-1.5,2,True);
multinomial(T.ones(2**24+1),1); multinomial(A[0,:0],3,True); multinomial(A[:,:0],1,True);
arange(0,5,0); movedim(A,(0,-2),(0,1)); rot90(A,dims=[0]);
vsplit(A[0],3); cov(A,fweights=A[0]); cov(A,aweights=Z[0]); cov(A,fweights=Z);
cov(A,fweights=Z[0,:2]); cov(A,aweights=-A[0]); linspace(A[0],1,3);
linalg.cross(A[:,:2],A[:,:2]); linalg.vander(A[0,0],N=0);
aminmax(T.ones(3,0),dim=1); linalg.lstsq(A[0],A); isin(A>0,A);
signal.windows.blackman(-1); signal.windows.hann(3,dtype=T.half);
signal.windows.bartlett(3,layout=T.sparse_coo); signal.windows.general_cosine(3,a=[]);
signal.windows.general_cosine(3,a=None);
nn.functional.max_pool1d(A,0); nn.functional.max_pool1d(A,2,stride=-1);
nn.functional.max_pool1d(A,2,dilation=0); nn.functional.max_pool1d(A,2,padding=-1);
nn.functional.max_pool1d(A,2,padding=2); nn.functional.max_pool1d(A,5);
nn.functional.max_pool1d(A[0,0],1); nn.functional.max_pool1d(A[None,None],1);
nn.functional.max_pool2d(A[None],2,dilation=0); nn.functional.max_pool2d(T.ones(1,0,9),1);
nn.functional.max_pool3d(T.ones(0,1,2,9),1); nn.functional.avg_pool2d(T.ones(1,0,9),1);
nn.functional.avg_pool3d(T.ones(1,0,1,9),1); nn.functional.adaptive_avg_pool2d(A[None],(1,-1));
nn.functional.adaptive_avg_pool2d(A[None],(1,)); nn.functional.adaptive_avg_pool1d(A,());
nn.functional.adaptive_avg_pool3d(A[None,None],(1,-1,2));
nn.functional.adaptive_max_pool2d(A[None],(1,-1)); nn.functional.adaptive_max_pool2d(A[None],());
nn.functional.conv1d(A[None],A);
nn.functional.conv2d(A[None,None],A[None],padding="same");
nn.functional.conv2d(A[None,None],A[None,None],dilation=-1); nn.functional.rrelu(A,2.,1.);
nn.functional.soft_margin_loss(A,A[0,:2]); nn.functional.multi_margin_loss(A,Z);
nn.functional.multi_margin_loss(A,A[0]); nn.functional.multi_margin_loss(A,Z[0],weight=A[0,:2]);
nn.functional.hardshrink(A,lambd="a"); nn.functional.softshrink("a"); nn.functional.softplus(3);
nanquantile(A[:0],.5); nanquantile(A,2.); nanquantile(A,.5,interpolation="a"); nanquantile(Z,.5);
nanmedian(A[:,:0],1); kthvalue(A[:,:0].cfloat(),1); nanmedian(A.cfloat(),0); linalg.eig(Z[:2]);
linalg.eigvals(Z[0]); linalg.solve(Z[:2],A); linalg.solve(A[:2],A.double());
linalg.solve(A[:2].half(),A[:2].half()); linalg.cross(A[0,0],A[0,0]); fft.hfft(A[:,:0]);
fft.irfft(A[:0],dim=0); index_add(A[0],0,Z[0,:1],A[0,0]);
nn.functional.binary_cross_entropy_with_logits(Z,A); pow(Z.char(),300); pow(Z.int(),2**40);
pow(A.half(),70000); pow(True,A>1); Tensor.pow_(Z.char(),300); lerp(A>1,A>1,Z[0,0]);
Tensor.lerp_(A,A,A[0,0]*1j); Tensor.lerp_(Z,Z,A[0,0]);
svd(A,some=1); svd(A,"a"); qr(A,some="a");
unique(A,1); unique(A,return_counts=1); unique(A,dim=0,sorted="a"); unique(A,dim=0.5);
unique_consecutive(A,return_inverse=1); unique_consecutive(A,dim=1.5); sort(A,stable=1);
sort(A,descending=1); topk(A,2,sorted=1); argsort(A,stable=1); var(A,1,True,1);
std(A,unbiased=1); var(A,dim=0,unbiased="a"); norm(A,2,1,1); norm(A,dim=1,keepdim=1);
all(A,1,keepdim=1); aminmax(A,dim=1,keepdim=1); bucketize(A,A[0],right=1);
searchsorted(A[0],A,out_int32=1); linalg.svd(A,full_matrices="no"); linalg.lu(A,pivot=1);
linalg.cholesky(A,upper=1); linalg.solve_triangular(A,A,upper=1); linalg.solve(A,A,left=1);
linalg.inv_ex(A,check_errors=1); triangular_solve(A,A,1); cholesky(A,upper=1); flip(A,0);
flip(A,0,1); flip(A,dims=0); permute(A[0],0); permute(A,1,0); tile(A,2); tile(A,dims=2); flip(A);
rot90(A,1.5); index_add(A,0,Z[0,:1],A[:1],out=A.int()); scatter(A,0,Z,A,out=A.int());
index_copy(A,0,Z[0,:1],A[:1],out=A.int()); index_reduce(A,0,Z[0,:1],A[:1],"amax",out=A.int());
einsum(A,[0,60]); einsum(A,[0,-1]); abs_(A.cfloat()); ldexp(A,A>1); ldexp(A.half(),A>1);
ldexp_(A,A>1); ldexp_(Z,Z); ldexp_(Z[0],A); ldexp_(A>1,A>1); ldexp(A,A,out=Z); clamp_max(2,A);
clamp_min(2,A); Tensor.cumsum_(A>1,0); Tensor.cumprod_(A>1,0);
Tensor.addmm_(A[0,:1].double(),A,A); Tensor.addmm_(A[:1],A.clone(),A.clone());
dot(A[0],A[1],out=A[0,0].double()); vdot(A[0],A[1],out=Z[0,0]); inner(A[0],A,out=A[0].double());
matmul(A[0],A[1],out=A[0,0].cfloat()); matmul(A,A[0],out=A[0].double());
matmul(A[0],A,out=A[0].double()); matmul(A,A,out=A.double()); matmul(A[None],A,out=A.double());
logsumexp(A,0,out=Z[0]); max(A,out=Z[0,0]); min(A,out=Z[0,0]); qr(A,out=(A.double(),A.double()));
svd(A,out=(A.double(),A[0].double(),A.double())); lu_unpack(A,P,out=(A.double(),A,A));
linalg.ldl_factor(A,out=(A.double(),P)); linalg.ldl_factor(A,out=(A.clone(),A[0].clone()));
linalg.ldl_factor_ex(A,out=(A.clone(),P,A[0,0].clone()));
linalg.solve_ex(A,A,out=(A.clone(),A[0,0].clone())); fft.hfft(A[0],out=A[0].cfloat());
fft.irfft(A[0],out=Z[0]); fft.hfft2(A,out=Z); fft.irfft2(A,out=A.cfloat());
split_with_sizes_copy(A,[1,2],out=(A[:1].double(),A[1:].double())); unbind_copy(A,out=A);
split_copy(A,2,out=(A.clone(),)); unbind_copy(A,out=[A[0].clone()]*2);
split_with_sizes_copy(A,[1,2],out=(A.clone(),)); sort(A[0,:2],out=(A[0,1:],Z[0,:2]));
topk(A[0],2,out=(A[0,1:],Z[0,:2])); kthvalue(A[0],1,out=(A[0],Z[0,0])); mode(A,0,out=(A[0],Z[0]));
max(A,0,out=(A[0],Z[0])); min(A,1,out=(A[1],Z[1])); aminmax(A,dim=0,out=(A[0],A[1]));
masked_select(A[0],A[0]>0,out=A[0]); take(A,Z,out=A); masked.sum(A[0],mask=A>1);
masked.amax(A,mask=A[:,:2]>1); masked.sum(A,(0,0)); masked.prod(A,2); masked.softmax(A,-3);
masked.var(A,0,True,correction=1); masked.median(A.long(),0,mask=A>2);
tensor([1,"2"],dtype=T.float32); tensor([1,"2"],dtype=T.half); tensor([[1],[b"2"]],dtype=T.float64);
tensor([1.5,"2"],dtype=T.complex64); tensor([1,"2"],dtype=T.int64); tensor([1,"a"],dtype=T.bool);
tensor([1,None],dtype=T.float32); tensor([1,None],dtype=T.complex64); Tensor([[1,"a"]]);
tensor([1,None],dtype=T.int64); tensor([1,None],dtype=T.bool); as_tensor([1,"2"],dtype=T.float64);
LongTensor([1,"2"]); Tensor([1,"2"]); tensor([1,[2]],dtype=T.float32); Tensor([1,1j])
"""
EDGES = """
diff(A,0,0,A,A); linalg.norm(A[:0],2); linalg.norm(A[:,:0],1);
linalg.matrix_norm(A[:0,:0],float("inf"));
special.legendre_polynomial_p(A,A/0); special.hermite_polynomial_h(A,A*1e20);
special.chebyshev_polynomial_t(A-0.5,A+1); fmod(A*7,A/10); remainder(-A*7,A/10);
div(A*7,A/10,rounding_mode="floor"); fft.hfft(A[:0],7,0); fft.irfft(A[:,:0],n=1);
pow(A>1,True); Tensor.pow_(A<1.5,False); lerp(A,A*2,A[0,0]*.5j);
lerp(A[0,0],A[0,0],A[0,1].double()); lerp(A.long(),A.long()*2,A[0,1]*.3);
lerp(A.half(),A.half()*2,A[0,0].double()); flip(A,[0]); permute(A,dims=(1,0)); tile(A,(2,));
Tensor.flip(A,0,1); Tensor.permute(A,1,0); Tensor.tile(A,2,2); rot90(A,T.tensor(1));
max(A.long(),out=A[0,0].clone()); min(A,out=A[0,0].half()); split_copy(A,2,out=(A[:2],A[2:]));
unbind_copy(A,out=[A[0].clone()]*3); sort(A,out=(A,A.long())); fft.irfft(A[0],3,out=A[0].double());
logsumexp(A,0,out=A[0].cfloat()); ldexp(A.cfloat(),A>1); ldexp(A.long(),A>1);
ldexp(A,A,out=A.double()); masked.softmax(A,1,mask=(A>1).int()); masked.sum(A,mask=Z[0]+1);
masked.median(A*float("nan"),0); masked.median(A/A.tril(),1,mask=A>1); masked.sum(A,(-1,0));
masked.amin(A,(),mask=A>1); masked.mean(A,-1,keepdim=True,mask=Z); masked.median(A.long(),1);
multinomial(A[:0,:0],1,True)
"""


@pytest.fixture(autouse=True)
def pytorch():
    pytest.importorskip("torch")


def calls(prefix, text):
    return [f"{prefix}.{call.strip()}" for call in text.replace("\n", " ").split(";")]


CALLS = [*calls("T.linalg", LINALG), *calls("T.nn.functional", FUNCTIONAL), *calls("T", FUNCTIONS),
         *calls("T.masked", MASKED)]


def outcome(torch, call, dtype):
    """The dtype of what comes out, or the error's type and first line."""
    ones = torch.eye(3) + (dtype != "bool")
    names = {"T": torch, "A": ones.to(getattr(torch, dtype)), "Z": torch.zeros(3, 3).long(),
             "P": torch.tensor([1, 2, 3], dtype=torch.int32)}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = eval(call, names)
    except Exception as error:  # whatever it is, it is compared
        return type(error).__name__, str(error).splitlines()[0]
    return str(getattr(found, "dtype", type(found).__name__))


@pytest.mark.parametrize("call", calls("T", UNFIT))
def test_unfit_arguments_are_refused_in_pytorchs_words(call):
    import torch
    found = outcome(retrograd, call, "float32")
    assert isinstance(found, tuple)
    assert found == outcome(torch, call, "float32")


@pytest.mark.parametrize("call", calls("T", EDGES))
def test_arguments_at_the_edge_are_taken(call):
    import torch
    texts = [str(eval(call, {"T": T, "A": T.eye(3) + 1, "Z": T.zeros(3, 3).long()}))
             for T in (retrograd, torch)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("call", CALLS)
def test_a_dtype_is_taken_or_refused_as_by_pytorch(call):
    import torch
    for dtype in DTYPES:
        assert outcome(retrograd, call, dtype) == outcome(torch, call, dtype), (call, dtype)


NO_DIMENSIONS = "Dimension specified as 0 but tensor has no dimensions"
OUT_OF_RANGE = "Dimension out of range"
PLACES = {
    "unbind(0)": (lambda: retrograd.tensor(2.0).unbind(0), IndexError, NO_DIMENSIONS),
    "unbind(1)": (lambda: retrograd.tensor(2.0).unbind(1), IndexError, OUT_OF_RANGE),
    "take_along_dim": (lambda: retrograd.tensor(2.0).take_along_dim(retrograd.tensor(0), 0),
                       IndexError, NO_DIMENSIONS),
    "take_along_dim by floats": (
        lambda: retrograd.ones(2, 2).take_along_dim(retrograd.zeros(1, 1), 5), RuntimeError,
        "dtype of indices should be Long but got Float"),
    "take_along_dim by floats of other dimensions": (
        lambda: retrograd.ones(2, 2).take_along_dim(retrograd.zeros(1), 0), RuntimeError,
        "should have the same number of dimensions"),
}


@pytest.mark.parametrize("name", PLACES)
def test_dimensions_that_are_not_there(name):
    call, error, message = PLACES[name]
    with pytest.raises(error, match=message):
        call()
