"""Groups of operations: by the call of a Module, by repetition, and runs of very many.

NOTE [groups are intervals]
    A group holds operations that were recorded one after the other, so however groups are closed
    the graph between them has no cycle: an edge always leads from older to younger. Leaves have no
    time of their own; a leaf stands in the innermost group that holds all its uses.

Where a trace was on, each node knows the call that made it. Without one the parameters tell: what
lies between two operations that use parameters of `blocks.0` lies in `blocks.0` too.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..debug.places import short
from ..nn.modules.container import ModuleDict, ModuleList
from ..nn.modules.module import Module

LONG = 60           # members of a group, before it is cut into runs
RUN = 40
FEW = 8             # rounds of a loop whose results fit side by side
LONGEST_ROUND = 40  # operations of a loop's body that are recognised


@dataclass(eq=False)
class Group:
    """Some operations that can be shown as one box."""

    label: str
    type: str = ""                         # the Module's class
    kind: str = "module"                   # module, repeat, round (of a repeat), run
    count: int = 1                         # how often a repeat repeats
    members: list[Any] = field(default_factory=list)       # Groups and Boxes, oldest first
    id: int = -1
    look: Any = None                       # equal for groups that do the same
    around: weakref.ref[Group] | None = None

    def add(self, member: Any) -> None:
        """Take in a Group or a Box, which then knows where it is (weakly: no cycle)."""
        self.members.append(member)
        member.around = weakref.ref(self)

    @property
    def parent(self) -> Group | None:
        return self.around and self.around()

    def boxes(self) -> list[Any]:
        """The boxes in this group and in those inside it."""
        found, waiting = [], [self]
        for group in waiting:
            waiting += [m for m in group.members if isinstance(m, Group)]
            found += [m for m in group.members if not isinstance(m, Group)]
        return found

    def above(self) -> list[Group]:
        """This group and those around it, outermost first."""
        found, group = [], self
        while group is not None:
            found.append(group)
            group = group.parent
        return found[::-1]


def common(groups: Sequence[Group]) -> Group:
    """The innermost group around all of these."""
    paths = [g.above() for g in groups]
    inner = paths[0][0]
    for level in zip(*paths, strict=False):
        if any(g is not level[0] for g in level):
            break
        inner = level[0]
    return inner


def between(maker: Group, users: Sequence[Group]) -> Group:
    """Where a tensor stands: around its maker and its users, but inside any group that has both.

    Outside of such a group it would make a cycle: the group, the tensor, the group.
    """
    if not users:
        return maker.above()[0]
    way = maker.above()
    while True:
        group = common([maker, *users])
        inner = way[way.index(group) + 1] if group is not maker else None
        users = [u for u in users if inner is not None and inner in u.above()]
        if not users:
            return group


def round_of(maker: Group, outside: Group) -> Group:
    """The outermost round of a long loop that `maker` is in and `outside` is not; else `outside`.

    A list that a loop fills has an entry of each round: twenty in a row would hide the picture.
    """
    around = outside.above()
    return next((g for g in maker.above() if g.kind == "round" and g not in around
                 and g.parent is not None and g.parent.count > FEW), outside)


# --------------------------------------------------------------------------- Modules

@dataclass(frozen=True)
class Part:
    """One step of the way to an operation: what tells calls apart, the name and the class."""

    key: Any
    label: str
    type: str


def of_calls(call: Any, names: Any) -> tuple[Part, ...]:
    """The calls of Modules (debug.tracing.Call) around an operation, outermost first."""
    calls = []
    while call is not None:
        calls.append(call)
        call = call.outer
    parts, outer = [], None
    for call in reversed(calls):
        module = call.module()
        if module is None:
            parts.append(Part(call, "Module", ""))
        else:
            label = names.of(module) if outer is None else name_inside(outer, module)
            parts.append(Part(call, label or type(module).__name__, type(module).__name__))
        outer = module
    return tuple(parts)


def name_inside(outer: Module, module: Module) -> str | None:
    """The path of a Module in another: "blocks.0"."""
    return next((name for name, inside in outer.named_modules() if inside is module), None)


def of_parameter(owner: str, modules: dict[str, Module]) -> tuple[Part, ...]:
    """The Modules around a parameter named `owner`.weight: those that are called, by their names.

    `modules` are the outermost ones, by the names that their parameters' names begin with.
    """
    root = next((name for name in sorted(modules, key=len, reverse=True)
                 if owner == name or not name or owner.startswith(name + ".")), None)
    if root is None:
        return of_words(owner.split(".")) if owner else ()
    module, label = modules[root], ""
    parts = [Part(root, root or type(module).__name__, type(module).__name__)]
    for word in filter(None, owner[len(root):].split(".")):
        module = module._modules.get(word)
        if module is None:
            break
        label = f"{label}.{word}" if label else word
        if not isinstance(module, (ModuleList, ModuleDict)):
            parts.append(Part(f"{parts[-1].key}.{label}", label, type(module).__name__))
            label = ""
    return tuple(parts)


def of_words(words: Sequence[str]) -> tuple[Part, ...]:
    """The same by the name alone: a number belongs to the word before it, as in "blocks.0"."""
    labels: list[str] = []
    for k, word in enumerate(words):
        if word.isdigit() and k and not words[k - 1].isdigit():
            labels[-1] += f".{word}"
        else:
            labels.append(word)
    return tuple(Part(".".join(labels[:k + 1]), label, "") for k, label in enumerate(labels))


def spread(paths: list[tuple[Part, ...] | None]) -> list[tuple[Part, ...]]:
    """Fill in unknown ways (None): the part that the nearest known ones on both sides share."""
    filled: list[tuple[Part, ...]] = []
    following: list[tuple[Part, ...]] = [()] * len(paths)
    nearest: tuple[Part, ...] = ()
    for k in range(len(paths) - 1, -1, -1):
        path = paths[k]
        nearest = following[k] = nearest if path is None else path
    last: tuple[Part, ...] = ()
    for path, after in zip(paths, following, strict=True):
        if path is None:
            path = last[:shared(last, after)]
        else:
            last = path
        filled.append(path)
    return filled


def shared(a: Sequence[Part], b: Sequence[Part]) -> int:
    """How many steps two ways have in common."""
    n = 0
    while n < min(len(a), len(b)) and a[n].key == b[n].key:
        n += 1
    return n


def tree(boxes: Iterable[Any], paths: Iterable[tuple[Part, ...]]) -> Group:
    """The group of everything: operations, oldest first, each in the groups that `paths` name."""
    top = Group("", kind="top")
    open_parts: list[Part] = []
    stack = [top]
    for box, path in zip(boxes, paths, strict=True):
        n = shared(open_parts, path)
        del open_parts[n:], stack[n + 1:]
        for part in path[n:]:
            group = Group(part.label, part.type)
            stack[-1].add(group)
            stack.append(group)
            open_parts.append(part)
        stack[-1].add(box)
    return top


def of_modules(top: Group, modules: Sequence[Module]) -> Group:
    """The group of the calls of Modules that are under way, each inside the one before.

    Groups are made for calls that have recorded nothing yet.
    """
    group = top
    for k, module in enumerate(modules):
        name = name_inside(modules[k - 1], module) if k else None
        known = [g for g in group.members if isinstance(g, Group) and g.kind == "module"
                 and g.type == type(module).__name__ and (name is None or g.label == name)]
        if not known:
            known = [Group(name or type(module).__name__, type(module).__name__)]
            group.add(known[0])
        group = known[-1]
    return group


# --------------------------------------------------------------------------- repetition

def fold(top: Group) -> None:
    """Put repeated members of every group into groups of their own, and cut what is still long."""
    order = [top]
    for group in order:
        order += [m for m in group.members if isinstance(m, Group)]
    for group in reversed(order):                # inner ones first: outer looks are made of theirs
        looks = [look_of(m) for m in group.members]
        group.look = (group.type, tuple(looks))
        group.look = (group.type, hash(group.look), len(looks))
        members, group.members = group.members, []
        for member in cut(folded(members, looks)):
            group.add(member)


def gather_leaves(top: Group) -> None:
    """Where very many leaves stand in one group, put them into groups too."""
    order = [top]
    for group in order:
        order += [m for m in group.members if isinstance(m, Group)]
    for group in order:
        leaves = [m for m in group.members if getattr(m, "kind", "") in ("leaf", "constant")]
        if len(group.members) > LONG and len(leaves) > RUN:
            members, group.members = group.members, []
            gathered = set(leaves)
            for member in [*(m for m in members if m not in gathered), *cut(leaves, "leaves ")]:
                group.add(member)


def look_of(member: Any) -> Any:
    return member.look if isinstance(member, Group) else member.title


def folded(members: list[Any], looks: list[Any]) -> list[Any]:
    """The members, with each repetition as one Group."""
    found, i = [], 0
    while i < len(members):
        period, count = repetition(members, looks, i)
        if count == 1:
            found.append(members[i])
        else:
            found.append(repeat(members[i:i + period * count], period, count))
        i += period * count
    return found


def repetition(members: list[Any], looks: list[Any], i: int) -> tuple[int, int]:
    """(period, count) of what repeats from member `i` on; (1, 1) for nothing."""
    best = (1, 1)
    for period in range(1, min(LONGEST_ROUND, (len(members) - i) // 2) + 1):
        j = i + period
        while j < len(members) and looks[j] == looks[j - period]:
            j += 1
        count = (j - i) // period
        plain = not isinstance(members[i], Group) and period == 1
        if count >= (8 if plain else 3) and count * period > best[0] * best[1]:
            best = (period, count)
    return best


def repeat(members: list[Any], period: int, count: int) -> Group:
    """A group of `count` rounds; each is one member, or a group of several."""
    group = Group("", kind="repeat", count=count)
    if period == 1:
        group.label = span(members[0], members[-1])
        rounds = members
    else:
        group.label = lines_of(members)
        rounds = []
        for k in range(count):
            one = Group(f"round {k + 1}", kind="round")
            for member in members[k * period:(k + 1) * period]:
                one.add(member)
            rounds.append(one)
    for member in cut(rounds):
        group.add(member)
    return group


def span(first: Any, last: Any) -> str:
    """A label for members in a row: "blocks.0–11", "MulBackward0"."""
    if not isinstance(first, Group):
        return first.title
    head, _, begin = first.label.rpartition(".")
    end = last.label.rpartition(".")[2]
    if begin.isdigit() and end.isdigit():
        return f"{head}.{begin}–{end}" if head else f"{begin}–{end}"
    return first.label


def lines_of(members: list[Any]) -> str:
    """A label for a loop's rounds: the lines of its body, or its first operation."""
    places = [m.place for m in members if getattr(m, "place", None) is not None]
    if len({p.file for p in places}) == 1:
        low, high = min(p.line for p in places), max(p.line for p in places)
        place = f"{short(places[0].file)}:{low}"
        return place if low == high else f"{place}–{high}"
    return f"{getattr(members[0], 'title', '') or members[0].label} …"


def cut(members: list[Any], word: str = "") -> list[Any]:
    """The members, or where they are too many groups of some of them."""
    while len(members) > LONG:
        runs = []
        for k in range(0, len(members), RUN):
            part = members[k:k + RUN]
            first, last = f"{word}{k + 1}", str(k + len(part))
            if isinstance(part[0], Group) and part[0].kind == "run":
                first, last = part[0].label.split("–")[0], part[-1].label.split("–")[1]
            run = Group(f"{first}–{last}", kind="run")
            for member in part:
                run.add(member)
            runs.append(run)
        members = runs
    return members
