"""From a declaration to straight-line Python: the node class, the function, the in-place function.

Nothing here runs while a program computes; it runs once for each operator that a program uses.
The text is kept in `linecache`, so tracebacks and pdb show it. Hot-path rules: no loops over
arguments, no **kwargs, one test (`track > 1`) for everything unusual.
"""

from __future__ import annotations

import linecache
import sys

import numpy as np

from .. import kernels as K
from .._state import features, state
from .._tensor import Tensor, inference_bit, new
from ..autograd import views
from ..autograd.node import Node, edge, freed, next_seq, stale
from . import support
from .declare import F, Operator


# From NumPy 2.3 on, out=... makes a ufunc return a 0-d array where it would return a scalar.
KEEPS_0D = tuple(map(int, np.__version__.split(".")[:2])) >= (2, 3)


def compile_operator(op: Operator) -> dict:
    """Generate, compile and execute an operator's code; returns its namespace."""
    lines = []
    if op.grad_fn is not None:
        lines += node_class(op)
    lines += ["", *function(op)]
    if op.broadcasts and len(op.inputs) == 2:
        lines += ["", *function(op, reflect="dunder")]
    if op.inplace:
        lines += ["", *in_place_function(op)]
    if op.inplace == "operator":
        lines += ["", *in_place_function(op, reflect="dunder_")]
    text = "\n".join(lines) + "\n"
    filename = f"<operator {op.name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    kernel = op.kernel or getattr(K, op.name)
    scope = {
        **{name: value for name, value in vars(support).items() if not name.startswith("_")},
        **{f"f_{i}": f for i, f in op.formulas.items()},
        "__name__": "retrograd.ops.generated", "K": K, "F": F, "Tensor": Tensor, "Node": Node,
        "state": state, "features": features, "inference_bit": inference_bit, "new": new, "edge": edge, "freed": freed,
        "stale": stale, "next_seq": next_seq, "ndarray": np.ndarray, "asarray": np.asarray,
        "kernel": kernel, "op": op, "joint": op.joint, "view_of": views.view_of,
        "rebase": views.rebase, "check_inplace": views.check_inplace, "getframe": sys._getframe,
        "F32": np.dtype("float32"), "F64": np.dtype("float64"),
    }
    exec(compile(text, filename, "exec"), scope)
    made = {name: scope[name] for name in (op.name, op.name + "_", "dunder", "dunder_")
            if name in scope}
    made["source"] = text
    if op.grad_fn is not None:
        node = made[op.grad_fn] = scope[op.grad_fn]
        node.operator = op
        node.__module__ = "torch.autograd.graph"
        support.add_saved_properties(node, op)
    for name in (op.name, op.name + "_"):
        if name in made:
            made[name].__module__ = "torch"
    return made


# --------------------------------------------------------------------------- names

def py(name):
    """The parameter of the public function that a declared input becomes: self -> input."""
    return "input" if name == "self" else name


def saved_tensors(op):
    """Tensor inputs that formulas name, in order."""
    used = op.used()
    return [i for i in op.inputs if i in used]


def saved_outputs(op):
    used = op.used()
    return [o for o in op.outputs if o in used]


def saved_values(op):
    """Plain values that are freed with the saved tensors."""
    return [c for c in op.consts if c in op.freed and c in op.used()]


def saved_layout(op):
    """The fields of `node._saved`, in order, as local names."""
    fields = []
    for i in saved_tensors(op):
        fields += [f"s_{i}", f"v_{i}"]
    for o in saved_outputs(op):
        fields += [f"a_{o}", f"c_{o}", f"v_{o}"]
    return fields + [f"k_{c}" for c in saved_values(op)]


def tuple_text(items):
    return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"


# --------------------------------------------------------------------------- the node

def node_class(op):
    out = [f"class {op.grad_fn}(Node):"]
    if len(op.outputs) > 1 or op.takes_list:
        out += [f"    n_outputs = {len(op.outputs)}"]
    slots = [f"_saved_{c}" for c in op.consts if c in op.used() and c not in op.freed]
    slots += [f"_saved_{i}_{what}" for i in op.inputs for what in ("shape", "dtype")
              if f"{i}_{what}" in op.used()]
    out += [f"    __slots__ = {tuple(slots + ['_undo'] if op.broadcasts else slots)!r}"]
    out += run_method(op, "run", "K") + [""] + run_method(op, "run_graph", "F")
    return out


