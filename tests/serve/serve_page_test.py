#!/usr/bin/env python3
"""End to end: `leafglyph serve` in headless Chromium, at desktop width in light and at 390 pixels in
dark, in English and Chinese: every action of the page, without an error reported by the browser.
Usage: serve_page_test.py LEAFGLYPH WORK_FOLDER; exits with 77 when there is no Chromium.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import time
import urllib.request
import zipfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "support"), str(TESTS / "command")]
import browser  # noqa: E402
import explorer_page_test as explorer  # noqa: E402
from leaf_steps import LeafSteps, chinese_name  # noqa: E402
from training_steps import TrainingSteps, run  # noqa: E402

CONFIG = """
data: {source: folders, path: LEAVES}
preparation: {size: 64, area: 500, finder: best, background: auto}
features: {order: 12, channels: [inverted, mask, gradient], measures: true}
pipeline: {values: log-magnitude, log_floor: 0.03, projection: plda}
classifier: {k: 5, metric: cosine, answered_share: 0.95}
"""
VIEWS = ((1280, "light", False), (390, "dark", True))


class Server:
    """The command, serving on a free port."""

    def __init__(self, command, work, *options):
        environment = dict(os.environ, XDG_DATA_HOME=str(work / "data"),
                           XDG_CACHE_HOME=str(work / "cache"), TMPDIR=str(work / "temporary"))
        (work / "temporary").mkdir(exist_ok=True)
        self.process = subprocess.Popen([command, "serve", "--port", "0", *options],
                                        stdout=subprocess.PIPE, text=True, env=environment)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert found, f"no address: {line}"
        self.url = found[0]

    def api(self, path):
        with urllib.request.urlopen(self.url + "api/v1/" + path, timeout=60) as reply:
            return json.load(reply)

    def post(self, path, body):
        request = urllib.request.Request(self.url + "api/v1/" + path, data=body, method="POST",
                                         headers={"Content-Type": "application/octet-stream"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def stop(self):
        self.process.terminate()
        code = self.process.wait(timeout=60)
        assert code == 0, f"the server ended with {code}"


def make_model(command, work):
    leaves = work / "leaves"
    run(command, "leaf", "generate", "--quiet", "--out", leaves, "--species", "6", "--leaves", "8",
        "--seed", "3")
    (leaves / "species.csv").write_text("folder,chinese_name\n" + "".join(
        f"{folder.name},{chinese_name(folder.name)}\n" for folder in leaves.iterdir()), "utf-8")
    config = work / "served.yaml"
    config.write_text(CONFIG.replace("LEAVES", str(leaves)))
    run(command, "leaf", "train", "--quiet", "--config", config, "--model", work / "drawn.model")
    return leaves


def look_alikes(command, config):
    """The first look-alikes of two characters, as `glyph similar` lists them."""
    listed = json.loads(run(command, "glyph", "similar", "己天", "--top", "4", "--json", "-",
                            "--no-cache", "--quiet", "--config", config))
    return {entry["character"]: "".join(prediction["character"] for prediction in entry["similar"])
            for entry in listed}


def check_strings():
    """Every string that the page uses exists, in both languages and with the same values."""
    page, shared = TESTS.parent / "classify/serve/page", TESTS.parent / "classify/page"
    strings = explorer.strings(shared / "character_strings.json", page / "strings.json")
    for key, entry in strings.items():
        assert set(entry) == {"en", "zh"} and all(entry.values()), key
        values = [sorted(re.findall(r"\{\w+\}", text)) for text in entry.values()]
        assert values[0] == values[1], f"{key}: {values}"
    used = explorer.used_strings(page)
    assert used <= strings.keys(), used - strings.keys()
    own = TESTS.parent / "classify/glyph_report"
    used = explorer.used_strings(own)
    known = explorer.strings(shared / "character_strings.json", own / "explorer_strings.json")
    assert used <= known.keys(), used - known.keys()
    check_sentences(json.loads((page / "sentences.json").read_text("utf-8")))


def check_sentences(sentences):
    """Every translated sentence is one of the program's own, word for word."""
    sources = ""
    for folder in ("features/glyph", "features/leaf", "features/image_io", "datasets/leaf", "classify"):
        for file in sorted([*(TESTS.parent / folder).rglob("*.cpp"), *(TESTS.parent / folder).rglob("*.h")]):
            # Adjacent string literals are joined.
            sources += re.sub(r'"\s*\+?\s*"', "", file.read_text("utf-8"))
    for sentence in sentences:
        assert set(sentence) == {"en", "zh"} and all(sentence.values()), sentence
        values = [set(re.findall(r"\{\w+\}", text)) for text in sentence.values()]
        assert values[1] <= values[0], sentence
        for piece in re.split(r"\{\w+\}|: ", sentence["en"]):
            assert piece in sources, f"the program says nothing like: {piece}"


