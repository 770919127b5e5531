"""The page in a real browser: Chromium, driven by Playwright. Skipped where either is missing."""

from __future__ import annotations

import os
import shutil

import pytest

import retrograd as torch
from retrograd import nn

viz = torch.viz
playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install "
                                 "playwright")
CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("needs Chromium on the PATH, or in $CHROMIUM", allow_module_level=True)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(4, 8), nn.Linear(8, 4)

    def forward(self, x):
        return x + self.down(self.up(x).tanh())


class Net(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def small():
    x = torch.ones(1, 3)
    W = torch.ones(3, 2, requires_grad=True)
    b = torch.ones(1, 2, requires_grad=True)
    with viz.record() as recording:
        z = (x @ W) + b
        y_pred = z.relu()
        loss = (y_pred * y_pred).sum()
        z.retain_grad()
        loss.backward()
    return recording.graph()


def blocks():
    net, x = Net(8), torch.randn(3, 4)
    with viz.record() as recording:
        net(x).sum().backward()
    return recording.graph()


def failing():
    x = torch.ones(2, requires_grad=True)
    h = x.exp()
    loss = (h * 2).sum()
    h.add_(1)
    return viz.graph(loss, backward=True)


def large():
    t = torch.tensor([1.0, 2.0], requires_grad=True)
    with viz.record() as recording:
        y = t
        for k in range(1000):
            y = torch.sin(y) if k % 7 else y * t
            y = y + 1
        y.sum().backward()
    return recording.graph()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def show(browser, tmp_path):
    """A function that opens a picture; in the end nothing may have gone wrong or been loaded."""
    contexts, troubles = [], []

    def opened(picture, width=1200, height=800, **options):
        picture.save(tmp_path / "page.html")
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda m: troubles.append(m.text) if m.type in ("error", "warning")
                else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda r: troubles.append(r.url) if not r.url.startswith("file:")
                else None)
        page.goto((tmp_path / "page.html").as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []


def count(page, selector):
    return page.locator(selector).count()


def titled(page, title):
    number = page.evaluate("title => model.boxes.find(b => b.title === title).id", title)
    return page.locator(f"#b{number}")


def test_boxes_lines_and_legend(show):
    page = show(small())
    assert count(page, "#scene .operation") == 5
    assert count(page, "#scene .leaf") == 2 and count(page, "#scene .constant") == 1
    assert count(page, "#scene .tensor") == 3 and count(page, "#scene .wire") == 11
    assert page.title() == "backward of loss"
    legend = page.inner_text("#details")
    assert "○ its .grad is None" in legend and "Σ 2 below a box: it was used twice" in legend
    assert "Σ" not in show(failing()).inner_text("#details")           # where nothing is added up


def test_slider_steps_through_the_pass(show):
    page = show(small())
    slider = page.locator("#slider")
    slider.fill("0")
    assert count(page, "#scene .freed") == 0 and count(page, "#scene .grad.full") == 0
    assert "It will start at SumBackward0 with the gradient 1" in page.inner_text("#story")
    slider.fill("2")
    assert page.inner_text("#count") == "2 / 5"
    assert titled(page, "MulBackward0").get_attribute("class").split()[-1] == "active"
    assert count(page, "#scene .wire.hot") == 2
    assert "test_viz_page.py:" in page.inner_text("#story")
    slider.fill("4")
    assert titled(page, "z").locator(".grad.full").count() == 1
    assert "b.grad is filled" in page.inner_text("#story")
    slider.fill("5")
    assert count(page, "#scene .grad.full") == 3 and count(page, "#scene .freed") == 3
    assert titled(page, "y_pred").locator(".sum").inner_html() == "Σ 2"


CROSSED = """() => {
    const shapes = document.querySelectorAll("#scene .box .shape");
    const boxes = [...shapes].map(shape => shape.getBoundingClientRect());
    const found = [];
    for (const path of document.querySelectorAll("#scene .wire")) {
        const length = path.getTotalLength(), at = path.getScreenCTM();
        for (let k = 6; k < length - 6; k += 2) {
            const p = path.getPointAtLength(k).matrixTransform(at);
            const inside = b => b.left + 2 < p.x && p.x < b.right - 2 && b.top + 2 < p.y
                && p.y < b.bottom - 2;
            if (boxes.some(inside)) { found.push(path.id); break; }
        }
    }
    return found;
}"""


def tied():
    """A recurrent network whose last layer has the weight of the first one."""
    class Language(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.rnn = nn.Embedding(5, 4), nn.LSTM(4, 4, 2, dropout=0.2)
            self.decoder = nn.Linear(4, 5)
            self.decoder.weight = self.encoder.weight

        def forward(self, x):
            return self.decoder(self.rnn(self.encoder(x))[0])

    model = Language()
    with viz.record() as recording:
        model(torch.zeros(3, 2, dtype=torch.long)).sum().backward()
    return recording.graph()


def test_lines_pass_beside_boxes(show):
    page = show(tied())
    page.click("text=open all")
    assert count(page, "#scene .box") > 15 and page.evaluate(CROSSED) == []


def test_a_shared_weight_is_called_by_its_part(show):
    page = show(tied())
    shown = page.locator("#scene .leaf .name").all_text_contents()
    assert shown.count("encoder.weight") == 1 and shown.count("weight_ih_l0") == 1


def test_many_inputs_of_one_operation(show):
    """The words say the first few, and the lines to them do not lie flat on each other."""
    parts = [torch.randn(2, requires_grad=True) for _ in range(30)]
    with viz.record() as recording:
        torch.cat(parts).sum().backward()
    page = show(recording.graph())
    page.keyboard.press("End")
    story = page.inner_text("#story")
    assert "parts[4].grad is filled, and 25 more." in story and "parts[5]" not in story
    leaf, cat = (titled(page, name).bounding_box() for name in ("parts[14]", "CatBackward0"))
    assert cat["y"] - leaf["y"] > 3 * leaf["height"]


def test_keys_move_and_play(show):
    page = show(small())
    page.keyboard.press("Home")
    assert page.inner_text("#count") == "0 / 5"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#count") == "1 / 5"
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    playwright.expect(page.locator("#count")).to_have_text("5 / 5")
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#keys").is_visible()


def test_details_of_a_box(show):
    page = show(small())
    titled(page, "z").click()
    text = page.inner_text("#details").lower()
    assert "retains_grad" in text and "z = (x @ w) + b" in text and "[[8., 8.]]" in text
    titled(page, "y_pred").click()
    assert "retain_grad() was not called" in page.inner_text("#details")
    titled(page, "MulBackward0").click()
    assert "saved for backward" in page.inner_text("#details").lower()
    page.keyboard.press("Escape")
    assert count(page, "#scene .selected") == 0
    titled(page, "MmBackward0").click()
    assert "W (3, 2)" in page.inner_text("#details")          # where its inputs come from


def test_groups_open_and_close(show):
    page = show(blocks())
    repeat = page.locator("#scene .group.closed.repeat")
    assert repeat.count() == 1 and "×8" in repeat.text_content()
    before = count(page, "#scene .operation")
    repeat.click()
    assert count(page, "#scene .group.closed") == 8
    page.locator("#scene .header", has_text="blocks.0–7").click(position={"x": 5, "y": 5})
    assert count(page, "#scene .operation") == before
    assert page.locator("#details td", has_text="net.blocks.3.up.weight").count() == 1
    page.keyboard.press("Enter")                     # the group is selected still
    assert count(page, "#scene .group.closed") == 8
    page.keyboard.press("o")
    assert count(page, "#scene .group.closed") == 0
    assert page.evaluate("drawn.boxes.size") == len(blocks().boxes)
    page.keyboard.press("c")
    assert count(page, "#scene .group.closed") == 1 and count(page, "#scene .leaf") == 0


def test_a_closed_group_shows_its_progress(show):
    page = show(blocks())
    page.keyboard.press("c")
    bar = page.locator("#scene .group.closed .progress").first
    assert float(bar.get_attribute("width")) > 50
    page.keyboard.press("Home")
    assert float(bar.get_attribute("width")) == 0
    page.locator("#slider").fill("20")
    assert float(bar.get_attribute("width")) > 0 and count(page, "#scene .closed.active") == 1


def test_search_finds_what_is_closed(show):
    page = show(blocks())
    page.keyboard.press("/")
    page.keyboard.type("blocks.5 up weight")
    assert page.inner_text("#matches") == "1 found"
    page.keyboard.press("Enter")
    assert page.inner_text("#matches") == "1 of 1"
    assert "blocks.5.up.weight" in page.inner_text("#details h2")
    assert count(page, "#scene .match.selected") == 1
    page.keyboard.press("Escape")
    assert page.input_value("#search") == "" and count(page, "#scene .match") == 0


def test_failure_is_marked(show):
    page = show(failing())
    assert "modified by an inplace operation" in page.inner_text("#error")
    assert count(page, "#scene .failed") == 1
    assert titled(page, "ExpBackward0").locator(".failure-mark").count() == 1
    assert "changed in place since" in page.inner_text("#details")


def test_what_got_no_gradient_is_named(show):
    net = nn.ModuleDict({"used": nn.Linear(2, 2), "forgotten": nn.Linear(2, 2)})
    loss = net["used"](torch.ones(1, 2)).sum()
    text = show(viz.graph(loss, params=net)).inner_text("#details")
    assert "2 parameters of the Modules at work, which got no gradient" in text
    assert "forgotten.weight" in text and "used.weight" not in text


def test_the_line_that_cut_a_parameter_off(show):
    used, cut = nn.Linear(2, 2), nn.Linear(2, 2, bias=False)
    net = nn.ModuleDict({"used": used, "cut": cut})
    code = cut(torch.ones(1, 2)).detach()
    loss = used(code).sum()
    text = show(viz.graph(loss, params=net)).inner_text("#details")
    assert "cuts off cut.weight:" in text and "code = cut(torch.ones(1, 2)).detach()" in text
    assert "detach() gives the numbers of" in text


def test_light_and_dark(show):
    def paper(page):
        return page.evaluate("getComputedStyle(document.documentElement).backgroundColor")

    page = show(small(), color_scheme="dark")
    dark = paper(page)
    page.click("#theme")
    light = paper(page)
    assert light != dark
    page.keyboard.press("t")
    assert paper(page) == dark
    assert paper(show(small(), color_scheme="light")) == light


def test_colours_of_measures(show):
    page = show(small())
    assert count(page, "#scene .heat") == 0
    for measure in ("grad", "value", "saved"):
        page.select_option("#colour", measure)
        assert count(page, "#scene .heat") >= 2
    page.select_option("#colour", "")
    assert count(page, "#scene .heat") == 0


def test_on_a_phone(show):
    page = show(small(), width=390, height=780, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert not page.locator("#details").is_visible()
    titled(page, "z").tap()
    assert page.locator("#details").is_visible()
    page.locator("#details .close").tap()
    assert not page.locator("#details").is_visible()


def test_wheel_zooms_and_dragging_moves(show):
    page = show(small())

    def view():
        return page.evaluate("({...state.view})")

    def place(v):
        return f"translate({v['x']} {v['y']}) scale({v['k']})"

    before = view()
    page.mouse.move(400, 300)
    page.mouse.wheel(0, -300)
    playwright.expect(page.locator("#scene")).not_to_have_attribute("transform", place(before))
    zoomed = view()
    assert zoomed["k"] > before["k"]
    page.mouse.move(30, 400)
    page.mouse.down()
    page.mouse.move(130, 450, steps=4)
    page.mouse.up()
    moved = view()
    assert abs(moved["x"] - zoomed["x"] - 100) < 6 and abs(moved["y"] - zoomed["y"] - 50) < 6


def test_pinching_zooms(show):
    page = show(small(), width=390, height=780, has_touch=True)
    before = page.evaluate("state.view.k")
    touch = page.context.new_cdp_session(page)

    def fingers(kind, *points):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
            {"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]})

    fingers("touchStart", (150, 300), (250, 300))
    for spread in range(10, 60, 10):
        fingers("touchMove", (150 - spread, 300), (250 + spread, 300))
    fingers("touchEnd")
    assert page.evaluate("state.view.k") == pytest.approx(2 * before, rel=0.1)


def test_inline_in_a_notebook(show, tmp_path):
    page = show(small())
    page.goto("about:blank")
    page.set_content(f"<p>a notebook</p>{small()._repr_html_()}")
    frame = page.frame_locator("iframe")
    playwright.expect(frame.locator("#scene .operation")).to_have_count(5)
    frame.locator("#first").click()
    playwright.expect(frame.locator("#count")).to_have_text("0 / 5")


def test_two_thousand_nodes(show):
    page = show(large())
    assert len(large().boxes) > 2000 and count(page, "#scene .box, #scene .closed") < 100
    page.keyboard.press("o")
    assert page.evaluate("drawn.boxes.size") > 2000
    spent = page.evaluate("""() => {
        const start = performance.now();
        for (let k = 0; k < 50; k += 1) setStep(1000 + k, true);
        return (performance.now() - start) / 50; }""")
    assert spent < 100                                # ms a step, on a busy machine
    seen = "parts.filter(p => !p.hidden).length"
    page.evaluate("show('b1000')")
    assert 10 < page.evaluate(seen) < 1000            # what is out of sight is not drawn
    assert page.locator("#b1000").is_visible() and count(page, "#b10") == 0
    page.keyboard.press("Home")
    page.evaluate("show('b10')")
    assert count(page, "#b10.selected") == 1 and count(page, "#b1000") == 0
    page.keyboard.press("f")
    assert page.evaluate(seen) == page.evaluate("parts.length")


def test_the_count_of_a_long_chain_fits_into_its_box(show):
    x = torch.ones(2, requires_grad=True)
    y = x
    for _ in range(20000):
        y = y + 1
    page = show(viz.graph(y))
    text, box = (page.locator(f".closed {part}").bounding_box()
                 for part in (".group-name", ".shape"))
    free = box["width"] - text["width"]               # on both sides
    assert free > 16 and abs(text["x"] - box["x"] - free / 2) < 2