def run_method(op, method, namespace):
    graph = method == "run_graph"
    gradient = "gs" if len(op.outputs) > 1 else "g"
    out = [f"    def {method}(node, {gradient}, edges):"]
    if gradient == "gs":
        out += ["        g = gs[0]"]
    fields = saved_layout(op)
    if fields:
        out += ["        saved = node._saved", "        if saved is None: return freed(node, edges)",
                f"        {', '.join(fields)}, = saved"]
    if op.takes_list:
        return out + list_run(op, namespace, graph)
    out += [f"        {', '.join('e_' + i for i in op.inputs)}, = edges"]
    if op.joint is not None:
        return out + joint_run(op, namespace, graph)
    for i in op.inputs:
        if i not in op.formulas:
            out += [f"        d_{i} = None"]
            continue
        out += [f"        if e_{i} is None: d_{i} = None", "        else:"]
        prepare, args = arguments(op, op.saves[i], graph)
        first = list(support.parameters(op.formulas[i]))[1]
        out += ["            " + line for line in prepare]
        if is_identity(op.formulas[i]):
            out[-1] = f"        d_{i} = None if e_{i} is None else g"
            del out[-2]
            continue
        call = f"f_{i}({', '.join([namespace, first, *args])})"
        if first == "g" and gradient == "gs":
            call = f"None if g is None else {call}"
        out += [f"            d_{i} = {call}"]
    grads = tuple_text([f"d_{i}" for i in op.inputs])
    if op.broadcasts:
        out += ["        if node._undo is not None: "
                f"return unbroadcast({namespace}, node._undo, {grads}, {graph})"]
    return out + [f"        return {grads}"]


def is_identity(formula):
    """Whether a formula hands the gradient on as it is: lambda F, g: g."""
    return formula.__code__.co_code == _IDENTITY.__code__.co_code and len(
        support.parameters(formula)) == 2


def _IDENTITY(F, g):
    return g


def arguments(op, names, graph):
    """(lines that check saved values, argument texts) for a formula's names."""
    prepare, args = [], []
    for w in names:
        if w in op.inputs:
            test = f"s_{w} is not None and " if w in op.optional else ""
            prepare += [f"if {test}s_{w}._cell[0] != v_{w}: stale(node, {w!r}, s_{w}, v_{w})"]
            value = f"s_{w}" if graph else f"s_{w}._data"
            if w in op.optional and not graph:
                value = f"(None if s_{w} is None else s_{w}._data)"
            args += [value]
        elif w in op.outputs:
            nr = op.outputs.index(w)
            prepare += [f"if c_{w}[0] != v_{w}: stale(node, {w!r}, "
                        f"result_tensor(node, {nr}, a_{w}, c_{w}), v_{w})"]
            track = w not in op.nondiff
            args += [f"result_tensor(node, {nr}, a_{w}, c_{w}, {track})" if graph else f"a_{w}"]
        elif w in op.freed:
            args += [f"k_{w}"]
        else:
            args += [f"node._saved_{w}"]
    return prepare, args


def joint_run(op, namespace, graph):
    prepare, args = arguments(op, op.saves[op.inputs[0]], graph)
    first = list(support.parameters(op.joint))[1]
    out = ["        " + line for line in prepare]
    if first == "g" and len(op.outputs) > 1:
        out += [f"        if g is None: return {tuple_text(['None'] * len(op.inputs))}"]
    need = tuple_text([f"e_{i} is not None" for i in op.inputs])
    return out + [f"        return joint({', '.join([namespace, first, need, *args])})"]


def list_run(op, namespace, graph):
    i = op.inputs[0]
    prepare, args = arguments(op, op.saves[i], graph)
    return (["        " + line for line in prepare]
            + [f"        return f_{i}({', '.join([namespace, 'g', *args])})"])


# --------------------------------------------------------------------------- the function

