"""From a declaration to straight-line Python: the function and the in-place function.

Nothing here runs while a program computes; it runs once for each operator that a program uses.
The text is kept in `linecache`, so tracebacks and pdb show it, and `declare.source("mul")` returns
it. Hot-path rules: no loops over arguments, no **kwargs, one test (`flags > 1`) for everything
unusual. The node class is written by `generate_node.py`.

Local names: x_i is the array of input i, e_i its edge, n_i its shape; `flags` is the union of the
inputs' `_flags`, with bit 1 if one of them requires grad.

NOTE [dispatch]
    What a call of an operator goes through, in this order; what a program does not use costs it one
    comparison at most.
    1. Modes and classes that see the call itself: `__torch_function__`, autocast,
       TorchDispatchMode, selective checkpointing. The function has no test for them: when the first
       one appears, the code of the functions is exchanged for code that asks it (`_entries.py`;
       NOTE [__torch_function__], NOTE [calls] in `calls.py`).
    2. Special tensors: of vmap, of forward mode, sparse, without data, wrappers, of inference mode.
       They have further bits in `_flags`, so that `flags > 1` sends the call to `special`; that
       takes one kind off, and calls the operator again on what is left (NOTE [special tensors] in
       `special_modes.py`). Python's floats and ints have become 0-d tensors before that; whatever
       else has no `_data` goes to `operands`, which converts it or raises PyTorch's TypeError.
    3. The kernel, by the size of the first array: NumPy's of `kernels/` or, from `fast.limit`
       elements on, its compiled twin in `kernels/fast`, which may decline and leave it to NumPy.
    4. Recording: if an input requires grad and this thread records, a node is made; if a tool wants
       to see new nodes (`features.recording`), `finish` shows it to that.
    A node's `run` chooses among kernels in the same way, by the size of the gradient. With
    create_graph=True `run_graph` calls operators instead, which begin at 1 again.
"""

from __future__ import annotations

import linecache
import math
import sys

import numpy as np

from .. import kernels as K
from .._state import features, state
from .._tensor import Tensor, creation_flags, new
from ..autograd import views
from ..autograd.node import Node, connect, freed, history, next_seq, stale
from ..kernels import fast
from ..kernels.layout import arranged
from ..kernels.shape import by_columns, once
from . import in_place, support
from .arguments import default_to_missing, listed_signatures, shown
from .declare import F, Operator
from .describe import describe, describe_in_place
from .dims import whole
from .dtype_errors import REFUSED, TENSORS_ONLY
from .generate_node import (
    by_size,
    indent,
    is_small,
    kept_values,
    node_class,
    saved_outputs,
    saved_tensors,
    saved_values,
    tuple_text,
)
from .out import write_out
from .saved_properties import add_saved_properties

# From NumPy 2.3 on, out=... makes a ufunc return a 0-d array where it would return a scalar.
KEEPS_0D = tuple(map(int, np.__version__.split(".")[:2])) >= (2, 3)
UNUSUAL = "flags > 1 and (flags > 3 or not state.inference)"
RECORDED = "if flags and (not features.paused or state.grad):"

NAMES = {
    **{name: value for module in (support, in_place) for name, value in vars(module).items()
       if not name.startswith("_")},
    "__name__": "retrograd.ops.generated", "K": K, "F": F, "Tensor": Tensor, "Node": Node,
    "state": state, "features": features, "creation_flags": creation_flags, "new": new,
    "connect": connect, "history": history, "freed": freed, "stale": stale, "next_seq": next_seq,
    "ndarray": np.ndarray, "asarray": np.asarray, "view_of": views.view_of, "rebase": views.rebase,
    "fast": fast,
    "check_inplace": views.check_inplace, "getframe": sys._getframe,
    "arranged": arranged, "whole": whole, "by_columns": by_columns, "write_out": write_out,
    "F32": np.dtype("float32"), "F64": np.dtype("float64"),
}

