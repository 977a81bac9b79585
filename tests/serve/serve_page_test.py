#!/usr/bin/env python3
"""End to end: `leafglyph serve` in headless Chromium, at desktop width in light and at 390 pixels in
dark, in English and Chinese: every action of the page, without an error reported by the browser.
Usage: serve_page_test.py LEAFGLYPH WORK_FOLDER; exits with 77 when there is no Chromium.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.request

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "support"), str(TESTS / "command")]
import browser  # noqa: E402
import explorer_page_test as explorer  # noqa: E402
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
    for folder in ("features/leaf", "features/image_io", "datasets/leaf", "classify"):
        for file in sorted((TESTS.parent / folder).rglob("*.cpp")):
            # Adjacent string literals are joined.
            sources += re.sub(r'"\s*\+?\s*"', "", file.read_text("utf-8"))
    for sentence in sentences:
        assert set(sentence) == {"en", "zh"} and all(sentence.values()), sentence
        values = [set(re.findall(r"\{\w+\}", text)) for text in sentence.values()]
        assert values[1] <= values[0], sentence
        for piece in re.split(r"\{\w+\}|: ", sentence["en"]):
            assert piece in sources, f"the program says nothing like: {piece}"


class Check(TrainingSteps):
    """The steps of one view."""

    def __init__(self, tab, server, work, name):
        self.tab, self.server, self.work, self.name = tab, server, work, name

    def done(self, step):
        """Checks that nothing was reported and the page is accessible; saves a screenshot."""
        faults = self.tab.faults()
        assert not faults, f"{self.name}, {step}: {faults}"
        browser.check_accessible(self.tab, f"{self.name}, {step}")
        self.tab.picture(self.work / f"{step}_{self.name}.png")

    def leaves(self, leaves):
        tab = self.tab
        tab.open(self.server.url)
        tab.wait("document.querySelector('#leaf-drop').getClientRects().length > 0")
        self.done("leaves_empty")
        chosen = sorted(leaves.glob("*/0001.png"))[:2]
        blank = self.work / "no leaf <b>.png"
        blank.write_bytes(b"no image")
        tab.files("#leaf-files", [*chosen, blank])
        tab.wait("document.querySelectorAll('#leaf-results .word').length === 2")
        tab.wait("document.querySelector('#leaf-progress').hidden")
        for place, file in enumerate(chosen):
            expected = self.answer_of_command(file)
            shown = tab.ask(f"document.querySelectorAll('#leaf-results article')[{place}].innerText")
            assert expected["classes"][0]["class"] in shown, shown
            assert expected["word"] in shown, shown
        assert tab.ask("document.querySelectorAll('#leaf-results polygon.line').length") == 2
        shown = tab.ask("document.querySelector('#leaf-results').innerText")
        assert shown.count("no leaf <b>.png") == 1, shown
        assert tab.ask("document.querySelector('#leaf-status').textContent") == \
            "2 of 3 photographs identified."
        # The server cannot make a picture of it, either, and the browser reports that.
        tab.wait("document.querySelector('#leaf-results .no-picture') !== null")
        assert [fault["url"] for fault in tab.faults()] == [self.server.url + "api/v1/leaf/preview"]
        tab.ask("Promise.all([...document.images].map((i) => { i.loading = 'eager'; return i.decode()"
                ".catch(() => 0); })).then(() => 0)")
        over = tab.ask("""[...document.querySelectorAll(".photo svg")].every((drawing) => {
            const a = drawing.getBoundingClientRect();
            const b = drawing.parentNode.querySelector("img").getBoundingClientRect();
            return Math.hypot(a.x - b.x, a.y - b.y, a.width - b.width, a.height - b.height) < 1;
        })""")
        assert over, "the outline does not lie on the photograph"
        self.done("leaves_answered")
        self.filtering()
        for place in (0, 1):
            self.expand(place)
        tab.wait("document.querySelectorAll('#leaf-results .nearest > li').length === 10")
        self.done("leaves_open")

    def expand(self, place):
        """Shows a photograph of the grid in full, with its evidence and corrections."""
        result = f"#leaf-results > li:nth-child({place + 1})"
        self.tab.click(f"{result} .tile button")
        self.tab.ask(f"""document.querySelectorAll("{result} details")
            .forEach((part) => {{ part.open = true; }})""")
        self.tab.wait(f"document.querySelector('{result} details[open] #really-{place}') !== null")

    def filtering(self):
        """The photographs of one word alone, and then all again."""
        tab = self.tab
        shown = "[...document.querySelectorAll('#leaf-results > li')].filter((li) => !li.hidden).length"
        tab.click("#leaf-filter button:last-child")  # without a prediction
        tab.wait(f"{shown} === 1")
        assert "no leaf <b>.png" in tab.ask("document.querySelector('#leaf-results > li:not([hidden])').innerText")
        self.done("leaves_filtered")
        tab.click("#leaf-filter button")
        tab.wait(f"{shown} === 3")

    def one_plant(self):
        """All photographs together get one prediction."""
        tab = self.tab
        tab.click("#one-plant")
        tab.wait("!document.querySelector('#plant').hidden")
        shown = tab.ask("document.querySelector('#plant').innerText")
        assert "from 2 leaves together" in shown, shown
        self.done("leaves_plant")
        tab.click("#one-plant")
        tab.wait("document.querySelector('#plant').hidden")

    def answer_of_command(self, file):
        return json.loads(run(sys.argv[1], "leaf", "classify", "--quiet", "--json", "-", "--top", "5",
                              "--model", self.work / "drawn.model", file))[0]

    def correction(self):
        """With a wrong background no leaf is found; the message is also in Chinese."""
        tab = self.tab
        wrong = "document.querySelector('#leaf-results article').querySelector('.wrong')"
        tab.choose("#background-0", "dark")
        tab.wait(f"{wrong} !== null")
        shown = tab.ask(f"{wrong}.textContent")
        assert "the background is not dark" in shown, shown
        tab.choose("#language", "zh")
        shown = tab.ask(f"{wrong}.textContent")
        assert shown == ("0001.png：照片边缘很浅，所以背景不是深色；"
                         "如果叶子在浅色背景上，请把背景选为“比叶子浅”"), shown
        self.done("leaves_refused_chinese")
        tab.choose("#language", "en")
        tab.choose("#background-0", "")
        tab.wait("document.querySelectorAll('#leaf-results .alike').length === 2")

    def parts(self, leaves):
        """Every leaf of a photograph is numbered and identified as by the command; a click on its
        outline or its line shows it in full. The photograph is pasted."""
        tab = self.tab
        before = tab.ask("document.querySelectorAll('#leaf-results > li').length")
        pictures = [self.encoded(file) for file in sorted(leaves.glob("*/0003.png"))[:2]]
        tab.ask(f"""(async () => {{
            const images = await Promise.all({json.dumps(pictures)}.map(async (data) => {{
              const image = new Image();
              image.src = "data:image/png;base64," + data;
              await image.decode();
              return image;
            }}));
            const [a, b] = images, canvas = document.createElement("canvas");
            canvas.width = a.width + b.width;
            canvas.height = Math.max(a.height, b.height);
            const pen = canvas.getContext("2d");
            pen.fillStyle = "white";
            pen.fillRect(0, 0, canvas.width, canvas.height);
            pen.drawImage(a, 0, 0);
            pen.drawImage(b, a.width, b.height * .2, b.width * .6, b.height * .6);
            window.sheet = canvas.toDataURL("image/png").split(",")[1];
            const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
            const transfer = new DataTransfer();
            transfer.items.add(new File([blob], "two.png", {{type: "image/png"}}));
            dispatchEvent(new ClipboardEvent("paste", {{clipboardData: transfer}}));
        }})()""")
        result = f"document.querySelectorAll('#leaf-results > li')[{before}]"
        tab.wait(f"{result}?.querySelectorAll('.leaf-number').length === 2")
        assert tab.ask(f"{result}.innerText").startswith("1\n2\n2 leaves: ")
        sheet = self.work / "two.png"
        sheet.write_bytes(base64.b64decode(tab.ask("window.sheet")))
        expected = json.loads(run(sys.argv[1], "leaf", "classify", "--quiet", "--json", "-", "--every-leaf",
                                  "--model", self.work / "drawn.model", sheet))
        tab.click(f"#leaf-results > li:nth-child({before + 1}) .tile button")
        lines = tab.ask(f"[...{result}.querySelectorAll('.leaf-list li')].map((line) => line.innerText)")
        assert len(lines) == len(expected) == 2, (lines, expected)
        for line, leaf in zip(lines, expected):
            assert leaf["word"] in line, (line, leaf)
            assert not leaf["known"] or leaf["classes"][0]["class"] in line, (line, leaf)
        self.done("leaves_sheet")
        middle = f"""(() => {{
            const points = {result}.querySelector("polygon.line").getAttribute("points").split(" ")
                .map((point) => Number(point.split(",")[0]));
            return (Math.min(...points) + Math.max(...points)) / 2;
        }})()"""
        first = tab.ask(middle)
        tab.click(f"#leaf-results > li:nth-child({before + 1}) .leaf-list li:nth-child(2) button")
        tab.wait(f"Math.abs({middle} - {first}) > .2")
        tab.ask(f"{result}.querySelector('polygon.part')"
                ".dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        tab.wait(f"Math.abs({middle} - {first}) < .01")

    @staticmethod
    def encoded(file):
        return base64.b64encode(file.read_bytes()).decode()

    def keeping(self):
        tab = self.tab
        tab.type("#really-0", "银杏 Ginkgo")
        tab.key("Enter")
        tab.wait("/银杏 Ginkgo\\/[0-9a-f]{16}\\.png/.test(document.querySelector('#leaf-results')"
                 ".innerText)")
        kept = list((self.work / "data" / "leaves").glob("*/*"))
        assert len(kept) == 1 and kept[0].parent.name == "银杏 Ginkgo", kept
        shutil.rmtree(self.work / "data" / "leaves")
        tab.type("#really-1", "../x")
        tab.key("Enter")
        tab.wait("document.querySelector('#leaf-results .correct .wrong') !== null")
        assert not (self.work / "data" / "leaves").exists()
        # The browser reports the refusal, too, as expected.
        assert len(tab.faults()) == 1

    def table(self, leaves):
        tab, file = self.tab, self.work / "downloads" / "leaves.csv"
        file.unlink(missing_ok=True)
        tab.click("#leaf-csv")
        tab.wait_for_file(file)
        lines = file.read_text("utf-8").splitlines()
        assert len(lines) == 4 and lines[0].startswith("image,prediction,word,"), lines

    def dropping(self, leaves):
        """Photographs dropped together are added to the others."""
        tab = self.tab
        before = tab.ask("document.querySelectorAll('#leaf-results > li').length")
        files = sorted(leaves.glob("*/0002.png"))[:3]
        tab.ask(f"""(() => {{
            const transfer = new DataTransfer();
            for (const [place, data] of {json.dumps([self.encoded(file) for file in files])}.entries()) {{
              const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
              transfer.items.add(new File([bytes], `dropped${{place}}.png`, {{type: "image/png"}}));
            }}
            document.querySelector("#leaf-drop").dispatchEvent(new DragEvent("drop",
                {{dataTransfer: transfer, bubbles: true, cancelable: true}}));
        }})()""")
        tab.wait("document.querySelector('#leaf-progress').hidden && "
                 f"document.querySelectorAll('#leaf-results > li').length === {before + 3}")
        shown = tab.ask("document.querySelector('#leaf-results').innerText")
        assert all(f"dropped{place}.png" in shown for place in range(3)), shown
        tab.click("#leaf-clear")
        tab.wait("document.querySelectorAll('#leaf-results > li').length === 0")

    def many(self, leaves):
        """Sixty photographs are a page shorter than 6,000 pixels."""
        tab = self.tab
        files = sorted(leaves.glob("*/*.png"))
        copies = self.work / f"copies {self.name}"
        copies.mkdir()
        chosen = [shutil.copy(files[place % len(files)], copies / f"{place}.png") for place in range(60)]
        tab.files("#leaf-files", chosen)
        tab.wait("document.querySelectorAll('#leaf-results .tile .word').length >= 60")
        tab.wait("document.querySelector('#leaf-progress').hidden")
        tab.ask("Promise.all([...document.images].map((i) => i.decode().catch(() => 0))).then(() => 0)")
        if self.name.startswith("1280"):
            height = tab.ask("document.documentElement.scrollHeight")
            assert height < 6000, f"sixty photographs are {height} pixels"
        self.done("leaves_many")
        tab.click("#leaf-clear")

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
        self.done("characters_empty")
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
        tab.click(".chip:nth-child(3)")
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
        assert tab.ask("document.querySelectorAll('#worksheet .line')[0].children.length") == 10
        assert tab.ask("document.querySelector('#worksheet .note').textContent") == "jǐ · 3 strokes"
        tab.type("#sheet-title", "Lesson <3>")
        tab.wait("document.querySelector('#worksheet .sheet-head b').textContent === 'Lesson <3>'")
        tab.choose("#sheet-grid", "mi")
        tab.wait("document.querySelector('#worksheet.mi') !== null")
        self.done("characters_found")
        notes = self.work / "downloads" / "characters.txt"
        notes.unlink(missing_ok=True)
        tab.click("#anki")
        tab.wait_for_file(notes)
        fronts = [line.split("\t")[0] for line in notes.read_text("utf-8").splitlines()]
        assert [front for front in fronts if front[0] != "#"] == ["己", "下", "上"], fronts
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

    def chinese(self):
        tab = self.tab
        tab.choose("#language", "zh")
        tab.wait("document.querySelector('#leaves-title').textContent === '这是什么叶子？'")
        assert tab.ask("document.documentElement.lang") == "zh-Hans"
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


def check_killed(command, work, leaves):
    """A server that is killed while it trains loses no model, and the next one has what was taught."""
    data = work / "killed"
    (data / "models").mkdir(parents=True)
    shutil.copytree(work / "drawn.model", data / "models" / "mine")
    archive = pathlib.Path(shutil.make_archive(work / "killed", "zip", work, "leaves")).read_bytes()
    server = Server(command, work, "--data", data)
    for request, body in (("training/begin", b""), ("training/archive", archive),
                          ("training/grow?model=mine", b"")):
        server.post(request, body)
    until = time.monotonic() + browser.PATIENCE
    while "step" not in server.api("training") and time.monotonic() < until:
        time.sleep(.01)
    server.process.kill()
    server.process.wait()
    again = Server(command, work, "--data", data)
    (model,) = again.api("models")["models"]
    assert (model["name"], model["leaves"]) == ("mine", 48), model
    again.stop()
    assert [path.name for path in (data / "models").iterdir()] == ["mine"]
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
    server = Server(command, work, "--model", work / "drawn.model", "--data", work / "data",
                    "--config", config)
    chromium = browser.Browser(work / "downloads")
    try:
        for view in VIEWS:
            check_view(chromium, server, work, leaves, expected, view)
    except BaseException:
        server.process.kill()
        raise
    finally:
        chromium.close()
    server.stop()
    assert not list((work / "temporary").iterdir()), "temporary data is left"


if __name__ == "__main__":
    main()
