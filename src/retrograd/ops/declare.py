"""op(): an operator is one declaration.

    mul = op("mul(self, other)", "MulBackward0", broadcasts=True, inplace="operator", samples=pairs,
        self  = lambda F, g, other: g * F.conj(other),
        other = lambda F, g, self:  g * F.conj(self),
        jvp   = lambda F, self, other, self_t, other_t:
                    both(scaled(self_t, other), scaled(other_t, self)))

The signature lists the tensors and, after `|`, the plain values. `weight?` may be None;
`tensors[]` is a list of tensors; a plain value with a star, `indices*`, is freed with the saved
tensors. The forward is the kernel of the same name. A formula gets the namespace `F`, the gradient
`g`, and by name whatever else it asks for; those names are what the node saves:

    a tensor input      other            (checked against later in-place writes)
    an output           result, or one of `outputs`
    a plain value       dim
    only the metadata   self_shape, self_strides (in bytes), self_dtype

`F` is the kernels when backward runs on arrays, and the operators when it runs on Tensors
(create_graph=True), so that one formula is enough for every order of derivative. An operator with
several outputs gets `g` of its first output, or all of them as `gs` (None where nothing flowed).
`joint=` gives all inputs' gradients at once: `lambda F, g, need, self, weight: (..., ...)`, where
`need` says which are wanted.

`jvp` is the forward-mode rule: "linear" (apply the operator to the tangent), "elementwise" (the
formula is its own transpose), or a formula on values and tangents (`self_t`; None if an input has
none, which `both`, a sum, and `scaled`, a product, leave out). `samples` makes inputs for the laws
that tests/test_ops.py checks.

The files of the families have short names for what they use everywhere: `T` is `F` for Tensors, by
which functions written by hand call operators (`T.softmax_dim(x, 0)`), `K` the kernels, `S` the
generators of samples.

The declaration is turned into straight-line Python by `generate.py` when the operator is first
used. `source("mul")` shows it, and where the declaration and the kernels are.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

REGISTRY: dict[str, Operator] = {}


@dataclass(eq=False)
class Operator:
    """A declared operator and, once built, its function, in-place function and node class.

    First come the signature and the formulas; then, from `jvp` to `of_complex`, the options that
    op() explains; last what is found out or made later.
    """

    name: str
    grad_fn: str | None                   # the node's class, "MulBackward0"; None: never recorded
    inputs: list[str]                     # the tensors
    optional: set[str]                    # those that may be None
    consts: dict[str, str | None]         # plain value -> its default's source, or None
    outputs: tuple[str, ...]
    formulas: dict[str, Callable]         # input -> its gradient; empty where there is `joint`
    joint: Callable | None
    jvp: str | Callable | None
    samples: Callable | None
    smooth: Callable | None
    noise: bool
    broadcasts: bool
    floats: bool
    view: bool
    inplace: bool | str
    public: bool | str
    in_special: bool
    nondiff: tuple[str, ...]
    place: tuple[str, int]                # the file and line of the declaration
    masks: tuple[str, ...] = ()
    contiguous: bool = False
    columns: dict[str, str] = field(default_factory=dict)
    part: Callable | None = None
    shown: tuple[int | None, ...] | None = None
    of_complex: bool = True
    of_numbers: dict[str, str] = field(default_factory=dict)  # input -> the node where it is one
    takes_list: bool = False              # its only input is a list of tensors
    freed: set[str] = field(default_factory=set)     # plain values that die with the saved tensors
    kernel: Callable | None = None        # the forward, where `kernel_name` is None
    kernel_name: str | None = None        # the name of the forward and of its compiled twin
    saves: dict[str, list[str]] = field(default_factory=dict)   # input -> what its formula asks for
    onto_from: float = math.inf           # elements from which the compiled twin writes in place
    onto_half: float = math.inf           # and those of 16 bits
    # a grad_fn, and what runs this operator's node and then such a one: NOTE [straight passes]
    with_input: tuple[str, Callable] | None = None
    built: dict | None = None

    def build(self) -> dict:
        """Generate and compile the code; the result maps names to functions and the node class."""
        if self.built is None:
            from .generate import compile_operator
            self.built = compile_operator(self)
            for look in when_built:
                look(self)
        return self.built

    @property
    def fn(self):
        return (self.built or self.build())[self.name]        # most often built: no call

    @property
    def in_place(self):
        return self.build().get(self.name + "_")

    @property
    def node(self):
        return self.build().get(self.grad_fn)

    @property
    def source(self) -> str:
        return self.build()["source"]

    def used(self) -> set[str]:
        """Every name that some formula wants."""
        return {name for names in self.saves.values() for name in names}


def _parse(signature: str) -> tuple:
    """(name, inputs, optional ones, whether it takes a list, {value: default}, freed values)."""
    head = re.fullmatch(r"(\w+)\((.*)\)", signature)
    if head is None:
        raise TypeError(f"op {signature!r}: not of the form name(tensors | values)")
    name, params = head.groups()
    tensors, _, values = params.partition("|")
    inputs, optional, takes_list = [], set(), False
    for word in (w.strip() for w in tensors.split(",") if w.strip()):
        plain = word.rstrip("?[]")
        if word.endswith("?"):
            optional.add(plain)
        takes_list = takes_list or word.endswith("[]")
        inputs.append(plain)
    consts, freed = {}, set()
    for word in (w.strip() for w in values.split(",") if w.strip()):
        const, _, default = word.partition("=")
        const = const.strip()
        if const.endswith("*"):
            const = const[:-1]
            freed.add(const)
        consts[const] = default.strip() or None
    return name, inputs, optional, takes_list, consts, freed


def _parameters(formula: Callable, skip: int) -> list[str]:
    """The names of a formula's parameters after the first `skip`."""
    code = getattr(formula, "__wrapped__", formula).__code__     # quicker than inspect.signature
    return list(code.co_varnames[skip:code.co_argcount])


