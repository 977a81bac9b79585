#!/usr/bin/env python3
"""End to end: the command writes a report of generated leaves, explained predictions and a check of
photographs. The report has the figures of its JSON file; the pages need nothing from outside and
open in headless Chromium without an error, at desktop and phone width, light and dark.
Usage: report_page_test.py LEAFGLYPH WORK_FOLDER; exits with 77 when there is no Chromium.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import browser  # noqa: E402

CONFIG = """
data: DATA
preparation: {geometry: shape-preserving, size: 64, area: 500}
features: {family: zernike, order: 4, channels: [inverted, mask], measures: true}
pipeline: {values: log-magnitude, scaling: standardise, log_floor: 0.03, projection: PROJECTION}
classifier: {k: NEIGHBOURS, metric: cosine, answered_share: 0.9}
protocol: {kind: splits, leaves: random, train: 6, test: 2, repeats: 3, seed: 1}
sweep: {orders: [2, 4]}
"""
DRAWN = "{source: generated, species: 6, leaves: 8, seed: 3}"
NEIGHBOURS = 3
VOID = {"meta", "link", "img", "input", "br"}
SELF_CLOSING = {"path", "rect", "line", "circle"}


class Page(HTMLParser):
    """Checks the nesting while reading; collects what the test needs."""

    def __init__(self, text):
        super().__init__()
        self.open, self.figures, self.ids, self.links, self.urls = [], {}, [], [], []
        self.images, self.faults, self.key = [], [], None
        self.feed(text)
        if self.open:
            self.faults.append(f"never closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "img":
            self.images.append(values)
        if tag == "th" and "scope" not in values:
            self.faults.append("a <th> without scope")
        self.key = values.get("data-figure")
        for name in ("src", "href"):
            if name in values:
                self.links.append(values[name])
        self.urls += re.findall(r"url\(([^)]*)\)", values.get("style", ""))

    def handle_startendtag(self, tag, attrs):
        if tag not in SELF_CLOSING:
            self.faults.append(f"<{tag}/>")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        if self.key is not None:
            self.figures[self.key] = data
            self.key = None


def looked_up(report, key):
    """The JSON value of a dotted key, as the page writes it."""
    value = report
    for part in key.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return str(value) if isinstance(value, int) else f"{100 * value:.2f}"


def check_page(text):
    """Checks what holds for every page; returns the parsed page."""
    page = Page(text)
    assert not page.faults, page.faults
    assert len(page.ids) == len(set(page.ids)), "an id appears twice"
    for link in page.links:
        assert link.startswith("data:") or (link[0] == "#" and link[1:] in page.ids), link[:80]
    assert not page.urls and "@import" not in text, "the style loads something"
    assert page.images, "no picture"
    assert all(image.get("alt") for image in page.images), "a picture without alternative text"
    return page


def check_report(text, report):
    page = check_page(text)
    wrong = {key: (shown, looked_up(report, key)) for key, shown in page.figures.items()
             if shown != looked_up(report, key)}
    assert not wrong, f"page and JSON differ: {wrong}"
    classes = len(report["classes"])
    wanted = {"top1.mean", "top1.standard_deviation", "top1.interval.low", "top1.interval.high",
              "top3.mean", "top5.mean", "macro.mean", "answered.mean", "answered_correct.mean"}
    wanted |= {f"classes.{c}.{name}" for c in range(classes)
               for name in ("tests", "correct", "recall", "precision")}
    wanted |= {f"splits.{s}.top1" for s in range(len(report["splits"]))}
    assert wanted <= page.figures.keys(), wanted - page.figures.keys()
    mistakes = {mistake["leaf"] for mistake in report["mistakes"]}
    shown = len(re.findall(r'class="card mistake"', text))
    assert shown == min(60, len(mistakes)), f"{shown} cards of {len(mistakes)} leaves"


# A chart is drawn for wide windows and for narrow ones; one of them is shown.
CHARTS = """[...document.querySelectorAll(".chart")].filter((chart) =>
    [...chart.querySelectorAll("svg")].filter((s) => s.getBoundingClientRect().width).length !== 1)
    .length"""
# Sorts the table of species both ways and filters it; returns what is wrong.
TABLE = """(() => {
  const table = document.querySelector("table.species"), found = [];
  if (!table) return found;
  const recalls = () => [...table.tBodies[0].rows].map((row) => Number(row.cells[4].dataset.value));
  const button = table.tHead.rows[0].cells[4].querySelector("button");
  for (const sign of [-1, 1]) {
    button.click();
    const now = recalls();
    if (now.some((value, i) => i && sign * value < sign * now[i - 1]))
      found.push("not sorted by recall: " + now);
  }
  const input = document.querySelector("#species .filter input");
  const name = table.tBodies[0].rows[1].cells[1].textContent;
  input.value = name.toUpperCase();
  input.dispatchEvent(new Event("input"));
  for (const row of table.tBodies[0].rows)
    if (row.hidden === row.textContent.includes(name)) found.push("filter: " + row.textContent);
  input.value = "";
  input.dispatchEvent(new Event("input"));
  return found;
})()"""


def check_in_browser(chromium, page, work):
    for width, scheme in ((1280, "light"), (390, "dark")):
        where = f"{page.name}, {width} pixels"
        tab = browser.Tab(chromium, width, scheme=scheme, phone=width < 500)
        tab.open(page.as_uri())
        tab.ask("Promise.all([...document.images].map((image) => { image.loading = 'eager';"
                " return image.decode().catch(() => 0); })).then(() => 0)")
        assert tab.ask(CHARTS) == 0, f"{where}: a chart is not shown once"
        wrong = tab.ask(TABLE)
        assert not wrong, f"{where}: {wrong}"
        browser.check_accessible(tab, where)
        faults = tab.faults()
        assert not faults, f"{where}: {faults}"
        tab.picture(work / f"{page.stem}_{width}_{scheme}.png")
        tab.close()


def run(expected, *arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == expected, f"exit code {done.returncode}: {done.stderr}"


def configuration(file, data, projection):
    file.write_text(CONFIG.replace("DATA", data).replace("PROJECTION", projection)
                    .replace("NEIGHBOURS", str(NEIGHBOURS)))
    return file


def write_report(command, work):
    plda = configuration(work / "discriminant.yaml", DRAWN, "plda")
    plain = configuration(work / "plain.yaml", DRAWN, "none")
    report, figures = work / "report.html", work / "report.json"
    run(0, command, "leaf", "evaluate", "--quiet", "--config", plda, "--beside", plain, "--json",
        figures, "--report", report)
    check_report(report.read_text("utf-8"), json.loads(figures.read_text("utf-8")))
    return report


def write_explanation(command, work):
    """Explains two leaves and a file that is not an image, with a model trained on a folder."""
    leaves = work / "leaves"
    run(0, command, "leaf", "generate", "--quiet", "--out", leaves, "--species", "4", "--leaves",
        "6", "--seed", "3")
    config = configuration(work / "folders.yaml", f"{{source: folders, path: {leaves}}}", "plda")
    run(0, command, "leaf", "train", "--quiet", "--config", config, "--model", work / "model")
    broken = work / "broken <&>.png"
    broken.write_text("no image")
    images = sorted(leaves.glob("*/*.png"))[:2]
    explained = work / "explained.html"
    run(5, command, "leaf", "classify", "--quiet", "--model", work / "model", *images, broken,
        "--explain", explained)
    page = check_page(explained.read_text("utf-8"))
    assert len(page.images) == len(images) * (1 + NEIGHBOURS), len(page.images)
    for part in ("inverted", "mask", "measures"):
        assert explained.read_text("utf-8").count(f">{part}</th>") == len(images), part
    return explained


def write_check(command, work):
    """Checks the leaves drawn by write_explanation; one is also filed under another species."""
    species, other = sorted((work / "leaves").iterdir())[:2]
    shutil.copy(species / "0001.png", other / "misfiled.png")
    check = work / "check.html"
    run(0, command, "leaf", "check", "--quiet", "--config", work / "folders.yaml", "--report", check)
    check_page(check.read_text("utf-8"))
    return check


def main():
    command, work = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    pages = [write_report(command, work), write_explanation(command, work),
             write_check(command, work)]
    browser.program_or_skip()
    chromium = browser.Browser(work)
    try:
        for page in pages:
            check_in_browser(chromium, page, work)
    finally:
        chromium.close()


if __name__ == "__main__":
    main()