# Python's names for operators that have a sign, where they differ: x / y calls x.__truediv__(y)
DUNDERS = {"div": "truediv", "floor_divide": "floordiv", "bitwise_and": "and", "bitwise_or": "or",
           "bitwise_xor": "xor", "bitwise_left_shift": "lshift", "bitwise_right_shift": "rshift"}


def dunder_name(name: str, prefix: str = "") -> str:
    """The method that Python calls for an operator's sign: __mul__ for *, with "i" __imul__."""
    return f"__{prefix}{DUNDERS.get(name, name)}__"


def compile_operator(op: Operator) -> dict:
    """Generate and execute an operator's code.

    Returns what it defines: {name: function}, the node class by its name, and under "source" the
    text that `declare.source` shows.
    """
    printed = folded(source_lines(op))
    text = "\n".join([*printed, *folded(expression_variants(op))]) + "\n"
    filename = f"<operator {op.name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    scope = {**NAMES, **{f"f_{i}": f for i, f in op.formulas.items()}, "op": op, "joint": op.joint,
             "f_part": op.part, "kernel": kernel_of(op), **compiled_twins(op)}
    exec(compile(text, filename, "exec"), scope)
    made = {name: scope[name] for name in (op.name, op.name + "_", "dunder", "dunder_", op.grad_fn,
                                           *op.of_numbers.values()) if name in scope}
    for variant in made.keys() & {"dunder", "dunder_"}:
        made[variant].__name__ = dunder_name(op.name, "i" * variant.endswith("_"))
    made["source"] = "\n".join(printed)
    if op.grad_fn is not None:
        for name in (op.grad_fn, *op.of_numbers.values()):
            made[name].operator, made[name].__module__ = op, "torch.autograd.graph"
        add_saved_properties(made[op.grad_fn], op)
    made[op.name].__module__ = (
        "retrograd.special" if op.in_special else sys.modules["retrograd"].__name__)
    made[op.name].__doc__ = describe(op)
    if op.inplace:
        made[op.name + "_"].__module__ = made[op.name].__module__
        made[op.name + "_"].__doc__ = describe_in_place(op)
    if op.public and listed_signatures(op.name):
        for name in {op.name, op.name + "_"} & made.keys():
            default_to_missing(made[name])
    return made


def source_lines(op):
    """The lines of the node class, the function and the in-place function."""
    lines = [] if op.grad_fn is None else [*node_class(op), ""]
    lines += function(op)
    return [*lines, "", *in_place_function(op)] if op.inplace else lines


def folded(lines):
    """The lines, where a long `if test: action` takes two."""
    out = []
    for line in lines:
        test, _, action = line.partition(": ")
        margin = len(test) - len(test.lstrip())
        if len(line) > 100 and action and test[margin:].startswith(("if ", "except ")):
            out += [f"{test}:", " " * (margin + 4) + action]
        else:
            out.append(line)
    return out


def expression_variants(op):
    """Lines of the two functions again, for x * y and x *= y.

    They return NotImplemented for an operand of another class, so that Python asks that class.
    """
    lines = []
    if op.broadcasts and len(op.inputs) == 2:
        lines += ["", *function(op, dunder="dunder")]
    if op.inplace == "operator":
        lines += ["", *in_place_function(op, dunder="dunder_")]
    return lines


def kernel_of(op):
    """The operator's forward on arrays."""
    found = op.kernel or getattr(K, op.kernel_name)
    return getattr(found, "plain", found)