def _saves(signature: str, inputs: list[str], consts, outputs, formulas: dict[str, Callable],
           joint: Callable | None) -> dict[str, list[str]]:
    """{input: what its formula asks for}; TypeError for a name that stands for nothing."""
    if joint is not None:
        saves = dict.fromkeys(inputs, _parameters(joint, 3))               # after F, g, need
    else:
        saves = {i: _parameters(f, 2) for i, f in formulas.items()}        # after F, g
    metadata = {f"{i}_{what}" for i in inputs for what in ("shape", "dtype", "strides")}
    known = {*inputs, *consts, *outputs, *metadata}
    for i, names in saves.items():
        unknown = set(names) - known
        if i not in inputs or unknown:
            raise TypeError(f"op {signature!r}: formula for {i!r} uses {sorted(unknown) or i!r}, "
                            f"which is not one of {sorted(known)}")
    return saves


def op(signature: str, grad_fn: str | None = None, *, jvp=None, samples=None, smooth=None,
       noise=False, broadcasts=False, floats=False, view=False, inplace=False, public=True,
       in_special=False, outputs=("result",), nondiff=(), masks=(), contiguous=False, columns=None,
       part=None, joint=None, kernel=None, shown=None, of_complex=True, of_numbers=None,
       **formulas) -> Operator:
    """Declare an operator (see the module's text); raises TypeError for a misspelt name.

    smooth      a function of F and the arguments that tests differentiate instead: for operators
                that are smooth only for Hermitian matrices, or unique only up to a phase
    noise       random: its gradients follow PyTorch's rule and are not derivatives
    broadcasts  elementwise over several tensors: promotion, numbers, and undoing of broadcasting
    floats      integers become the default floating dtype first
    view        the result shares memory with `self`
    inplace     also make `name_`, which writes into `self`; "operator": and x += y
    public      also a function of the package and a method of Tensor; "function": no method
    in_special  instead a function of torch.special
    nondiff     outputs that have no gradient (indices)
    kernel      the forward on arrays, or the name of its kernel, if that is not the operator's name
    masks       inputs that take no part in promotion (conditions)
    contiguous  results are contiguous whatever the strides of the inputs
    columns     outputs whose columns follow one another in memory, as LAPACK has them, each with
                the condition under which they do (in source; rows do, where it is false)
    part        the key of what a view shows of its input, from plain values that formulas name
    shown       the places of the inputs that `next_functions` lists, where these are not those that
                have a formula; None for an entry without an input
    of_complex  false: out of place it is refused where complex numbers would be recorded, for which
                PyTorch has no gradient, though there is one
    of_numbers  inputs that may be Python numbers, each with the class of node that PyTorch has then
    """
    given = locals().copy()
    name, inputs, optional, takes_list, consts, freed = _parse(signature)
    for i in inputs:
        if callable(given.get(i)):       # its formula was taken for the option of that name
            raise TypeError(f"op {signature!r}: {i!r} is an option's name; an input that has a "
                            "formula needs another")
    saves = _saves(signature, inputs, consts, outputs, formulas, joint)
    for i, formula in formulas.items():                # the name that tracebacks show
        formula.__name__ = formula.__qualname__ = f"{name}.{i}"
    by_name = kernel is None or isinstance(kernel, str)
    frame = sys._getframe(1)
    made = Operator(
        name=name, grad_fn=grad_fn, inputs=inputs, optional=optional, consts=consts,
        outputs=tuple(outputs), formulas=formulas, joint=joint, jvp=jvp, samples=samples,
        smooth=smooth, noise=noise, broadcasts=broadcasts, floats=floats, view=view,
        inplace=inplace, public=False if in_special else public, in_special=in_special,
        nondiff=tuple(nondiff), place=(frame.f_code.co_filename, frame.f_lineno),
        masks=tuple(masks), contiguous=contiguous, columns=columns or {}, part=part, shown=shown,
        of_complex=of_complex, of_numbers=of_numbers or {}, takes_list=takes_list, freed=freed,
        kernel=None if by_name else kernel, kernel_name=kernel or name if by_name else None,
        saves=saves)
    if name in REGISTRY:
        raise TypeError(f"op {name!r} is declared twice")
    REGISTRY[name] = made
    return made