def parameters(op, out=True):
    words = [py(i) + ("=None" if i in op.optional else "") for i in op.inputs]
    words += [c if d is None else f"{c}={d}" for c, d in op.consts.items()]
    seen_default = False
    for k, w in enumerate(words):               # a parameter after an optional one needs a default
        seen_default = seen_default or "=" in w
        if seen_default and "=" not in w:
            words[k] = w + "=None"
    if out and op.public and not op.view and len(op.outputs) == 1:
        words += ["out=None"]
    return ", ".join(words)


def arrays(op):
    return [f"x_{i}" for i in op.inputs]


def call_text(op, name=None, extra=()):
    return f"{name or op.name}({', '.join([py(i) for i in op.inputs] + list(op.consts) + list(extra))})"


def opening(op, special, reflect=None):
    """Numbers become 0-d tensors, arrays are read, and `track` tells who is differentiated."""
    out = []
    if op.broadcasts:
        last = py(op.inputs[-1])
        if len(op.inputs) == 2:
            first = py(op.inputs[0])
            out += [f"    cls = {last}.__class__",
                    f"    if cls is float or cls is int: {last}, cls = number({last}, {first}), None"]
    out += ["    try:"]
    for i in op.inputs:
        value = f"{py(i)}._data"
        out += [f"        x_{i} = {value if i not in op.optional else f'None if {py(i)} is None else {value}'}"]
    tracks = [f"{py(i)}._track" if i not in op.optional
              else f"(0 if {py(i)} is None else {py(i)}._track)" for i in op.inputs]
    out += [f"        track = {' | '.join(tracks)}", "    except AttributeError:"]
    tensors = ", ".join(py(i) for i in op.inputs)
    consts = "".join(f", {c}" for c in op.consts)
    if reflect:
        out += [f"        return dunder_operands(op, {tensors}, {reflect!r})"]
    elif op.broadcasts:
        out += [f"        return {special.replace('special', op.name)}(*operands(op, {tensors}){consts})"]
    else:
        out += [f"        not_a_tensor(op, {tuple_text([py(i) for i in op.inputs])})", "        raise"]
    consts = tuple_text(list(op.consts))
    out += [f"    if track > 1: return {special}(op, {tuple_text([py(i) for i in op.inputs])}, "
            f"{'()' if not op.consts else consts})"]
    return out


def promotion(op):
    """Lines that bring the arrays to one dtype."""
    out = []
    if op.broadcasts:
        xs = [f"x_{i}" for i in op.inputs if i not in op.masks]
        out += ["    cast = None"]
        test = " or ".join(f"{xs[0]}.dtype is not {x}.dtype" for x in xs[1:])
        if test:
            tensors = ", ".join(py(i) for i in op.inputs)
            out += [f"    if {test}: {', '.join(arrays(op))}, cast = promoted(op, {tensors})"]
    if op.floats:
        x = arrays(op)[0]
        out += [f"    dt = {x}.dtype",
                f"    if dt is not F32 and dt is not F64: {', '.join(arrays(op))}, = "
                f"to_float({', '.join(arrays(op))})"]
    return out


def function(op, reflect=None):
    """The public function; with `reflect` the variant for operators such as x * y."""
    if op.takes_list:
        return list_function(op)
    name = reflect or op.name
    out = [f"def {name}({parameters(op, out=not reflect)}):"]
    if "out=None" in out[0]:
        out += [f"    if out is not None: return write_out(op, out, {op.name}, "
                f"{tuple_text([py(i) for i in op.inputs] + list(op.consts))})"]
    out += opening(op, "special", reflect) + promotion(op)
    always_array = KEEPS_0D and not op.consts and isinstance(op.kernel or getattr(K, op.name), np.ufunc)
    call = f"kernel({', '.join(arrays(op) + list(op.consts))}{', out=...' if always_array else ''})"
    if op.broadcasts:
        out += ["    try:", f"        res = {call}", "    except ValueError:",
                f"        raise shape_error({', '.join(arrays(op))}) from None",
                f"    except TypeError: raise dtype_error(op, {', '.join(arrays(op))}) from None"]
    elif op.inplace:
        out += ["    try:", f"        res = {call}",
                f"    except TypeError: raise dtype_error(op, {', '.join(arrays(op))}) from None"]
    else:
        out += [f"    res = {call}"]
    if len(op.outputs) > 1:
        return out + several_results(op)
    if not op.view and not always_array:
        out += ["    if res.__class__ is not ndarray: res = asarray(res)"]
    if op.grad_fn is not None and op.outputs[0] not in op.nondiff:
        out += ["    if track and state.grad:"] + record(op)
        if op.view:
            return out + ["        return view_of(input, res, node)",
                          "    return view_of(input, res)"]
        out += result("1", "node", "        ", "cell" if saved_outputs(op) else "[0, None]")
    elif op.view:
        return out + ["    return view_of(input, res)"]
    return out + result("features.inference and inference_bit()", "None", "    ", "[0, None]")