class Check(LeafSteps, TrainingSteps):
    """The steps of one view."""

    def __init__(self, tab, server, work, name):
        self.tab, self.server, self.work, self.name = tab, server, work, name

    def done(self, step):
        """Checks that nothing was reported and the page is accessible; saves a screenshot."""
        faults = self.tab.faults()
        assert not faults, f"{self.name}, {step}: {faults}"
        shown = self.tab.ask("document.body.innerText")
        assert "[object" not in shown and "undefined" not in shown, shown
        browser.check_accessible(self.tab, f"{self.name}, {step}")
        self.tab.picture(self.work / f"{step}_{self.name}.png")

    def part(self, name):
        self.tab.click(f"nav a[href='#{name}']")
        self.tab.wait(f"!document.querySelector('#{name}').hidden")
        assert self.tab.ask("document.querySelector('nav [aria-current=page]').hash") == "#" + name

    def moments(self, leaves):
        tab = self.tab
        self.part("moments")
        self.done("moments_empty")
        tab.click("#moment-example")
        psnr = []
        for order in (10, 40, 80):
            tab.ask(f"""(() => {{ const slider = document.querySelector("#order");
                slider.value = {order}; slider.dispatchEvent(new Event("input")); }})()""")
            tab.wait(f"/order {order}:/.test(document.querySelector('#moment-figures').textContent)")
            figures = tab.ask("document.querySelector('#moment-figures').textContent")
            psnr.append(float(re.search(r"PSNR ([\d.]+) dB", figures)[1]))
        assert psnr == sorted(psnr) and psnr[0] < psnr[2], psnr
        self.done("moments_example")
        for family in ("pseudo-zernike", "bessel-fourier", "fourier-mellin", "exponent-fourier",
                       "legendre", "gegenbauer:1", "jacobi:1:1"):
            before = tab.ask("document.querySelector('#moment-image').src")
            tab.choose("#family", family)
            tab.wait(f"document.querySelector('#moment-image').src !== {json.dumps(before)}")
        before = tab.ask("document.querySelector('#moment-original').src")
        tab.files("#moment-file", sorted(leaves.glob("*/0001.png"))[:1])
        tab.wait(f"document.querySelector('#moment-original').src !== {json.dumps(before)}")
        assert tab.ask("document.querySelector('#moment-original').naturalWidth") == 256

    def characters(self, expected):
        tab = self.tab
        self.part("characters")
        tab.wait("document.querySelector('#glyph-name').textContent !== ''")  # the best pair
        assert tab.ask("document.querySelector('#glyph-second').textContent") != ""
        self.done("characters_first")
        shown = ("[...document.querySelectorAll('#glyph-answers b')].map((b) => b.textContent)"
                 ".join('')")
        for character in ("己", "天"):
            tab.type("#glyph-text", character)
            tab.key("Enter")
            tab.wait(f"document.querySelector('#glyph-name').textContent === '{character}'")
            tab.wait(f"{shown}.startsWith('{expected[character]}')", "not the command's look-alikes")
        chips = ("[...document.querySelectorAll('#glyph-chips button')].map((b) => b.textContent)"
                 ".join('')")
        self.reading_and_drawing(chips)
        tab.type("#glyph-text", "上下 xyz 己上。")
        tab.click("#glyph-ask button")
        tab.wait(f"{chips} === '上下己'")
        tab.click("#glyph-chips .chip:nth-child(3)")
        tab.wait("document.querySelector('#glyph-name').textContent === '己'")
        tab.click("#glyph-answers li:nth-child(3) button")
        tab.wait("document.querySelector('#glyph-second').textContent === "
                 "document.querySelector('#glyph-answers li:nth-child(3) b').textContent")
        assert tab.ask("document.querySelectorAll('#glyph-table canvas').length") == 3
        tab.type("#glyph-lesson", "一二三上下大天")
        tab.click("#glyph-find-pairs")
        tab.wait("document.querySelectorAll('#glyph-pairs li').length === 21")
        tab.click("#glyph-list")
        tab.wait(f"{shown}.length === 7")
        tab.click("#glyph-pairs li:nth-child(2) button")
        tab.wait("document.querySelector('#glyph-pairs li:nth-child(2) b').textContent === "
                 "document.querySelector('#glyph-first').textContent + ' ' + "
                 "document.querySelector('#glyph-second').textContent")
        tab.click("#glyph-list")
        # In a different order than before, so that the chips belong to this text.
        tab.type("#glyph-text", "己下上")
        tab.key("Enter")
        tab.wait(f"{chips} === '己下上'")
        tab.wait("document.querySelector('#glyph-status').textContent === ''")
        tab.click("#worksheet-make")
        tab.wait("document.querySelectorAll('#worksheet .line').length === 3")
        assert tab.ask("document.querySelectorAll('#worksheet .line')[0].children.length") == 11
        assert tab.ask("document.querySelectorAll('#worksheet .line')[0].querySelectorAll('.traced').length") == 5
        shown = "[...document.querySelectorAll('#worksheet .order svg')].map((one) => one.querySelectorAll('path').length)"
        assert tab.ask(shown) == [1, 2, 3], tab.ask(shown)
        assert tab.ask("document.querySelector('#worksheet .note').textContent") == "jǐ · 3 strokes · HSK\u00a02"
        tab.type("#sheet-title", "Lesson <3>")
        tab.wait("document.querySelector('#worksheet .sheet-head b').textContent === 'Lesson <3>'")
        tab.choose("#sheet-grid", "mi")
        tab.wait("document.querySelector('#worksheet.mi') !== null")
        self.done("characters_found")
        notes = self.work / "downloads" / "characters.apkg"
        notes.unlink(missing_ok=True)
        tab.click("#anki")
        tab.wait_for_file(notes)
        with zipfile.ZipFile(notes) as package:
            package.extract("collection.anki2", self.work)
        with contextlib.closing(sqlite3.connect(self.work / "collection.anki2")) as collection:
            fronts = [front for front, in collection.execute("select sfld from notes order by id")]
        assert fronts == ["己", "下", "上"], fronts
        tab.type("#glyph-text", "abc")
        tab.key("Enter")
        tab.wait("document.querySelector('#glyph-status.wrong') !== null")
        assert tab.ask("document.querySelector('#glyph-found').hidden"), "the last answer is still there"
        assert tab.ask("document.querySelector('#glyph-fonts').hidden"), "the last answer is still there"

    def reading_and_drawing(self, chips):
        """Search by pinyin, and by drawing on the pad: only the horizontal stroke of 一."""
        tab = self.tab
        for pinyin in ("ji3", "ji", "jǐ"):
            tab.type("#glyph-text", "十")
            tab.key("Enter")
            tab.wait("document.querySelector('#glyph-name').textContent === '十'")
            tab.type("#glyph-text", pinyin)
            tab.key("Enter")
            tab.wait("document.querySelector('#glyph-name').textContent === '己'")
            assert tab.ask("document.querySelector('#glyph-chips-label').textContent") == \
                "Pronounced " + pinyin
            assert tab.ask(chips) == "己"
        assert "jǐ" in tab.ask("document.querySelector('#glyph-facts').textContent")
        drawn = "[...document.querySelectorAll('#drawn button')].map((b) => b.textContent)"
        explorer.draw(tab, [[(.1, .5), (.9, .5)]])
        tab.wait(f"{drawn}.length === 12")
        order = json.dumps(tab.ask(f"{drawn}.join('')"))
        self.done("characters_drawn")
        explorer.draw(tab, [[(.5, .1), (.5, .9)]])
        tab.wait(f"{drawn}.join('') !== {order}")
        tab.click("#pad-undo")
        tab.wait(f"{drawn}.join('') === {order}")
        tab.click("#drawn button")
        tab.wait(f"document.querySelector('#glyph-name').textContent === {order}[0]")
        tab.click("#pad-clear")
        tab.wait(f"{drawn}.length === 0")
        self.picture_of_a_character()

    def picture_of_a_character(self):
        """A picture is named, its candidates lead to look-alikes; what is not a picture is refused."""
        tab = self.tab
        tab.files("#glyph-file", [self.work / "made.bdf"])
        tab.wait("document.querySelector('#picture-status.wrong') !== null")
        assert all("422" in fault["text"] for fault in tab.faults())  # the browser reports refusals
        tab.files("#glyph-file", [self.work / "pen.bmp"])
        tab.wait("!document.querySelector('#picture-result').hidden")
        assert tab.ask("document.querySelector('#picture-answer').textContent") in "己已巳?"
        assert tab.ask("document.querySelector('#picture-seen').width") == 64
        assert tab.ask("document.querySelectorAll('#picture-candidates button').length") == 5
        assert tab.ask("document.querySelector('#picture-status').textContent") == ""
        first = tab.ask("document.querySelector('#picture-candidates button').textContent")
        assert first in "己已巳", first
        tab.click("#glyph-text")
        for place in range(1, 6):
            name = tab.ask(f"document.querySelector('#picture-candidates :nth-child({place})').textContent")
            if name in "一二三十上下大天土己":  # of the font that is compared
                tab.click(f"#picture-candidates :nth-child({place})")
                tab.wait(f"document.querySelector('#glyph-name').textContent === '{name}'")
        self.done("characters_picture")

    def chinese(self):
        tab = self.tab
        tab.choose("#language", "zh")
        tab.wait("document.querySelector('#leaves-title').textContent === '这是什么叶子？'")
        assert tab.ask("document.documentElement.lang") == "zh-Hans"
        species = self.answer_of_command(self.work / "leaves" / self.first)["classes"][0]["class"]
        shown = tab.ask("document.querySelector('#leaf-results article').innerText")
        assert chinese_name(species) in shown and species not in shown, shown
        self.done("leaves_chinese")
        tab.choose("#language", "en")

    def keyboard(self):
        """The page can be used with the keyboard alone."""
        tab = self.tab
        tab.open(self.server.url)
        tab.wait("document.querySelector('#leaf-drop').getClientRects().length > 0")
        reached = []
        for _ in range(12):
            tab.key("Tab")
            reached.append(tab.ask("document.activeElement.id || document.activeElement.hash"))
        for wanted in ("#main", "language", "#leaves", "leaf-files", "leaf-camera"):
            assert wanted in reached, (wanted, reached)