when_built: list[Callable] = []        # called with every operator built: _torch_function.py


class Operators:
    """The namespace F for Tensors: T.mul is the operator mul, built when first asked for.

    T.mul_ is the operator in place.
    """

    def __getattr__(self, name: str) -> Any:
        if name in composites:
            fn = composites[name]
        elif name in REGISTRY:
            fn = REGISTRY[name].fn
        elif name.endswith("_") and name[:-1] in REGISTRY:
            fn = REGISTRY[name[:-1]].in_place
        else:
            raise AttributeError(f"no operator {name!r}")
        setattr(self, name, fn)
        return fn


F = Operators()
composites: dict[str, Callable] = {}       # functions of Tensors that formulas may also call


def composite(fn):
    """Let formulas call `fn`, a composition of operators, as F.<name>; a kernel must match it."""
    composites[fn.__name__] = fn
    return fn


def source(name: str) -> str:
    """The generated Python of an operator, below comments that say where it is declared and
    computed.

    Of a public function that is written by hand, because it checks or converts its arguments, it
    is the source of that, below the names of the operators which it calls: "softmax" leads to
    "softmax_dim". LookupError where `name` is neither.
    """
    from .bind import OPERATORS
    from .describe import function_source, places
    from .public import ALIASES
    name = OPERATORS[name][0] if name in OPERATORS else ALIASES.get(name, name)
    if name not in REGISTRY:
        written = function_source(name)
        if written is not None:
            return written
        plain = REGISTRY.get(name.removesuffix("_"))          # its source has both functions
        if plain is None or not plain.inplace:
            similar = sorted(other for other in REGISTRY if name in other)
            raise LookupError(f"no operator is called {name!r}" + (
                f", but {', '.join(similar)}" if similar else "")
                + "; t.grad_fn.operator.name is the one that made a tensor t")
        name = plain.name
    return f"{places(REGISTRY[name])}{REGISTRY[name].source}"