def compiled_twins(op):
    """What the code calls where its first array is large: see kernels/fast."""
    found = {}
    if has_twin(op):
        op.onto_from = op.onto_half = fast.IN_PLACE.get(op.kernel_name, math.inf)
        if op.kernel_name in fast.IN_PLACE and op.kernel_name not in fast.ONE_PASS:
            op.onto_half = min(op.onto_from, fast.HALF)
        plain = found["small"] = kernel_of(op)
        found["declined"] = once(plain) if of_each(op) else fast.declined(op.kernel_name, plain)
        found["large"] = fast.large(op.kernel_name, plain)
        found["by_result"] = fast.by_result(plain, found["large"])
    for i, formula in op.formulas.items():
        if fast.has(f"{op.name}.{i}"):
            found[f"declined_{i}"] = fast.declined_formula(f"{op.name}.{i}", formula)
    return found


def has_twin(op):
    """Whether there is a compiled kernel for the operator."""
    return op.kernel is None and fast.has(op.kernel_name)


# Elementwise functions of one tensor whose forward-mode rule does not say so
EACH = {"abs", "neg", "sgn", "angle", "logical_not", "bitwise_not", "signbit", "isnan", "isinf",
        "isfinite"}


def of_each(op):
    """Whether an element of the result depends on one of the only tensor alone, so that what that
    repeats is computed once."""
    return (len(op.inputs) == 1 and not op.view and "stream" not in op.consts        # not random
            and (op.jvp == "elementwise" or op.name in EACH))


# --------------------------------------------------------------------------- names and parameters

def arg(name):
    """The parameter of a declared input: self -> input."""
    return "input" if name == "self" else name


def tensors(op):
    """The tensor parameters' names."""
    return [arg(i) for i in op.inputs]


def arrays(op):
    """The locals that hold the inputs' arrays, as an argument list."""
    return ", ".join(f"x_{i}" for i in op.inputs)


def parameters(op):
    """The parameter list; what follows an optional parameter has a default too."""
    words = [arg(i) + ("=None" if i in op.optional else "") for i in op.inputs]
    words += [c if default is None else f"{c}={default}" for c, default in op.consts.items()]
    for k, word in enumerate(words):
        if "=" not in word and any("=" in earlier for earlier in words[:k]):
            words[k] = word + "=None"
    return ", ".join(words)


def takes_out(op):
    """Whether the function has the argument `out`."""
    return (op.public or op.in_special) and not op.view and len(op.outputs) == 1


def promoted_arrays(op):
    """The locals that hold the arrays which take part in promotion."""
    return [f"x_{i}" for i in op.inputs if i not in op.masks]


def dtypes_differ(op):
    """The test whether the inputs' dtypes differ, or None for one input."""
    first, *rest = promoted_arrays(op)
    return " or ".join(f"{first}.dtype is not {x}.dtype" for x in rest)


# --------------------------------------------------------------------------- the function

def function(op, dunder=None):
    """The public function; `dunder` names the variant for x * y, which can decline."""
    if op.takes_list:
        return list_function(op)
    head, body = parameters(op), []
    if takes_out(op) and not dunder:
        head += ", *, out=None"
        args = tuple_text([*tensors(op), *op.consts])
        body += [f"if out is not None: return write_out(op, out, {op.name}, {args})"]
    body += opening(op, "special", op.name, dunder) + promotion(op) + forward(op)
    body += several_results(op) if len(op.outputs) > 1 else one_result(op)
    return [f"def {dunder or op.name}({head}):", *indent(body)]


def opening(op, special, name, dunder):
    """Lines that make tensors of numbers, read the arrays and flags, and leave for the unusual."""
    given = f"{tuple_text(tensors(op))}, {tuple_text(list(op.consts))}"
    return [*numbers(op),
            "# the inputs' arrays, and what is special about the inputs",
            "try:", *indent(reads(op)),
            "except AttributeError:", *indent([without_array(op, name, dunder)]),
            f"if {UNUSUAL}: return {special}(op, {given})"]