def check_view(chromium, server, work, leaves, expected, view):
    width, scheme, phone = view
    tab = browser.Tab(chromium, width, scheme=scheme, phone=phone)
    check = Check(tab, server, work, f"{width}_{scheme}")
    try:
        check.leaves(leaves)
        check.one_plant()
        check.correction()
        check.table(leaves)
        check.chinese()
        check.keeping()
        check.parts(leaves)
        check.dropping(leaves)
        check.many(leaves)
        check.training(leaves)
        check.moments(leaves)
        check.characters(expected)
        check.keyboard()
        assert not tab.faults()
    except AssertionError:
        tab.picture(work / f"failed_{check.name}.png")
        print("the browser reported:", tab.faults())
        raise
    tab.close()


def strokes(work):
    """The order of strokes of 己, in the form of hanzi-writer-data, and of 一, by which such a folder is
    known."""
    folder = work / "strokes"
    folder.mkdir()
    for character, count in (("一", 1), ("己", 3)):
        outlines = [f"M 100 {800 - 200 * k} L 900 {800 - 200 * k} L 900 {760 - 200 * k} Z" for k in range(count)]
        (folder / f"{character}.json").write_text(json.dumps({"strokes": outlines}), "utf-8")
    return folder


def pen_bmp(side=60):
    """A picture of 己 as the pad draws it, dark on light, 24 bits per pixel, rows from the bottom."""
    ink = set()
    for stroke in explorer.PEN:
        for (x0, y0), (x1, y1) in zip(stroke, stroke[1:]):
            for step in range(200):
                x, y = (int(side * (a + (b - a) * step / 200)) for a, b in ((x0, x1), (y0, y1)))
                ink.update((x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
    rows = b"".join(bytes(3 * [30 if (x, y) in ink else 240]) for y in reversed(range(side)) for x in range(side))
    return struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 54 + len(rows), 0, 0, 54, 40, side, side, 1, 24, 0, len(rows),
                       2835, 2835, 0, 0) + rows


def check_installed_fonts(command, chromium, work):
    """With an outline font, the page and its worksheets are drawn as outlines; a character that the
    font draws is answered, whether or not it is in the set."""
    if not explorer.KAI.exists():
        print(f"not tried: {explorer.KAI} is not there")
        return
    config = work / "kai.yaml"
    config.write_text(f"fonts: [{{file: {explorer.KAI}}}]\ncharacters: U+5DF0..U+5DFE\nmissing: leave_out\n")
    server = Server(command, work, "--data", work / "kai", "--config", config)
    try:
        tab = browser.Tab(chromium, 1280)
        tab.open(server.url + "#characters")
        name = "document.querySelector('#glyph-name').textContent"
        tab.wait(f"{name} === '己'")
        assert tab.ask("document.querySelector('#glyph-second').textContent") == "已"
        tab.type("#glyph-text", "ソ")
        tab.key("Enter")
        tab.wait(f"{name} === 'ソ'")
        tab.wait("document.querySelectorAll('#glyph-answers svg').length > 0")
        tab.click("#worksheet-make")
        tab.wait("document.querySelectorAll('#worksheet svg').length === 9")
        assert tab.ask("document.querySelectorAll('canvas.glyph').length") == 0
        browser.check_accessible(tab, "katakana")
        tab.picture(work / "characters_kana.png")
        # The server is busy while it opens the set; the browser reports that.
        assert not [fault for fault in tab.faults() if "503" not in fault["text"]]
        tab.close()
    except BaseException:
        server.process.kill()
        raise
    server.stop()


def check_killed(command, work, leaves):
    """A server that is killed or interrupted while it trains loses neither a model nor the photographs
    that were sent; the next one goes on with them."""
    data = work / "killed"
    (data / "models").mkdir(parents=True)
    shutil.copytree(work / "drawn.model", data / "models" / "mine")
    archive = pathlib.Path(shutil.make_archive(work / "killed", "zip", work, "leaves")).read_bytes()
    requests = [("training/begin", b""), ("training/archive", archive), ("training/grow?model=mine", b"")]
    for end in ("kill", "interrupt"):
        server = Server(command, work, "--data", data)
        for request, body in requests:
            server.post(request, body)
        requests = requests[-1:]
        until = time.monotonic() + browser.PATIENCE
        while "step" not in server.api("training") and time.monotonic() < until:
            time.sleep(.01)
        if end == "kill":
            server.process.kill()
            server.process.wait()
        else:
            server.stop()
        again = Server(command, work, "--data", data)
        (model,) = again.api("models")["models"]
        assert (model["name"], model["leaves"]) == ("mine", 48), model
        state = again.api("training")
        assert (state["phase"], state["photographs"]) == ("gathering", 48), state
        again.stop()
        assert [path.name for path in (data / "models").iterdir()] == ["mine"]
        assert {path.name for path in data.iterdir()} == {"models", "waiting"}
    again = Server(command, work, "--data", data)
    again.post("training/begin?discard=yes", b"")
    again.stop()
    assert [path.name for path in data.iterdir()] == ["models"]


def main():
    command, work = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    check_strings()
    shutil.rmtree(work, ignore_errors=True)
    (work / "downloads").mkdir(parents=True)
    leaves = make_model(command, work)
    check_killed(command, work, leaves)
    browser.program_or_skip()
    (work / "made.bdf").write_text(explorer.font())
    config = work / "made.yaml"
    config.write_text("fonts: [{file: made.bdf, size: 8}]\nmissing: leave_out\n")
    expected = look_alikes(command, config)
    (work / "pen.bmp").write_bytes(pen_bmp())
    (work / "learnt.txt").write_text("一二三十上下大天土己已巳日目口王")
    run(command, "glyph", "train", "--quiet", "--characters", work / "learnt.txt", "--set", "copies=1", "--set",
        "features.blurs=[1.5]", "--set", "features.orders=[6]", "--set", "classifier.directions=15", "--model",
        work / "glyph.model")
    server = Server(command, work, "--model", work / "drawn.model", "--data", work / "data",
                    "--config", config, "--glyph-model", work / "glyph.model", "--strokes", strokes(work))
    chromium = browser.Browser(work / "downloads")
    try:
        for view in VIEWS:
            check_view(chromium, server, work, leaves, expected, view)
        check_installed_fonts(command, chromium, work)
    except BaseException:
        server.process.kill()
        raise
    finally:
        chromium.close()
    server.stop()
    assert not list((work / "temporary").iterdir()), "temporary data is left"


if __name__ == "__main__":
    main()
