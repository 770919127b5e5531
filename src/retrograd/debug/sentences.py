"""What is said of an error by its sentence alone: why it came, and the cure."""

from __future__ import annotations

import ast
import re

from . import source as S
from .places import Place

Said = tuple[str, str]           # what is said of an error: why it came, and the cure

SAVED_OTHERS = ("ctx.saved_tensors holds what forward() has given to ctx.save_for_backward(), and "
                "that is another number of tensors",
                "call `ctx.save_for_backward(...)` once in forward(), with all tensors that are "
                "unpacked here")
NO_TENSORS = (
    "layers and functions of torch take tensors",
    "`torch.from_numpy(array).float()` makes one of an array (which has float64 numbers mostly, "
    "and layers have float32), `torch.tensor(numbers)` of a list")
KNOWN = {                # sentences of errors, and what is said of them: why, and the cure
    "Fan in and fan out can not be computed": (
        "this start is made for matrices, from the numbers of their inputs and outputs; a bias, "
        "and the weight of a normalization layer, have one dimension",
        "`if p.dim() > 1:` before it; a bias begins with 0, `nn.init.zeros_(p)`"),
    r"ReduceLROnPlateau.step\(\) missing": (
        "it lowers the rate when a number has stopped falling, and has to be told that number",
        "`scheduler.step(loss)`, with the loss of the validation, once in each epoch"),
    "name 'get_ipython' is not defined": (
        "this line was a command of a notebook, such as %matplotlib or !pip, and was exported as "
        "one that works in a notebook only",
        "leave it out of the script"),
    "attempted relative import with no known parent package": (
        "a file that is run by its path belongs to no package",
        "run it by its name, from the folder that the package lies in: "
        "`retrograd doctor -m package.module`"),
    r"^No module named '(?!torch\b|retrograd\b)": (
        "Python has looked for it beside the script and among the packages of this environment",
        "install it there, `python -m pip install ...` (some packages are installed under another "
        "name than they are imported by); for a file of yours, put the script beside it, or run "
        "`retrograd doctor -m package.module` from the folder that the package lies in"),
    "'(type|ABCMeta)' object does not support the context manager protocol": (
        "`with` was given a class, where it takes what a call of the class makes",
        "call it, with parentheses: `with torch.no_grad():`"),
    "maximum recursion depth exceeded": (
        "a function calls itself, perhaps by way of others, and nothing ends that: a forward() "
        "that calls its own network, for one",
        "see which lines repeat in the traceback; where such depth is meant, write a loop, or "
        "`sys.setrecursionlimit(10_000)`"),
    "invalid index of a 0-dim tensor": (
        "this tensor is one number, without dimensions, so there is no element to take by its "
        "place; `loss.data[0]` was right before PyTorch 0.4, where a loss had one element",
        "`loss.item()` gives the number"),
    "Weights only load failed": (
        "the file holds more than tensors, as torch.save(net) writes it: a whole object, and to "
        "make one torch.load() would run code that the file names",
        "save the numbers alone, `torch.save(net.state_dict(), path)`, and load them with "
        "`net.load_state_dict(torch.load(path))`; a file that you have written yourself can be "
        "read by `torch.load(path, weights_only=False)`"),
    r"\w+\(\)(: argument '\w+' .*must be Tensor, not | received an invalid combination of "
    r"arguments - got \()numpy.ndarray": NO_TENSORS,
    r"can't convert np.ndarray of type numpy.object_": (
        "an array of objects has rows of different lengths, texts, None, or the columns of a table "
        "with several dtypes",
        "make numbers of it first: `table.to_numpy(dtype=np.float32)`, or for rows of different "
        "lengths nn.utils.rnn.pad_sequence()"),
    r"Expected state_dict to be dict-like, got <class 'str'>": (
        "load_state_dict() takes the state itself, not the name of its file",
        "`net.load_state_dict(torch.load(path))`"),
    r"Expected state_dict to be dict-like": (
        "load_state_dict() takes a state, as state_dict() gives it; a file that torch.save(net) "
        "has written holds the whole network", "`.state_dict()` of what was loaded"),
    r"\w+ is not an Optimizer": (
        "a scheduler changes the learning rate of an optimizer",
        "give it that: `StepLR(optimizer, step_size=10)`"),
    r"(list|tuple|generator|map|dict) is not a Module subclass": (
        "the layers are given one by one, not as a list", "with a star: `nn.Sequential(*layers)`"),
    r"'torch.Size' object is not callable": (
        "`shape` is a tuple of sizes", "`x.shape[0]`, or `x.size(0)`"),
    r"iteration over a 0-d tensor": (
        "this tensor is one number, without dimensions: there is nothing to go through",
        "leave out the loop, or keep a dimension where it was made: `x.unsqueeze(0)`, or a mean "
        "with `dim=`"),
    r"(stack expects a non-empty TensorList|torch.cat\(\): expected a non-empty list)": (
        "the list is empty: nothing was appended to it, or it was made anew since",
        "look at the loop that fills it: it may not have run, as of an empty DataLoader"),
    r"object of type '(?!NoneType|generator|float|int)\w+' has no len\(\)": (
        "a DataLoader that shuffles asks the dataset how many samples there are",
        "define `def __len__(self): return ...` in the dataset"),
    r"object of type 'NoneType' has no len\(\)|default_collate: batch must contain .*NoneType": (
        "for some sample the dataset has returned None",
        "let its __getitem__() return a sample in all cases, or leave such samples out before; or "
        "give the DataLoader a collate_fn that does"),
    r"empty\(\): argument 'size' .*but got float": (
        "a size is a float: `/` gives one, also of whole numbers",
        "`//` in place of `/`, or int() of the size"),
    r"one_hot is only applicable to index tensor": (
        "class numbers must be whole numbers", "convert them with `.long()`"),
    "\"\\w+\" not implemented for '(Long|Int|Short|Char|Byte|Bool)'": (
        "it computes with fractions, and was given whole numbers, or True and False",
        "convert them with `.float()`"),
    r"LBFGS.step\(\) missing": (
        "it computes the loss several times in each step, and has to be told how",
        "`optimizer.step(closure)`, where closure() calls optimizer.zero_grad(), computes the "
        "loss, calls loss.backward() and returns the loss"),
    r"Backward hook returned an invalid number of grad_input, got \d+, but expected \d+": (
        "a full backward hook takes the place of the gradients of the Module's inputs",
        "return a tuple with one gradient for each input of the Module, `(grad_input[0] * 0.5,)` "
        "for one, or None to leave them as they are"),
    "No inf checks were recorded": (
        "scaler.step(optimizer) was not called since the last update(); optimizer.step() by itself "
        "uses gradients that are still scaled up",
        "call `scaler.step(optimizer)` instead of `optimizer.step()`"),
    r"(step|unscale_)\(\) has already been called (on this optimizer )?since the last update": (
        "a GradScaler looks at each optimizer's gradients once, until update() begins a new "
        "iteration", "call `scaler.update()` at the end of each iteration, after scaler.step()"),
    r"Output \d+ of \w+ is a view and is being modified inplace": (
        "the operator that made this view gives several views at once, of which none may be "
        "written to", "make a new tensor: `a = a * 2` instead of `a *= 2`, or `a = a.clone()` "
        "before it is written to"),
    r"(?s)Expected (parameter|value) .*found invalid values.*\bnan\b": (
        "these numbers are nan, and so were computed from nan: a weight that became so in an "
        "earlier step, or data", "see where the first nan came from: if it was in a loss, it is "
        "another finding"),
    r"(?s)Expected parameter probs .*found invalid values": (
        "probabilities lie between 0 and 1, and those of several classes sum to 1: these are "
        "scores, as a layer gives them, and `probs` comes first among the arguments",
        "`Categorical(logits=scores)`, or give it softmax() of the scores"),
    r"(?s)Expected parameter (scale|rate|concentration\w*|df) .*found invalid values": (
        "this number has to be above 0, and a layer gives numbers of any sign",
        "`F.softplus(x)`, or `torch.exp(log_std)` where the layer gives the logarithm"),
    r"\w+\(\): argument '.*' .*must be Tensor, not tuple": (
        "a layer such as nn.LSTM or nn.GRU returns a tuple: its output, and its state",
        "take the first part, `out, _ = lstm(x)`, in a forward() of your own: nn.Sequential hands "
        "on the whole tuple"),
    "'tuple' object has no attribute 'dim'": (
        "a layer was given a tuple where it takes one tensor: nn.LSTM has a pair of states, nn.GRU "
        "and nn.RNN have one", "give `h_0` alone to nn.GRU or nn.RNN"),
    "var has negative entry": (
        "the variance that the network gives is negative for some examples",
        "let it give a number that cannot be: `F.softplus(x)`, or its logarithm, "
        "`torch.exp(log_var)`"),
    r"grad_and_value\(f\)\(\*args\): Expected f\(\*args\) to return a Tensor, got "
    r"<class '(int|float|complex)'>": (
        "the function that is differentiated returns a plain number, as item() and float() give "
        "it: that has no history",
        "return the tensor itself, without item()"),
    r"grad_and_value\(f\)\(\*args\): Expected f\(\*args\) to return a Tensor, got "
    r"<class 'NoneType'>": (
        "the function that is differentiated returns nothing", "end it with `return loss`"),
    r"grad_and_value\(f\)\(\*args\): Expected f\(\*args\) to return a Tensor, got "
    r"<class '(tuple|list|dict)'>": (
        "the function that is differentiated returns several things",
        "return the loss alone, or the loss and the rest as a pair, and say so: "
        "`grad(f, has_aux=True)`"),
    "some parameters appear in more than one parameter group": (
        "the parameters of a part are among those of the whole network, too",
        "leave them out of the other group: `ids = {id(p) for p in part.parameters()}`, and "
        "`[p for p in net.parameters() if id(p) not in ids]`"),
    "vmap: called random operation while in randomness error mode": (
        "vmap() runs the function once for all examples, and cannot know whether each of them is "
        "to have numbers of its own",
        '`vmap(f, randomness="different")` for other numbers in each example, `"same"` for the '
        "same in all"),
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow": (
        "vmap() runs the function once for all examples, so an `if` or `while` cannot go one way "
        "for some of them and the other way for the others",
        "compute both, and choose by element: `torch.where(condition, a, b)`"),
    "Legacy autograd function": (
        "to make an object of a Function and call that is the way of old versions",
        "call apply() of the class itself: `MyFunction.apply(x)`"),
    "hook '.*' has changed the size": (
        "what a hook returns takes the place of the gradient, so it needs its shape",
        "return a gradient of the shape of the one that is given, or None to leave that as it is"),
    "betas must be either both floats": (
        "one of them is a float and the other a whole number",
        "write 0.0 instead of 0: `betas=(0.0, 0.9)`"),
    "cannot assign .* before Module.__init__": (
        "a Module must be prepared before it can hold layers and parameters",
        "call `super().__init__()` first in __init__()"),
    "'method' object is not iterable": (
        "a method was given where its result is wanted",
        "call it, with parentheses: `net.parameters()`"),
    "'(list|tuple)' object has no attribute 'backward'": (
        "", "make one number of the losses: `sum(losses).backward()`"),
    "result type Float can't be cast to the desired output type Long": (
        "this would put fractions into a tensor of whole numbers, such as the "
        "`num_batches_tracked` of a BatchNorm in a state_dict()",
        "leave such tensors as they are (`if t.is_floating_point():`), or make a new tensor: "
        "`a = a / n` instead of `a /= n`"),
    r"Tried to step \d+ times. The specified number of total steps is \d+": (
        "OneCycleLR is made for a number of steps, and this is one too many: `total_steps`, or "
        "`epochs` times `steps_per_epoch`",
        "with scheduler.step() in every batch `total_steps=epochs * len(loader)`; or call it once "
        "in each epoch"),
}