def numbers(op):
    """Lines that check plain values, and make a 0-d tensor of a number that is the last operand."""
    out = [f"if {c}.__class__ is not float: {c} = number_of({c}, {c!r})"
           for c, default in op.consts.items() if default is not None and "." in default]
    out += [f"if {c}.__class__ is not int: {c} = whole({c})"
            for c, default in op.consts.items() if op.public and default == "0"]
    if not op.broadcasts or len(op.inputs) != 2:
        return out
    first, last = tensors(op)
    out += [f"cls = {last}.__class__"]
    if op.name in TENSORS_ONLY:
        return out
    how = f"{last}, {first}" + ", True" * (op.name in support.FACTORS)
    return [*out, f"if cls is float or cls is int: {last}, cls = number({how}), None"]


def reads(op):
    """Lines that read the inputs' arrays, and join their `_flags`."""
    out, flags = [], []
    for i in op.inputs:
        absent = f"if {arg(i)} is None else " if i in op.optional else ""
        out += [f"x_{i} = {'None ' if absent else ''}{absent}{arg(i)}._data"]
        flags += [f"(0 {absent}{arg(i)}._flags)" if absent else f"{arg(i)}._flags"]
    return [*out, f"flags = {' | '.join(flags)}"]


def without_array(op, name, dunder):
    """The line for an operand that is no Tensor: convert it, decline, or raise PyTorch's error."""
    inputs, writes = ", ".join(tensors(op)), name != op.name
    if dunder:
        return f"return dunder_operands(op, {inputs}, {dunder!r})"
    if op.broadcasts:
        consts = "".join(f", {c}" for c in op.consts)
        return f"return {name}(*operands(op, {inputs}{', in_place=True' * writes}){consts})"
    given = f"{tuple_text(tensors(op))}, {tuple_text(list(op.consts))}"
    return f"return not_a_tensor(op, {given}{', True' * writes})"


def promotion(op):
    """Lines that bring the arrays to one dtype."""
    out = []
    if op.broadcasts:
        out += ["# one dtype", "cast = None"]
        if dtypes_differ(op):
            out += [f"if {dtypes_differ(op)}: "
                    f"{arrays(op)}, cast = promoted(op, {', '.join(tensors(op))})"]
    if op.floats:
        out += [] if op.broadcasts else ["# a floating dtype"]
        out += [f"dt = x_{op.inputs[0]}.dtype", "if dt is not F32 and dt is not F64: "
                f"{arrays(op)}, = to_float({arrays(op)})"]
    return out


def stays_array(op):
    """Whether the kernel call can be told to return 0-d results as arrays."""
    return KEEPS_0D and not op.consts and isinstance(kernel_of(op), np.ufunc)


def forward(op):
    """The kernel call, and PyTorch's errors where it fails."""
    args = ", ".join([arrays(op), *op.consts])
    given = f"({args}{', out=...' if stays_array(op) else ''})"
    choice, call = ["# the kernel"], [f"res = kernel{given}"]
    if has_twin(op) and op.kernel_name in fast.BY_RESULT:
        choice += choice_of_kernel(op)
    elif has_twin(op):
        call = by_size(op.kernel_name, f"x_{op.inputs[0]}", *call,
                       f"res = fast.twin({op.kernel_name!r})({args})",
                       f"res = declined{given}", of_each(op))
    dtypes = f"except TypeError: {wrong_type(op, op.name)}"
    if op.name in REFUSED:
        choice += [f"if x_{op.inputs[0]}.dtype.char in {REFUSED[op.name]!r}: "
                   f"raise dtype_error(op, {arrays(op)})"]
    if op.broadcasts:
        narrow = [f"if cast is not None: res = in_own_dtype(res, cast, {', '.join(tensors(op))})"]
        return [*choice, "try:", *indent(call), "except ValueError:",
                f"    raise input_error({', '.join(tensors(op))}) or shape_error({arrays(op)}) "
                "from None", dtypes, *(narrow if op.name in support.FACTORS else [])]
    return [*choice, "try:", *indent(call), dtypes] if op.inplace or op.consts else [*choice, *call]


