"""The text of an operator's node class: from the gradient of its output to those of its inputs.

    class ExpBackward0(Node):
        def run(node, g, edges):                       # on arrays; run_graph is the same on Tensors
            saved = node._saved
            if saved is None: freed(node)
            a_result, c_result, v_result, = saved
            e_self, = edges
            if e_self is None: d_self = node.unpack_all()
            else:
                if c_result[0] != v_result: stale(...)
                d_self = f_self(K, g, a_result)
            return (d_self,)

Local names: s_x is the Tensor saved for input x, v_x its version then; a_y, c_y, v_y are array,
cell and version of a saved output y; k_z is a plain value that is freed with them; e_x is the edge
of input x (None: its gradient is not wanted) and d_x its gradient. A node that runs for nothing (a
view made under no_grad leads nowhere) still unpacks what it saved: that may be an error.
"""

from __future__ import annotations

from inspect import signature

from ..kernels import fast

# --------------------------------------------------------------------------- what a node saves


def saved_tensors(op):
    """Tensor inputs that formulas name, in order."""
    used = op.used()
    return [i for i in op.inputs if i in used]


def saved_outputs(op):
    """Outputs that formulas name."""
    used = op.used()
    return [o for o in op.outputs if o in used]


def saved_values(op):
    """Plain values that are freed with the saved tensors."""
    return [c for c in op.consts if c in op.freed and c in op.used()]


def slot(op, name):
    """Where a node keeps a plain value; "_saved_" begins what PyTorch's nodes show, too."""
    return f"_saved_{name}" if name in op.consts else f"_{name}"


def kept_values(op):
    """(slot, what it is) of everything saved that outlives the saved tensors."""
    used = op.used()
    values = [(slot(op, c), c) for c in op.consts if c in used and c not in op.freed]
    for i in op.inputs:
        values += [(f"_{i}_{what}", f"{i}_{what}") for what in ("shape", "strides", "dtype")
                   if f"{i}_{what}" in used]
    return values


def saves_in_any_case(op):
    """Whether a value is saved whichever gradients are wanted: several formulas name it."""
    if op.joint is not None or op.takes_list or len(op.inputs) == 1 or saved_outputs(op):
        return True
    names = [w for i in op.inputs for w in op.saves.get(i, ())]
    return any(names.count(i) > 1 for i in op.inputs)


def saved_layout(op):
    """The fields of `node._saved`, in order, as local names."""
    fields = []
    for i in saved_tensors(op):
        fields += [f"s_{i}", f"v_{i}"]
    for o in saved_outputs(op):
        fields += [f"a_{o}", f"c_{o}", f"v_{o}"]
    return fields + [f"k_{c}" for c in saved_values(op)]


# --------------------------------------------------------------------------- text

def tuple_text(items):
    """The source of a tuple of these items."""
    return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"


def indent(lines, by=1):
    """The lines, `by` levels further in."""
    return ["    " * by + line if line else "" for line in lines]


def by_size(name, array, small, twin, declined, once=False):
    """The lines that do `small` where `array` is; else ask the compiled `twin`, and do `declined`
    where that gives None."""
    return [f"if {is_small(array, fast.limit(name), once)}: {small}", "else:", f"    {twin}",
            f"    if {twin.partition(' = ')[0]} is None: {declined}"]


def is_small(array, limit, once=False):
    """The test, as source, whether `array` is left to NumPy: below a limit, or another of half
    precision, or with `once` of an array that repeats its elements."""
    if limit <= fast.HALF:
        return f"{array}.size < {limit}"
    # one comparison for what is small in any precision
    test = f"{array}.size < {fast.HALF} or {array}.size < {limit} and {array}.itemsize != 2"
    if not once or limit <= fast.REPEATED:
        return test
    return (f"{test} and ({array}.size < {fast.REPEATED} or {array}.flags.c_contiguous "
            f"or 0 not in {array}.strides)")


def node_class(op):
    """The class statement of the operator's node."""
    slots = [kept[0] for kept in kept_values(op)] + ["_undo"] * op.broadcasts
    body = [f"__slots__ = {tuple(slots)!r}"]
    if len(op.outputs) > 1:
        body += [f"n_outputs = {len(op.outputs)}"]
    body += ["", *run_method(op, "run", "K", graph=False), ""]
    body += run_method(op, "run_graph", "F", graph=True)
    if op.part is not None:
        values = [f"node.{slot(op, name)}" for name in signature(op.part).parameters]
        body += ["", f"def part(node): return f_part({', '.join(values)})"]
    return [f"class {op.grad_fn}(Node):", *indent(body),
            *[f"class {name}({op.grad_fn}): __slots__, number = (), {i!r}"
              for i, name in op.of_numbers.items()]]


