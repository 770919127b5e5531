"""Errors and warnings tell, after PyTorch's own words, which lines of the user's file are to blame.

`tests/explain/` holds a small script for each situation; here stands what it must be told: the
lines, in order, what is said of each, and the cure.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import retrograd
from comparing import torch_is_retrograd
from retrograd import debug
from retrograd.debug.doctor import Doctor

SCRIPTS = Path(__file__).parent / "explain"
NOT_RECORDED = "element 0 of tensors does not require grad and does not have a grad_fn"
TWICE = "Trying to backward through the graph a second time"
MODIFIED = "one of the variables needed for gradient computation has been modified"
NON_LEAF = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."
SILENCED = ".requires_grad = True`: the error would go away"

# script: (PyTorch's words, [(line of the script, what is said of it)], cure)
CASES = {
    "leaf_by_accident": (NON_LEAF, [
        ("x = torch.ones(2, requires_grad=True) * 2", "requires_grad was set on a tensor that "
         "this line computes with"),
    ], "`x = (torch.ones(2) * 2).requires_grad_()`"),
    "leaf_attribute": (NON_LEAF, [
        ("self.features = torch.relu(self.fc(x))", "`net.features` was computed here"),
    ], "call `net.features.retain_grad()` before backward()"),
    "leaf_rebound": (NON_LEAF, [
        ("w = w - 0.1 * w.grad", "this makes a new `w`"),
    ], "`with torch.no_grad(): w -= 0.1 * w.grad`"),
    "leaf_meant": (NON_LEAF, [
        ("z = torch.ones(1, 3) @ W", "`z` was computed here"),
    ], "call `z.retain_grad()` before backward(), or read the gradient of a leaf: `W.grad`"),
    "leaf_bound_again": (NON_LEAF, [
        ("z = torch.ones(1, 3) @ W", "`z` was computed here"),
    ], "call `z.retain_grad()` before backward(), or read the gradient of a leaf: `W.grad`"),
    "broken_no_grad": (NOT_RECORDED, [
        ("with torch.no_grad():", "nothing was recorded"),
        ("pred = net(x)", "the graph ends here"),
    ], "move this line out of the block"),
    "broken_decorator": (NOT_RECORDED, [
        ("@torch.no_grad()", "for all of compute_loss()"),
    ], "take `@torch.no_grad()` off"),
    "broken_detach": (NOT_RECORDED, [
        ("return self.decoder(hidden).detach()", "without their history"),
    ], "use `self.decoder(hidden)` instead of `self.decoder(hidden).detach()`"),
    "broken_item": (NOT_RECORDED, [
        ("losses.append(criterion(net(torch.ones(2, 3)), torch.zeros(2, 1)).item())",
         "item() gives a plain number"),
    ], "itself"),
    "broken_tensor": (NOT_RECORDED, [
        ("loss = torch.tensor([a, b]).sum()", "copies the numbers into a new tensor"),
    ], "torch.stack([a, b])"),
    "broken_numpy": (NOT_RECORDED, [
        ("pred = net(torch.ones(2, 3)).detach().numpy()", "numpy() gives a NumPy array"),
    ], "keep computing with `net(torch.ones(2, 3))` itself"),
    "broken_argmax": (NOT_RECORDED, [
        ("pred = net(torch.ones(2, 3)).argmax(dim=1)", "argmax() has no gradient"),
    ], "F.cross_entropy"),
    "broken_comparison": (NOT_RECORDED, [
        ("wrong = ((pred > 0.5) != labels).float()", "`pred > 0.5` is True or False"),
    ], "smooth measure"),
    "broken_lambda": (NOT_RECORDED, [
        ("criterion = lambda out, target: torch.tensor(((out - target) ** 2).mean())",
         "copies the numbers into a new tensor"),
    ], "use `((out - target) ** 2).mean()` itself"),
    "broken_integer": (NOT_RECORDED, [
        ("scores = net(torch.ones(2, 3)).long()", "whole numbers"),
    ], "floating point"),
    "broken_output": (NOT_RECORDED, [
        ("return Output(loss=scores.detach().mean(), scores=scores)", "without their history"),
    ], "use `scores` instead of `scores.detach()`"),
    "broken_phase": (NOT_RECORDED, [
        ('with torch.set_grad_enabled(phase == "train"):', "is off here (`phase` is 'val')"),
        ("out = net(torch.ones(2, 3))", "the graph ends here"),
    ], "call backward() only where it is on"),
    "broken_static": (NOT_RECORDED, [
        ("return t.round().long().float()", "long() gives whole numbers"),
    ], "floating point"),
    "broken_new_tensor": (NOT_RECORDED, [
        ("loss = out.new_tensor(out).mean()", "copies the numbers into a new tensor"),
    ], "use `out` itself"),
    "broken_frozen": (NOT_RECORDED, [
        ("p.requires_grad = False", "all 4 parameters of `net` are frozen"),
    ], "`net.requires_grad_(True)`"),
    "broken_inference": (NOT_RECORDED, [
        ("with torch.inference_mode():", "nothing was recorded"),
        ("features = net(torch.ones(2, 3))", "the graph ends here"),
    ], "move this line out of the block"),
    "broken_switch": (NOT_RECORDED, [
        ("torch.set_grad_enabled(False)", "switches recording off"),
    ], "switch it on again"),
    "broken_update": (NOT_RECORDED, [
        ("with torch.no_grad():", "nothing was recorded"),
        ("w = w - 0.1 * w.grad", "the graph ends here"),
    ], "`w -= 0.1 * w.grad`"),
    "broken_never_asked": (NOT_RECORDED, [
        ("W = torch.ones(3, 2)", "`W` does not require grad"),
        ("b = torch.zeros(1, 2)", "`b` does not require grad"),
    ], "requires_grad=True"),
    "twice_same_loss": (TWICE, [
        ("loss.backward()", "freed what pow() (PowBackward0) had kept"),
        ("loss.backward()", "this needs what pow() had kept once more"),
    ], "compute the loss again"),
    "twice_hidden_state": (TWICE, [
        ("loss.backward()", "freed what tanh() (TanhBackward0) had kept"),
        ("loss.backward()", "the same line, run again"),
        ("h = torch.tanh(W @ h)", "`h` brings along the graph of the iteration before"),
    ], "`h = h.detach()`"),
    "twice_shared_features": (TWICE, [
        ("loss.backward()", "freed what relu() (ReluBackward0) had kept"),
        ("loss.backward()", "the same line, run again"),
        ("features = torch.relu(encoder(torch.ones(2, 3)))", "`features` was computed once"),
    ], "compute `features` anew for each backward(), that is, inside the loop"),
    "twice_two_losses": (TWICE, [
        ("first.backward()", "freed what exp() (ExpBackward0) had kept"),
        ("second.backward()", "once more"),
        ("y = x.exp()", "`y` was computed once and is part of both graphs"),
    ], "add the losses up and call backward() once"),
    "twice_two_heads": (TWICE, [
        ("loss1.backward()", "freed what tanh() (TanhBackward0) had kept"),
        ("loss2.backward()", "this needs what tanh() had kept once more"),
        ("z = torch.tanh(encoder(x))", "`z` was computed once and is part of both graphs"),
    ], "add the losses up and call backward() once"),
    "twice_list_of_losses": (TWICE, [
        ("loss.backward()", "freed what pow() (PowBackward0) had kept"),
        ("loss.backward()", "the same line, run again"),
        ("self.losses.append(self.net(x).pow(2).mean())", "`trainer.losses` keeps the results"),
    ], "begin a new `trainer.losses` after each backward()"),
    "twice_closure": (TWICE, [
        ("loss.backward()", "freed what pow() (PowBackward0) had kept"),
        ("loss.backward()", "the same line, run again"),
        ("loss = (w**2).sum()", "`loss` is computed once, outside of closure()"),
    ], "compute `loss`, and what it is computed from, inside of closure()"),
    "twice_after_many": (TWICE, [                 # of a shape whose pass has been written out
        ("loss.backward()", "this backward pass freed what pow() (PowBackward0) had kept"),
        ("loss.backward()", "this needs what pow() had kept once more"),
    ], "compute the loss again before calling backward() again"),
    "twice_inner_loss": (TWICE, [
        ("inner.backward()", "freed what mul() (MulBackward0) had kept"),
        ("outer.backward()", "this needs what mul() had kept once more"),
    ], "`inner.backward(retain_graph=True)`"),
    "twice_lstm": (TWICE, [
        ("out.sum().backward()", "freed what rnn() (MkldnnRnnLayerBackward0) had kept"),
        ("out.sum().backward()", "the same line, run again"),
        ("out, hidden = lstm(torch.ones(4, 2), hidden)", "`hidden` brings along the graph"),
    ], "`hidden = tuple(h.detach() for h in hidden)`"),
    "twice_growing_sum": (TWICE, [
        ("loss.backward()", "freed what pow() (PowBackward0) had kept"),
        ("loss.backward()", "the same line, run again"),
        ("loss += net(x).pow(2).mean()", "`loss` brings along the graph of the iteration before"),
    ], "`part = net(x).pow(2).mean(); part.backward(); loss += part.item()`"),
    "twice_before_the_loop": (TWICE, [
        ("loss.backward()", "freed what pow() (PowBackward0) had kept"),
        ("loss.backward()", "the same line, run again"),
        ("loss = ((ypred - ys) ** 2).sum()", "`loss` is computed once, outside of the loop"),
    ], "compute `loss`, and what it is computed from, inside of the loop"),
    "twice_attribute": (TWICE, [
        ("loss.backward()", "freed what tanh() (TanhBackward0) had kept"),
        ("loss.backward()", "the same line, run again"),
        ("self.hidden = self.cell(x, self.hidden)", "brings along the graph of the iteration"),
    ], "`self.hidden = self.hidden.detach()`"),
    "broken_in_a_method": (NOT_RECORDED, [
        ("with torch.no_grad():", "nothing was recorded"),
        ("h = self.a(x)", "the graph ends here"),
    ], "move this line out of the block"),
    "broken_in_a_function": (NOT_RECORDED, [
        ("return sum([(p - t).abs().sum().item() for p, t in zip(pred, target)])",
         "item() gives a plain number"),
    ], "keep computing with `(p - t).abs().sum()` itself"),
    "broken_in_a_trainer": (NOT_RECORDED, [
        ("out = out.cpu().detach()", "without their history"),
    ], "use `out.cpu()` instead of `out.cpu().detach()`"),
    "inplace_gan": (MODIFIED, [
        ("out_fake = D(fake)", "D.2 (Linear) kept `D.2.weight`"),
        ("od.step()", "SGD.step() changed `D.2.weight`"),
        ("g_loss.backward()", "as it was"),
    ], "call every backward() before step()"),
    "inplace_custom_function": (MODIFIED, [
        ("y = Quantize.apply(h)", "Quantize() kept `h`"),
        ("h.zero_()", "zero_() changed `h`"),
        ("y.sum().backward()", "as it was"),
    ], "`h = h.clone()` before this line"),
    "inplace_custom_result": (MODIFIED, [
        ("y = Exp.apply(torch.ones(3, requires_grad=True))", "Exp() kept `y`"),
        ("y.mul_(2)", "mul_() changed `y`"),
        ("y.sum().backward()", "as it was"),
    ], "`y = y.mul(2)`"),
    "inplace_in_forward": (MODIFIED, [
        ("h = torch.sigmoid(self.fc(x))", "sigmoid() kept its result `h`"),
        ("h += x", "add_() changed `h`"),
        ("loss.backward()", "needs `h` as it was"),
    ], "`h = h + x`"),
    "inplace_parameter": (MODIFIED, [
        ("return x * self.w", "net.1 (Scale) kept `net.1.w`"),
        ("optimizer.step()", "SGD.step() changed `net.1.w`"),
        ("out.sum().backward()", "as it was"),
    ], "call every backward() before step()"),
    "inplace_returned": (MODIFIED, [
        ("return torch.sigmoid(self.fc(x))", "sigmoid() kept its result `out`"),
        ("out -= 0.5", "sub_() changed `out`"),
        ("loss.backward()", "needs `out` as it was"),
    ], "`out = out - 0.5`"),
    "inplace_function": (MODIFIED, [
        ("h = self.act(self.fc(x))", "net.act (Sigmoid) kept its result `h`"),
        ("F.dropout(h, 0.5, inplace=True)", "mul_() changed `h`"),
        ("loss.backward()", "needs `h` as it was"),
    ], "leave out inplace=True"),
    "inplace_add": (MODIFIED, [
        ("y = torch.sigmoid(x)", "sigmoid() kept its result `y`"),
        ("y += 1", "add_() changed `y`"),
        ("y.sum().backward()", "needs `y` as it was"),
    ], "`y = y + 1`"),
    "inplace_assignment": (MODIFIED, [
        ("z = y * y", "mul() kept `y`"),
        ("y[0] = 5.0", "this assignment changed `y`"),
        ("z.sum().backward()", "needs `y` as it was"),
    ], "`y = y.clone()` before this line"),
    "inplace_layer": (MODIFIED, [
        ("loss = net(torch.ones(2, 3)).sum()", "net.1 (Sigmoid) kept its result"),
        ("loss.backward()", "as it was"),
    ], "without inplace=True"),
    "inplace_optimizer": (MODIFIED, [
        ("out = net(torch.ones(2, 3))", "net.layer2 (Linear) kept `net.layer2.weight`"),
        ("optimizer.step()", "SGD.step() changed `net.layer2.weight`"),
        ("loss2.backward()", "as it was"),
    ], "call every backward() before step()"),
    "inference_saved": ("Inference tensors cannot be saved for backward.", [
        ("with torch.inference_mode():", "`features` was made in it"),
        ("loss = head(features).sum()", "`features` would have to be kept"),
    ], "use `features.clone()` here"),
    "hook_on_a_cut_tensor": ("cannot register a hook on a tensor that doesn't require gradient", [
        ("out = net(torch.ones(2, 3)).detach()", "without their history"),
    ], "use `net(torch.ones(2, 3))` instead"),
    "hook_under_no_grad": ("cannot register a hook on a tensor that doesn't require gradient", [
        ("y.register_hook(print)", "recording is off here"),
    ], "torch.is_grad_enabled()"),
    "retain_grad_of_data": ("can't retain_grad on Tensor that has requires_grad=False", [
        ("x = torch.ones(3)", "does not require grad"),
    ], "`x.requires_grad_()` before anything is computed from it"),
    "data_write": ("a tensor needed for gradient computation was changed through .data", [
        ("loss = (w * x).sum()", "mul() kept `w`"),
        ("w.data.mul_(0.5)", "mul_() changed `w`"),
        ("loss.backward()", "as it was"),
    ], "write after backward()"),
    "module_shapes": ("mat1 and mat2 shapes cannot be multiplied (2x5 and 4x4)", [
        ("return self.fc(x)", "in this call"),
    ], "in_features is 4, but the last dimension of the input has size 5"),
    "module_operands": ("mat1 and mat2 shapes cannot be multiplied (2x3 and 5x2)", [
        ('net["head"](torch.ones(2, 3))', "in this call"),
        ("return x @ self.w", "`x` is float32 (2, 3), `self.w` is float32 (5, 2)"),
    ], ""),
    "second_derivative_constant": (NOT_RECORDED, [
        ("(g,) = torch.autograd.grad(y, x, create_graph=True)", "it is constant"),
    ], "zero"),
    "second_derivative_forgotten": (NOT_RECORDED, [
        ("(g,) = torch.autograd.grad(y, x)", "without recording how"),
    ], "create_graph=True"),
    "grad_of_a_view": ("The differentiated Tensor at index 0 appears to not have been used", [
        ("torch.autograd.grad(y, x[0])", "`x[0]` makes a new tensor here"),
    ], "ask for the gradient of `x`"),
    "leaf_written_one_line": (
        "a view of a leaf Variable that requires grad is being used in an in-place operation.", [
            ("w = torch.ones(2, requires_grad=True); w[0] = 5.0  # noqa: E702",
             "this would change `w`"),
        ], "`with torch.no_grad(): w[0] = 5.0`"),
    "leaf_written": ("a leaf Variable that requires grad is being used in an in-place operation", [
        ("w -= 0.1 * w.grad", "this would change `w`"),
    ], "with torch.no_grad(): w -= 0.1 * w.grad"),
    "not_one_number": ("grad can be implicitly created only for scalar outputs", [
        ("out.backward()", "`out` has 8 elements, of shape (4, 2)"),
    ], "`out.mean().backward()`"),
    "inplace_layer_after_tracing": (MODIFIED, [      # the last: it changes how functions are called
        ("loss = net(torch.ones(2, 3)).sum()", "net.1 (Sigmoid) kept its result"),
        ("loss.backward()", "as it was"),
    ], "without inplace=True"),
}


def told(name):
    """The text of the error, or of the warning, that a script ends with."""
    path = SCRIPTS / f"{name}.py"
    code = compile(path.read_text(), str(path), "exec", dont_inherit=True)
    with torch_is_retrograd(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", "The .grad attribute|.* changed through .data")
        try:
            exec(code, {"__name__": "__main__"})
        except (RuntimeError, UserWarning) as problem:
            return str(problem)
    raise AssertionError(f"{name} had nothing to complain of")


def steps(text):
    """(line number, what stands there, what is said of it) of each line that a text quotes."""
    found = re.findall(r"^  \S*\.py:(\d+) +(\S.*)\n +\^ (.*)$", text, re.MULTILINE)
    return [(int(number), line, remark) for number, line, remark in found]


@pytest.mark.parametrize("name", CASES)
def test_the_lines_and_the_cure(name):
    sentence, lines, cure = CASES[name]
    first, _, text = told(name).partition("\n\n")
    assert first.startswith(sentence)
    source = (SCRIPTS / f"{name}.py").read_text().splitlines()
    found = steps(text)
    assert [line for _, line, _ in found] == [line for line, _ in lines]
    for (number, line, remark), (_, expected) in zip(found, lines, strict=True):
        assert source[number - 1].strip() == line
        assert expected in remark
    assert cure in text.partition("Cure: ")[2]
    assert (SILENCED in text) == name.startswith("broken")


# --------------------------------------------------------------------------- no error to explain

def run(name, block):
    """Run a script inside a block; the variables it leaves."""
    path = SCRIPTS / f"{name}.py"
    variables = {"__name__": "__main__"}
    with torch_is_retrograd(), block:
        exec(compile(path.read_text(), str(path), "exec", dont_inherit=True), variables)
    return variables


def test_who_keeps_the_losses():
    losses = run("memory_of_losses", debug.trace())["losses"]
    first = next(g for g in debug.memory().graphs if "losses[0]" in g.kept_by)
    assert first.kept_by == ["losses[0]"] and first.bytes == 5 * 10 * 4 + 2 * 5 * 20 * 4 // 2
    assert [line.where.split(":")[1] for line in first.lines] == [
        "7  loss = net(torch.ones(5, 10)).mean()"]
    assert len(losses) == 3


def test_where_nan_began():
    doctor = Doctor()
    run("nan_where", doctor)
    (found,) = doctor.report.findings
    assert (found.line, found.text) == (4, "root = torch.sqrt(x)")
    assert ("the gradient of sqrt() is nan, at element (1,), where a gradient of 0 came in"
            in found.what)
    assert "torch.where around the input" in found.cure


def test_a_trace_names_the_line_inside_a_module():
    with pytest.raises(RuntimeError) as caught:
        run("traced_line", debug.trace())
    assert [(n, line) for n, line, _ in steps(str(caught.value))] == [
        (8, "return opened, opened * x"), (13, "gate.mul_(2)"), (14, "out.sum().backward()")]


def test_every_script_has_a_case():
    others = {"memory_of_losses", "nan_where", "traced_line"}
    assert {path.stem for path in SCRIPTS.glob("*.py")} - others == CASES.keys()


def test_run_with_trace():
    command = [sys.executable, "-m", "retrograd", "run", "--trace", "traced_line.py"]
    done = subprocess.run(command, cwd=SCRIPTS, text=True, capture_output=True, timeout=60)
    assert done.returncode == 1
    assert "\n  traced_line.py:8   return opened, opened * x\n" in done.stderr


def test_a_trace_names_the_module_too():
    with pytest.raises(RuntimeError) as caught:
        run("inplace_in_forward", debug.trace())
    (saved, _, _) = steps(str(caught.value))
    assert saved[2].startswith("sigmoid() in `net.1` kept its result `h`")      # the last one


CURES = {
    "names of rows": (lambda t: t.nn.Embedding(3, 2)(t.tensor([1.0])), "`.long()`"),
    "one image": (lambda t: t.nn.Conv2d(1, 8, 3)(t.ones(8, 8)),
                  "it wants the dimensions (batch, channels, height, width); the input has 2."),
    "no image": (lambda t: t.nn.BatchNorm2d(3)(t.ones(2, 3)), "the input has 2."),
    "whole numbers": (lambda t: t.ones(2, 2).long() @ t.ones(2, 2),
                      "`.to(torch.float32)` on the one that is torch.int64."),
    "numbers from NumPy": (lambda t: t.ones(2) @ t.ones(2, dtype=t.float64),
                           "the one that is torch.float64, as NumPy's floats are"),
    "half": (lambda t: t.bmm(t.ones(1, 1, 1).half(), t.ones(1, 1, 1)), "that is torch.float16."),
    "a layer's tuple": (lambda t: t.nn.Sequential(t.nn.LSTM(2, 2), t.nn.ReLU())(t.ones(1, 1, 2)),
                        "`out, _ = lstm(x)`"),
    "checkpoint": (lambda t: t.nn.Linear(1, 1).load_state_dict(
        {"epoch": 3, "model": t.nn.Linear(1, 1).state_dict()}), "`state['model']`"),
    "labels of a function": (lambda t: t.nn.functional.binary_cross_entropy(
        t.rand(3), t.tensor([1, 0, 1])), "`.float()`"),
    "scores": (lambda t: t.nn.functional.binary_cross_entropy(t.tensor([1.5]), t.ones(1)),
               "nn.BCEWithLogitsLoss()"),
    "module": (lambda t: t.optim.SGD(t.nn.Linear(2, 2), lr=0.1), "`net.parameters()`"),
    "before __init__": (lambda t: setattr(t.nn.Module.__new__(t.nn.Module), "fc", t.nn.ReLU()),
                        "`super().__init__()`"),
    "prefix": (lambda t: t.nn.Sequential(t.nn.Linear(2, 2)).load_state_dict(
        t.nn.Linear(2, 2).state_dict()), "`{'0.' + k: v for k, v in state.items()}`"),
    "other prefix": (lambda t: t.nn.Linear(2, 2).load_state_dict(
        t.nn.Sequential(t.nn.Linear(2, 2)).state_dict()), "k.removeprefix('0.')"),
    "labels": (lambda t: t.nn.BCEWithLogitsLoss()(t.ones(2), t.tensor([0, 1])), "`.float()`"),
    "item": (lambda t: t.ones(3).item(), "tolist()"),
    "float": (lambda t: float(t.ones(3)), "tolist()"),
    "if": (lambda t: bool(t.ones(3) > 0), "torch.equal(a, b)"),
    "rows": (lambda t: t.tensor([[1, 2], [3]]), "pad_sequence()"),
    "list": (lambda t: t.from_numpy([1, 2]), "torch.tensor()"),
    "mean of integers": (lambda t: t.tensor([1, 2]).mean(), "mean(dtype=torch.float32)"),
    "condition": (lambda t: t.where(t.ones(2), 1.0, 2.0), "condition.bool()"),
    "cuda": (lambda t: t.ones(2).cuda(), "torch.cuda.is_available()"),
    "parameter": (lambda t: setattr(t.nn.Linear(2, 2), "weight", t.ones(2, 2)), "nn.Parameter"),
    "class of layers": (lambda t: t.nn.Sequential(t.nn.ReLU), "`ReLU(...)`"),
    "function": (lambda t: t.nn.Sequential(t.relu), "nn.ReLU() for torch.relu"),
    "one parameter": (lambda t: t.optim.SGD(t.ones(2), lr=0.1), "`[w]`"),
    "product": (lambda t: t.ones(2, 3) @ t.ones(4, 3), "`a @ b.T`"),
    "product, left": (lambda t: t.ones(3, 2) @ t.ones(3, 4), "`a.T @ b`"),
    "column": (lambda t: t.ones(5, 3) * t.ones(5), "`.unsqueeze(1)` on them, or keepdim=True"),
    "view": (lambda t: t.ones(2, 3).view(4, 2), "-1 in place of one size"),
    "classes": (lambda t: t.nn.functional.cross_entropy(
        target=t.tensor([0, 3]), input=t.ones(2, 3)), "the numbers must be 0 to 2"),
    "small classes": (lambda t: t.nn.functional.nll_loss(
        t.ones(2, 3), t.tensor([0, 1]).int()), "of 64 bits: convert the target with `.long()`"),
}


@pytest.mark.parametrize("name", CURES)
def test_errors_say_what_to_write_instead(name):
    call, cure = CURES[name]
    with pytest.raises(Exception, match=r"(?s)\nCure: .*" + re.escape(cure)):
        call(retrograd)


def test_a_hint_about_a_target_stands_behind_autocast_too():
    with retrograd.autocast("cpu"):
        pass                    # from now on something stands before the functions it casts for
    test_errors_say_what_to_write_instead("small classes")


def test_a_forward_that_is_no_function_does_not_stop_the_explanation():
    layer = retrograd.nn.Linear(2, 2)
    layer.forward = functools.partial(retrograd.nn.functional.linear, weight=retrograd.ones(2, 2))
    x = retrograd.ones(1, 2)
    loss = layer(x).sum()
    with pytest.raises(RuntimeError, match="It was not recorded how `loss` was computed"):
        loss.backward()


def test_inside_a_module_its_own_story_is_told_instead_of_the_rule_of_shapes():
    class Net(retrograd.nn.Module):
        def forward(self, x):
            return x + retrograd.ones(4)

    for net in (Net(), retrograd.nn.Sequential(Net())):
        with pytest.raises(RuntimeError, match=r"dimension 1\n\nThis happened in") as error:
            net(retrograd.ones(2, 3))
        assert "compared from the last one" not in str(error.value)


def left_behind():
    """A view of several that a write to its base has left behind: asking for its node raises."""
    base = retrograd.ones(3, requires_grad=True) * 2
    part = base.unbind()[0]
    base.mul_(2)
    with pytest.raises(RuntimeError, match="is a view and its base"):
        part.grad_fn                                                     # noqa: B018
    return part


def test_a_view_that_was_left_behind_does_not_stop_others_from_being_explained():
    stale, w = left_behind(), retrograd.ones(3, requires_grad=True)
    with retrograd.viz.record() as recording:
        loss = (w * 2).sum()
        loss.backward()
    assert "loss = SumBackward0" in str(recording.graph())
    assert "loss = SumBackward0" in str(retrograd.viz.graph(loss))
    assert "w.grad is filled" in str(retrograd.debug.explain(w))
    assert "It cannot be used any more: Output 0 of Unbind is a view" in str(
        retrograd.debug.explain(stale))