SIZE_MISMATCH = (r"size mismatch for (\S+): copying a param with shape torch.Size\(\[(.*?)\]\) "
                 r"from checkpoint, the shape in current model is torch.Size\(\[(.*?)\]\)")


def by_sentence(error: BaseException, sentence: str, where: Place | None) -> Said | None:
    """What is said of an error by its sentence, and perhaps by the text of its line."""
    if "'tuple' object has no attribute" in sentence and (comma := trailing_comma(where)):
        return comma
    for pattern, said in KNOWN.items():
        if re.match(pattern, sentence):
            return said
    if where is not None and "is not subscriptable" in sentence and ".size[" in where.text:
        return "size() is a method, and shape a tuple", "`x.size(0)`, or `x.shape[0]`"
    if where is not None and "saved_tensors" in where.text and isinstance(error, ValueError):
        return SAVED_OTHERS
    if sentence.startswith("Error(s) in loading state_dict"):
        why, cure = different_keys(sentence)
        return (why, cure) if why else other_sizes(sentence)
    return None


def trailing_comma(where: Place | None) -> Said | None:
    """For `loss = criterion(out, y),`: the comma at its end makes a tuple of one."""
    source = None if where is None else S.read(where.file)
    line = None if source is None or where is None else S.statement_at(source, where)
    scope = next((n for n in S.around(line) if isinstance(n, S.Scope)), None) if line else None
    for name in sorted(S.names_in(line)) if line is not None and scope is not None else ():
        for made in S.assignments(scope, name)[-1:]:
            value = getattr(made, "value", None)
            if isinstance(value, ast.Tuple) and len(value.elts) == 1 and source is not None:
                return (f"the comma at the end of the line makes a tuple of one of `{name}`, at "
                        f"{source.place(made)}", f"without the comma: `{name} = "
                        f"{ast.unparse(value.elts[0])}`")
    return None