def result(track, node, pad, cell):
    lines = ["t = new(Tensor)", "t._data = res", f"t._cell = {cell}", f"t._track = {track}",
             f"t._grad_fn = {node}", "t._output_nr = 0", "t._base = t._grad = None", "return t"]
    return [pad + line for line in lines]


def record(op, in_place=False):
    """Lines (indented twice) that make `node`."""
    used, out = op.used(), []
    out += [f"node = {op.grad_fn}()", "node._seq = next_seq()"]
    tensors = saved_tensors(op)
    conditional = len(op.inputs) > 1 and op.joint is None
    if conditional and tensors:
        out += [f"{' = '.join('s_' + i for i in tensors)} = None"]
    for i in op.inputs:
        there = f"{py(i)} is not None and " if i in op.optional else ""
        body = [f"fn = {py(i)}._grad_fn",
                f"e_{i} = (fn, {py(i)}._output_nr) if fn is not None else edge({py(i)})"]
        if conditional:
            body += [f"s_{w} = {keep(w, in_place)}" for w in op.saves.get(i, ()) if w in tensors]
        if len(op.inputs) == 1:
            out += body
        else:
            out += [f"if {there}{py(i)}._track:", *("    " + line for line in body),
                    f"else: e_{i} = None"]
    out += [f"node.edges = {tuple_text(['e_' + i for i in op.inputs])}"]
    fields = []
    for i in tensors:
        value = f"s_{i}" if conditional else keep(i, in_place)
        version = f"{py(i)}._cell[0]"
        if i in op.optional:
            version = f"0 if {py(i)} is None else {version}"
        if in_place and i == "self":
            version = "0"
        fields += [value, f"({version})" if "if" in version else version]
    for o in saved_outputs(op):
        if in_place:
            fields += ["x_self", "input._cell", "input._cell[0] + 1"]
        else:
            fields += ["res", "cell", "0"]
    fields += saved_values(op)
    if saved_outputs(op) and not in_place and len(op.outputs) == 1:
        out += ["cell = [0, None]"]
    if fields:
        out += [f"node._saved = {tuple_text(fields)}"]
    out += [f"node._saved_{c} = {c}" for c in op.consts if c in used and c not in op.freed]
    for i in op.inputs:
        if f"{i}_shape" in used:
            shape = f"x_{i}.shape"
            out += [f"node._saved_{i}_shape = "
                    + (f"None if x_{i} is None else {shape}" if i in op.optional else shape)]
        if f"{i}_strides" in used:
            out += [f"node._saved_{i}_strides = x_{i}.strides"]
        if f"{i}_dtype" in used:
            out += [f"node._saved_{i}_dtype = {py(i)}._data.dtype"]
    if op.broadcasts:
        out += broadcast_shapes(op)
    if not in_place:             # in place, what is saved is not there yet
        out += ["if features.recording: finish(node)"]
    return ["        " + line for line in out]


def keep(i, in_place):
    """What is saved for input `i`: in place, `self` is about to change, so a copy."""
    return "saved_copy(x_self, e_self)" if in_place and i == "self" else py(i)


def broadcast_shapes(op):
    """Note shapes and dtypes of the inputs where the gradients will have to be cut back to them."""
    shapes = [f"n_{i}" for i in op.inputs]
    same = (f"{shapes[0]} != {shapes[1]}" if len(shapes) == 2
            else f"not ({' == '.join(shapes)})")
    note = [*(f"{n} = {x}.shape" for n, x in zip(shapes, arrays(op), strict=True)),
            f"if {same} or cast is not None: node._undo = (cast, {tuple_text(shapes)})"]
    if len(op.inputs) == 2:              # a Python number does not change the other's shape
        note = ["if cls is not None or cast is not None:", *("    " + line for line in note)]
    return ["node._undo = None", *note]