def choice_of_kernel(op):
    """Lines that choose `kernel` where the size of the first array alone does not decide."""
    if op.kernel_name not in fast.BY_LINES:
        few = is_small(f"x_{op.inputs[0]}", fast.limit(op.kernel_name))
        return [f"kernel = small if {few} else large"]
    alike = f"x_other.size < {fast.BESIDE} or x_self.shape == x_other.shape"
    few = f"x_self.size < {fast.APART} and x_self.size < {fast.ROWS} * x_self.shape[-1]"
    dense = "x_self.flags.c_contiguous and x_other.flags.c_contiguous"
    lines = [f"if {is_small('x_self', min(fast.limit(op.kernel_name), fast.SPREAD))}:",
             f"    kernel = small if {alike} else by_result"]
    if fast.limit(op.kernel_name) > fast.SPREAD:
        lines += [f"elif ({is_small('x_self', fast.limit(op.kernel_name))}) "
                  f"and ({few} or {dense}):",
                  f"    kernel = small if {alike} else by_result"]
    return [*lines, "else: kernel = large"]


def wrong_type(op, name):
    """The line that handles a kernel's TypeError: 0-d tensors are tried as numbers."""
    dtypes = f"raise dtype_error(op, {arrays(op)}) from None"
    if not op.consts:
        return dtypes
    given = f"{tuple_text(tensors(op))}, {tuple_text(list(op.consts))}"
    return f"return with_numbers(op, {name!r}, {given})"


def one_result(op):
    """The end of a function with one output."""
    recorded = op.grad_fn is not None and op.outputs[0] not in op.nondiff
    if op.view:
        made = [RECORDED, *indent(record(op)),
                "    return view_of(input, res, node)"] if recorded else []
        return [*made, "return view_of(input, res)"]
    out = [] if stays_array(op) else ["if res.__class__ is not ndarray: res = asarray(res)"]
    out += in_order(op, op.outputs[0], "res")
    if recorded:
        cell = "cell" if saved_outputs(op) else "[0, None]"
        out += [RECORDED,
                *indent([*record(op), *tensor_lines("1", "node", cell)])]
    return [*out, "# the result", *tensor_lines(unrecorded("t"), "None", "[0, None]")]


def in_order(op, output, array):
    """A line that puts a result into PyTorch's order in memory, where NumPy's is another."""
    if output in op.columns:
        return [f"{array} = by_columns({array}, {op.columns[output]})"]
    if op.contiguous:
        return [f"if {array}.ndim > 1 and not {array}.flags.c_contiguous: {array} = {array}.copy()"]
    if op.broadcasts and len(op.inputs) > 1:         # the last operand decides nothing
        plain = " and ".join(f"x_{i}.flags.c_contiguous" for i in op.inputs[:-1])
        number = "cls is not None and " if len(op.inputs) == 2 else ""
        return [f"if {number}x_{op.inputs[0]}.ndim > 1 and not ({plain}): "
                f"{array} = arranged({array}, {arrays(op)})"]
    return []


def tensor_lines(flags, node, cell):
    """Lines that wrap `res` and return it."""
    return [*wrapping("t", "res", flags, node, cell, 0), "return t"]


def wrapping(t, array, flags, node, cell, output_nr):
    """Lines that make the Tensor `t` of an array: a call would cost as much again."""
    return [f"{t} = new(Tensor)", f"{t}._data = {array}", f"{t}._cell = {cell}",
            f"{t}._flags = {flags}", f"{t}._grad_fn = {node}", f"{t}._output_nr = {output_nr}",
            f"{t}._base = {t}._grad = None"]


def unrecorded(t):
    """The initial `_flags` of a Tensor that is not recorded, as source."""
    return f"features.creation_modes and creation_flags({t})"