def different_keys(sentence: str) -> Said:
    """For load_state_dict(): a prefix that all keys of the one have and the other's lack."""
    missing, unexpected = (listed_keys(sentence, kind) for kind in ("Missing", "Unexpected"))
    if prefix := prefix_of(missing, unexpected):
        return (f"the keys of the network begin with `{prefix}`, those of what is loaded do not",
                f"put it in front: `{{{prefix!r} + k: v for k, v in state.items()}}`")
    if prefix := prefix_of(unexpected, missing):
        return (f"the keys of what is loaded begin with `{prefix}`, those of the network do not",
                f"take it off: `{{k.removeprefix({prefix!r}): v for k, v in state.items()}}`")
    return "", ""


def other_sizes(sentence: str) -> Said:
    """For load_state_dict(): the first parameter whose shape differs."""
    sizes = re.search(SIZE_MISMATCH, sentence)
    if sizes is None:
        return "", ""
    return (f"what is loaded was saved by a network of other sizes: its `{sizes[1]}` has the "
            f"shape ({sizes[2]}), and here it is ({sizes[3]})", "make the network with the "
            "sizes of the one that was saved; to load only what fits (`strict=False` does not "
            "leave out the rest), `own = net.state_dict(); net.load_state_dict({k: v for k, v "
            "in state.items() if v.shape == own[k].shape}, strict=False)`")


def listed_keys(sentence: str, kind: str) -> list[str]:
    """The keys after "Missing key(s) in state_dict:", or "Unexpected ..."."""
    line = re.search(rf"{kind} key\(s\) in state_dict: (.*)", sentence)
    return re.findall(r'"([^"]+)"', line[1]) if line else []


def prefix_of(longer: list[str], shorter: list[str]) -> str:
    """What `longer` has in front of the same keys; "" if they differ otherwise."""
    prefix = longer[0][:-len(shorter[0])] if longer and shorter else ""
    return prefix if sorted(longer) == sorted(prefix + k for k in shorter) else ""