def run_method(op, name, namespace, graph):
    """run or run_graph: unpack what was saved, then a formula for each wanted gradient."""
    several = len(op.outputs) > 1
    body = ["# on Tensors, recorded" if graph else "# on arrays"]
    body += ["g = gs[0]"] if several else []
    fields = saved_layout(op)
    if fields:
        gone = "freed(node)" if saves_in_any_case(op) else "return freed(node, edges)"
        body += ["saved = node._saved", f"if saved is None: {gone}",
                 f"{', '.join(fields)}, = saved"]
    if op.takes_list:
        body += list_formula(op, namespace, graph)
    else:
        body += [f"{', '.join('e_' + i for i in op.inputs)}, = edges"]
        body += joint_formula(op, namespace, graph) if op.joint else formulas(op, namespace, graph)
    return [f"def {name}(node, {'gs' if several else 'g'}, edges):", *indent(body)]


def formulas(op, namespace, graph):
    """One formula for each input."""
    out = []
    for i in op.inputs:
        out += one_formula(op, i, namespace, graph)
    grads = tuple_text([f"d_{i}" for i in op.inputs])
    if op.broadcasts:
        out += ["if node._undo is not None: "
                f"return unbroadcast({namespace}, node._undo, {grads}, {graph})"]
    return [*out, f"return {grads}"]


def one_formula(op, i, namespace, graph):
    """d_i, or None if it has no formula or is not wanted."""
    formula = op.formulas.get(i)
    if formula is None:
        return [f"d_{i} = None"]
    if hands_on(formula):
        return [f"d_{i} = None if e_{i} is None else g"]
    checks, args = arguments(op, op.saves[i], graph)
    gradient = list(signature(formula).parameters)[1]
    given = ", ".join([gradient, *args])
    call = f"f_{i}({namespace}, {given})"
    if gradient == "g" and len(op.outputs) > 1 and not hasattr(formula, "refuses"):
        call = f"None if g is None else {call}"
    lines, name = [f"d_{i} = {call}"], f"{op.name}.{i}"
    if fast.has(name) and not graph:
        lines = by_size(name, "g", *lines, f"d_{i} = fast.twin({name!r})({given})",
                        f"d_{i} = declined_{i}({namespace}, {given})")
    nothing = "None" if len(op.inputs) > 1 or not saved_layout(op) else "node.unpack_all()"
    return [f"if e_{i} is None: d_{i} = {nothing}", "else:", *indent([*checks, *lines])]


def hands_on(formula):
    """Whether the formula is lambda F, g: g, which needs no call."""
    def same(F, g):
        return g
    return (formula.__code__.co_code == same.__code__.co_code
            and len(signature(formula).parameters) == 2)


def joint_formula(op, namespace, graph):
    """All gradients by one formula, told which of them are wanted."""
    checks, args = arguments(op, op.saves[op.inputs[0]], graph)
    gradient = list(signature(op.joint).parameters)[1]
    if gradient == "g" and len(op.outputs) > 1:
        checks += [f"if g is None: return {tuple_text(['None'] * len(op.inputs))}"]
    need = tuple_text([f"e_{i} is not None" for i in op.inputs])
    return [*checks, f"return joint({', '.join([namespace, gradient, need, *args])})"]


def list_formula(op, namespace, graph):
    """The formula of an operator on a list of tensors returns a list of gradients."""
    checks, args = arguments(op, op.saves[op.inputs[0]], graph)
    return [*checks, f"return f_{op.inputs[0]}({', '.join([namespace, 'g', *args])})"]


def arguments(op, names, graph):
    """(lines that check versions, argument texts) for the names a formula asks for.

    Inputs are checked in alphabetical order, as in PyTorch, then outputs.
    """
    checks, args = [], []
    for w in sorted(w for w in names if w in op.inputs):
        present = f"s_{w} is not None and " if w in op.optional else ""
        checks += [f"if {present}s_{w}._cell[0] != v_{w}: stale(node, {w!r}, s_{w}, v_{w})"]
    for w in names:
        if w in op.inputs:
            absent = f"None if s_{w} is None else " if w in op.optional else ""
            args += [f"s_{w}" if graph else f"({absent}s_{w}._data)" if absent else f"s_{w}._data"]
        elif w in op.outputs:
            made = f"result_tensor(node, {op.outputs.index(w)}, a_{w}, c_{w}"
            checks += [f"if c_{w}[0] != v_{w}: stale(node, {w!r}, {made}), v_{w})"]
            args += [f"{made}, {w not in op.nondiff})" if graph else f"a_{w}"]
        else:
            args += [f"k_{w}" if w in op.freed else f"node.{slot(op, w)}"]
    return checks, args