def several_results(op):
    """The end of a function with several outputs: a tuple of Tensors."""
    out = [", ".join(f"r_{o}" for o in op.outputs) + ", = res"]
    out += [line for o in op.outputs for line in in_order(op, o, f"r_{o}")]
    out += [f"if r_{o}.__class__ is not ndarray: r_{o} = asarray(r_{o})" for o in op.outputs]
    out += [f"c_{o} = [0, None]" for o in op.outputs]

    def wrapped(recorded):
        made = []
        for k, o in enumerate(op.outputs):
            tracked = recorded and o not in op.nondiff
            made += wrapping(f"t_{o}", f"r_{o}", "1" if tracked else unrecorded(f"t_{o}"),
                             "node" if tracked else "None", f"c_{o}", k)
        return [*made, f"return {', '.join('t_' + o for o in op.outputs)}"]
    if op.grad_fn is not None:
        out += [RECORDED, *indent([*record(op), *wrapped(True)])]
    return [*out, *wrapped(False)]


def list_function(op):
    """The function of an operator on a list of tensors (cat, stack ...): an edge for each."""
    i = op.inputs[0]
    out = [f"{i} = list({i})", "flags = 0", f"for t in {i}: flags |= t._flags",
           f"if {UNUSUAL}: return special(op, ({i},), {tuple_text(list(op.consts))})",
           f"arrays = [t._data for t in {i}]",
           f"res = kernel({', '.join(['arrays', *op.consts])})", RECORDED]
    made = [f"node = {op.grad_fn}()", f"connect(node, {i})", "node._seq = next_seq()"]
    for slot, what in kept_values(op):
        attribute = what.removeprefix(f"{i}_")
        value = what if what in op.consts else f"[x.{attribute} for x in arrays]"
        made += [f"node.{slot} = {value}"]
    made += ["if features.recording: finish(node)", *tensor_lines("1", "node", "[0, None]")]
    out += indent(made) + tensor_lines(unrecorded("t"), "None", "[0, None]")
    return [f"def {op.name}({parameters(op)}):", *indent(out)]


# --------------------------------------------------------------------------- recording

def record(op, in_place=False):
    """Lines that make `node`: edges, saved values, and what undoes broadcasting."""
    refused = [] if op.of_complex or in_place else [
        f"if x_{op.inputs[0]}.dtype.kind == 'c': raise no_complex_gradient({shown(op)!r})"]
    out = [*refused, "# recorded: where the gradients will go, and what their formulas need",
           f"node = {class_of_node(op)}()", *edges(op, in_place), "node._seq = next_seq()"]
    one_output = len(op.outputs) == 1 and not in_place
    if saved_outputs(op) and one_output:
        out += ["cell = [0, None]"]
    fields = saved_fields(op, in_place)
    if fields:
        out += [f"node._saved = {tuple_text(fields)}"]
    for slot, what in kept_values(op):
        out += [f"node.{slot} = {what if what in op.consts else metadata(op, what)}"]
    if op.broadcasts:
        out += broadcast_shapes(op)
    if not in_place:             # in place, what is saved is not there yet
        out += ["if features.recording: finish(node)"]
    return out


def class_of_node(op):
    """The node's class, as source: PyTorch has others where operands are Python numbers."""
    others = "".join(f"{name} if {arg(i)}._wrapped else " for i, name in op.of_numbers.items())
    return f"({others}{op.grad_fn})" if others else op.grad_fn


def each_separately(op):
    """Whether an input is saved only if a formula that is needed names it."""
    return len(op.inputs) > 1 and op.joint is None


def edges(op, in_place):
    """An edge for each input that requires grad, and what its formula needs."""
    saved = saved_tensors(op)
    separately = each_separately(op)
    out = [f"{' = '.join('s_' + i for i in saved)} = None"] if separately and saved else []
    for i in op.inputs:
        lines = [f"e_{i} = {arg(i)}._grad_fn or history({arg(i)})"]
        if separately:
            lines += [f"s_{w} = {kept(w, in_place)}" for w in op.saves.get(i, ()) if w in saved]
        if len(op.inputs) > 1:
            there = f"{arg(i)} is not None and " if i in op.optional else ""
            lines = [f"if {there}{arg(i)}._flags:", *indent(lines), f"else: e_{i} = None"]
        out += lines
    outputs = [f"(0 if {arg(i)} is None else {arg(i)}._output_nr)" if i in op.optional
               else f"{arg(i)}._output_nr" for i in op.inputs]
    return [*out, f"node.edges = {tuple_text(['e_' + i for i in op.inputs])}",
            f"if {' or '.join(outputs)}: node._numbers = {tuple_text(outputs)}"]