def several_results(op):
    """The end of a function with several outputs: a tuple of Tensors."""
    names = [f"r_{o}" for o in op.outputs]
    out = [f"    {', '.join(names)}, = res"]
    outs = saved_outputs(op)
    if op.grad_fn is None:
        wrapped = ", ".join(f"result_tensor(None, 0, {n}, [0, None], False)" for n in names)
        return out + [f"    return {wrapped}"]
    lines = [line.replace("node._saved = (", "node._saved = (") for line in record(op)]
    fixed = []
    for line in lines:
        for o in outs:
            line = line.replace("res, cell, 0", f"r_{o}, c_{o}, 0", 1)
        fixed.append(line)
    out += ["    " + " = ".join(f"c_{o}" for o in op.outputs) + " = None"]
    out += [f"    c_{o} = [0, None]" for o in op.outputs]
    out += ["    if track and state.grad:", *fixed]
    wrapped = ", ".join(
        f"result_tensor(node, {k}, r_{o}, c_{o}, {o not in op.nondiff})"
        for k, o in enumerate(op.outputs))
    out += [f"        return {wrapped}"]
    wrapped = ", ".join(f"result_tensor(None, 0, r_{o}, c_{o}, False)" for o in op.outputs)
    return out + [f"    return {wrapped}"]


def list_function(op):
    """cat and its kind: one list of tensors, an edge for each."""
    i, used = op.inputs[0], op.used()
    out = [f"def {op.name}({parameters(op, out=False)}):",
           f"    {i} = list({i})", "    track = 0", f"    for t in {i}: track |= t._track",
           f"    if track > 1: return special(op, ({i},), {tuple_text(list(op.consts)) if op.consts else '()'})",
           f"    arrays = [t._data for t in {i}]",
           f"    res = kernel({', '.join(['arrays', *op.consts])})",
           "    if track and state.grad:",
           f"        node = {op.grad_fn}()", "        node._seq = next_seq()",
           f"        node.edges = tuple([edge(t) for t in {i}])"]
    out += [f"        node._saved_{c} = {c}" for c in op.consts if c in used]
    if f"{i}_shape" in used:
        out += [f"        node._saved_{i}_shape = [x.shape for x in arrays]"]
    if f"{i}_dtype" in used:
        out += [f"        node._saved_{i}_dtype = [x.dtype for x in arrays]"]
    out += ["        if features.recording: finish(node)"]
    return out + result("1", "node", "        ", "[0, None]") + result("features.inference and inference_bit()", "None", "    ", "[0, None]")


# --------------------------------------------------------------------------- in place

def in_place_function(op, reflect=None):
    """name_: writes into `self`, then makes the node its history; with `reflect` for x += y."""
    name = op.name + "_"
    out = [f"def {reflect or name}({parameters(op, out=False)}):"] + opening(op, "special_", reflect)
    if op.broadcasts:
        counted = [i for i in op.inputs if i not in op.masks]
        test = " or ".join(f"x_{counted[0]}.dtype is not x_{i}.dtype" for i in counted[1:])
        dtypes = tuple_text([f"x_{i}.dtype" for i in op.inputs])
        out += [f"    cast = {dtypes} if {test} else None"]
    if op.grad_fn is None:
        out += ["    node = None"]
    else:
        out += ["    if track and state.grad:", "        check_inplace(input)",
                *record(op, in_place=True), "    else: node = None"]
    values = "".join(f", {c}" for c in op.consts)
    out += [f"    store(op, kernel, input, {tuple_text([py(i) for i in op.inputs[1:]]) if op.inputs[1:] else '()'}"
            f", ({values[2:]}{',' if values else ''}))",
            "    cell = input._cell", "    frame = getframe(1)",
            "    if node is not None: rebase(input, node)",
            "    cell[0] += 1", f"    cell[1] = ({name!r}, frame.f_code, frame.f_lasti)",
            "    if node is not None and features.recording: finish(node)",
            "    return input"]
    return out
