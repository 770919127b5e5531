"""The code blocks of README and docs/*.md do what stands there."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from comparing import torch_is_retrograd
from retrograd.ops.generate import KEEPS_0D

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md")),
         *sorted(ROOT.glob("benchmarks/*.md"))]
SESSION = re.compile(r"^```pycon\n(.*?)^```", re.MULTILINE | re.DOTALL)


def check(page: Path):
    """Run the page's sessions, top to bottom, in one namespace."""
    text = page.read_text()
    # Blank out all but the sessions: line numbers in a failure are the page's own.
    kept = ["\n"] * text.count("\n")
    for session in SESSION.finditer(text):
        first = text.count("\n", 0, session.start(1))
        kept[first : first + session[1].count("\n")] = session[1].splitlines(keepends=True)
    test = doctest.DocTestParser().get_doctest("".join(kept), {}, page.name, str(page), 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.REPORT_UDIFF)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
    return runner.tries


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_sessions(page):
    with torch_is_retrograd():
        check(page)


@pytest.mark.live
def test_myths_in_pytorch():
    pytest.importorskip("torch")
    assert check(ROOT / "docs" / "myths.md") > 50


QUOTE = re.compile(r"^```python\n# (src/\S+\.py|generated for \w+)\n(.*?)^```", re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_quoted_code_is_the_code(page):
    for quote in QUOTE.finditer(page.read_text()):
        if quote[1].startswith("generated") and not KEEPS_0D:
            continue                         # what an older NumPy gets is not what is quoted
        if quote[1].startswith("src/"):
            source = (ROOT / quote[1]).read_text()
        else:
            source = declared_source(quote[1].split()[-1])
        place = 0
        for part in re.split(r"^ *\.\.\.\n", quote[2], flags=re.M):
            place = source.find(part, place)
            assert place >= 0, f"{page.name} quotes from {quote[1]} what is not there:\n{part}"


def declared_source(name):
    from retrograd.ops.declare import source

    return source(name)


LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for file, heading in LINK.findall(page.read_text()):
        target = page.parent / file if file else page
        assert target.exists(), f"{page.name} links to {file}, which is not there"
        assert not heading or heading in anchors(target), f"{page.name}: no {file}#{heading}"


@pytest.mark.parametrize("room", ["", "autograd", "ops", "kernels", "kernels/fast", "func",
                                  "debug", "viz"])
def test_the_layout_names_every_file_of_a_room(room):
    """In the package's own folder those that are private: the others have PyTorch's names."""
    named = set(re.findall(r"(\w+)(?:\.py)?`", (ROOT / "docs" / "layout.md").read_text()))
    files = (ROOT / "src" / "retrograd" / room).glob("*.py" if room else "_*.py")
    assert not {path.stem for path in files} - named - {"__init__"}


def test_readme_leads_to_every_page():
    linked = {file for file, _ in LINK.findall((ROOT / "README.md").read_text())}
    assert {str(page.relative_to(ROOT)) for page in PAGES} - linked == {"README.md"}


def test_the_picture_is_what_is_drawn(tmp_path):
    """docs/graph.svg is the picture of the page's first program."""
    pytest.importorskip("quickjs")
    session = SESSION.search((ROOT / "docs" / "viz.md").read_text())[1]
    lines = re.findall(r"^>>> (?!print)(.*)$", session, re.M)
    program = [*lines, "z.retain_grad()", "loss.backward()"]
    program[:2] = ["import torch", "import torch.nn.functional as F", ""]
    (tmp_path / "example.py").write_text("\n".join(program) + "\n")
    command = [sys.executable, "-m", "retrograd", "graph", "example.py", "-o", "graph.svg"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    drawn = (tmp_path / "graph.svg").read_text(encoding="utf-8")
    assert drawn == (ROOT / "docs" / "graph.svg").read_text(encoding="utf-8")


STEPS_BETWEEN = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(3, 4)
        self.layer2 = nn.Linear(4, 1)

    def forward(self, x):
        return self.layer2(torch.tanh(self.layer1(x)))


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(2, 3)


# two losses of one forward pass, and a step between their backward passes
out = net(x)
loss1, loss2 = out.mean(), (out**2).mean()
loss1.backward(retain_graph=True)
optimizer.step()
loss2.backward()
"""


def test_the_error_in_the_readme_is_what_such_a_program_prints(tmp_path):
    shown = re.search(r"^```text\n(RuntimeError: .*?)^```", (ROOT / "README.md").read_text(),
                      re.M | re.S)
    (tmp_path / "train.py").write_text(STEPS_BETWEEN)
    done = subprocess.run([sys.executable, "-m", "retrograd", "run", "train.py"], cwd=tmp_path,
                          capture_output=True, text=True)
    printed = iter(done.stderr.splitlines())
    for line in filter(None, shown[1].splitlines()):
        beginning = line.removesuffix("...")
        assert any(text.startswith(beginning) for text in printed), f"not printed: {line}"