def kept(i, in_place):
    """What is saved for input `i`: in place, `self` is about to change, so a copy."""
    return "saved_copy(x_self, e_self, input._output_nr)" if in_place and i == "self" else arg(i)


def saved_fields(op, in_place):
    """The values of `node._saved`, in the order of generate_node.saved_layout."""
    fields = []
    for i in saved_tensors(op):
        version = f"{arg(i)}._cell[0]"
        if in_place and i == "self":
            version = "0"
        elif i in op.optional:
            version = f"(0 if {arg(i)} is None else {version})"
        fields += [f"s_{i}" if each_separately(op) else kept(i, in_place), version]
    for o in saved_outputs(op):
        if in_place:
            fields += ["x_self", "input._cell", "input._cell[0] + 1"]
        elif len(op.outputs) == 1:
            fields += ["res", "cell", "0"]
        else:
            fields += [f"r_{o}", f"c_{o}", "0"]
    return fields + saved_values(op)


def metadata(op, what):
    """The text of an input's shape, strides or dtype: self_shape -> x_self.shape."""
    i, _, attribute = what.rpartition("_")
    owner = f"{arg(i)}._data" if attribute == "dtype" else f"x_{i}"
    return f"None if x_{i} is None else {owner}.{attribute}" if i in op.optional \
        else f"{owner}.{attribute}"


def broadcast_shapes(op):
    """Lines that note the inputs' shapes and dtypes, if the gradients must be reduced to them."""
    shapes = [f"n_{i}" for i in op.inputs]
    same = " == ".join(shapes)
    differ = same.replace("==", "!=") if len(shapes) == 2 else f"not ({same})"
    note = [f"n_{i} = x_{i}.shape" for i in op.inputs]
    note += [f"if {differ} or cast is not None: node._undo = (cast, {tuple_text(shapes)})"]
    if len(op.inputs) == 2:              # a Python number does not change the other's shape
        note = ["if cls is not None or cast is not None:", *indent(note)]
    return ["node._undo = None", *note]


# --------------------------------------------------------------------------- in place

def in_place_function(op, dunder=None):
    """name_: writes into `self`, then makes the node its history; `dunder` for x += y."""
    name = op.name + "_"
    body = opening(op, "special_", name, dunder)
    if op.broadcasts:
        dtypes = tuple_text([f"x_{i}.dtype" for i in op.inputs])
        body += [f"cast = {dtypes} if {dtypes_differ(op)} else None"]
    if op.grad_fn is None:
        body += ["node = None"]
    else:
        body += [RECORDED, "    check_inplace(input)",
                 *indent(record(op, in_place=True)), "else: node = None"]
    others, consts = tuple_text(tensors(op)[1:]), tuple_text(list(op.consts))
    writer = (op.kernel_name or op.name) + "_"
    stored = f"store(op, kernel, input, {others}, {consts})"
    if op.consts:
        stored = f"try: {stored}\nexcept TypeError: {wrong_type(op, name)}"
    body += ["# the write", *stored.splitlines(), "cell = input._cell", "frame = getframe(1)",
             "if node is not None: rebase(input, node)",
             "cell[0] += 1", f"cell[1] = ({writer!r}, frame.f_code, frame.f_lasti)",
             "if node is not None and features.recording: finish(node)", "return input"]
    return [f"def {dunder or name}({parameters(op)}):", *indent(body)]
