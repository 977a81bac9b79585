#!/usr/bin/env python3
"""End to end: a report of generated leaves and explained answers are written by the command. The
report holds the figures of its JSON file; both pages need nothing from outside and open in headless
Chromium without an error, at desktop and phone width, light and dark.
Usage: report_page_test.py LEAFGLYPH WORK_FOLDER; exits with 77 when there is no Chromium.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

CONFIG = """
data: DATA
preparation: {geometry: shape-preserving, size: 64, area: 500}
features: {family: zernike, order: 4, channels: [grey, mask], measures: true}
pipeline: {values: log-magnitude, scaling: standardise, projection: PROJECTION}
classifier: {k: NEIGHBOURS, answered_share: 0.9}
protocol: {kind: splits, leaves: random, train: 6, test: 2, repeats: 3, seed: 1}
sweep: {orders: [2, 4]}
"""
DRAWN = "{source: generated, species: 6, leaves: 8, seed: 3}"
NEIGHBOURS = 3
VOID = {"meta", "link", "img", "input", "br"}
SELF_CLOSING = {"path", "rect", "line", "circle"}


class Page(HTMLParser):
    """Checks nesting while reading; collects what the test asks about."""

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
    """What holds for every page; returns it."""
    page = Page(text)
    assert not page.faults, page.faults
    assert len(page.ids) == len(set(page.ids)), "an id stands twice"
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


# Runs in the page when everything is loaded and sends its findings to the frame around it.
SELF_CHECK = """<script>
window.addEventListener("load", () => {
  const found = [];
  for (const image of document.images)
    if (!image.complete || image.naturalWidth === 0) found.push("broken picture: " + image.alt);
  const wide = document.documentElement;
  if (wide.scrollWidth > wide.clientWidth)
    found.push("wider than the window: " + wide.scrollWidth + " > " + wide.clientWidth);
  for (const chart of document.querySelectorAll(".chart")) {
    const shown = [...chart.querySelectorAll("svg")].filter((s) => s.getBoundingClientRect().width);
    if (shown.length !== 1) found.push("a chart is shown " + shown.length + " times");
  }
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (c) => { c /= 255; return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
  const luminance = ([r, g, b]) => .2126 * light(r) + .7152 * light(g) + .0722 * light(b);
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest("svg, script, [hidden]") || !element.getClientRects().length) continue;
    if (![...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    let behind = element;
    while (behind && channels(getComputedStyle(behind).backgroundColor)[3] === 0)
      behind = behind.parentElement;
    const ground = behind ? channels(getComputedStyle(behind).backgroundColor) : [255, 255, 255];
    const a = luminance(channels(getComputedStyle(element).color)), b = luminance(ground);
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (contrast < 4.5)
      found.push("contrast " + contrast.toFixed(2) + ": " + element.textContent.slice(0, 40));
  }
  const table = document.querySelector("table.species");
  if (table) useTable(table, found);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  parent.postMessage(JSON.stringify({found, dark, width: innerWidth}), "*");
});
function useTable(table, found) {
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
}
</script></body>"""
# Chromium's windows are not narrower than 500 pixels: the page is checked in a frame.
FRAME = """<!DOCTYPE html><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<script>addEventListener("message", (e) => document.documentElement.dataset.found = e.data);</script>
<iframe width="WIDTH" height="1400" style="border:0" src="self_check.html"></iframe>"""
SCHEME = {"light": 1, "dark": 0}


def chromium(program, page, width, scheme, *options):
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--enable-logging=stderr", f"--user-data-dir={profile}",
             f"--window-size={width},1400", f"--blink-settings=preferredColorScheme={SCHEME[scheme]}",
             *options, page.as_uri()],
            capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    errors = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert not errors, errors
    return done.stdout


def check_in_browser(program, page, work):
    (work / "self_check.html").write_text(
        page.read_text("utf-8").replace("</body>", SELF_CHECK), "utf-8")
    for width, scheme in ((1280, "light"), (390, "dark")):
        frame = work / "frame.html"
        frame.write_text(FRAME.replace("WIDTH", str(width)), "utf-8")
        dom = chromium(program, frame, 1400, scheme, "--dump-dom", "--virtual-time-budget=3000")
        found = re.search(r'data-found="([^"]*)"', dom)
        assert found, "the page's check did not run to its end"
        result = json.loads(found[1].replace("&quot;", '"').replace("&amp;", "&"))
        assert not result["found"], f"{page.name}, {width} pixels, {scheme}: {result['found']}"
        assert result["width"] == width and result["dark"] == (scheme == "dark"), result
        picture = work / f"{page.stem}_{width}_{scheme}.png"
        chromium(program, page, width, scheme, f"--screenshot={picture}")
        header = picture.read_bytes()[:24]
        assert header[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG file"
        assert int.from_bytes(header[16:20], "big") == width, "the picture has another width"


def run(expected, *arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == expected, f"exit code {done.returncode}: {done.stderr}"


def configuration(file, data, projection):
    file.write_text(CONFIG.replace("DATA", data).replace("PROJECTION", projection)
                    .replace("NEIGHBOURS", str(NEIGHBOURS)))
    return file


def write_report(command, work):
    lda = configuration(work / "discriminant.yaml", DRAWN, "lda")
    plain = configuration(work / "plain.yaml", DRAWN, "none")
    report, figures = work / "report.html", work / "report.json"
    run(0, command, "leaf", "evaluate", "--quiet", "--config", lda, "--beside", plain, "--json",
        figures, "--report", report)
    check_report(report.read_text("utf-8"), json.loads(figures.read_text("utf-8")))
    return report


def write_explanation(command, work):
    """Two leaves and a file that is no image, by a model of leaves in a folder."""
    leaves = work / "leaves"
    run(0, command, "leaf", "generate", "--quiet", "--out", leaves, "--species", "4", "--leaves",
        "6", "--seed", "3")
    config = configuration(work / "folders.yaml", f"{{source: folders, path: {leaves}}}", "lda")
    run(0, command, "leaf", "train", "--quiet", "--config", config, "--model", work / "model")
    broken = work / "broken <&>.png"
    broken.write_text("no image")
    images = sorted(leaves.glob("*/*.png"))[:2]
    explained = work / "explained.html"
    run(5, command, "leaf", "classify", "--quiet", "--model", work / "model", *images, broken,
        "--explain", explained)
    page = check_page(explained.read_text("utf-8"))
    assert len(page.images) == len(images) * (1 + NEIGHBOURS), len(page.images)
    for part in ("grey", "mask", "measures"):
        assert explained.read_text("utf-8").count(f">{part}</th>") == len(images), part
    return explained


def main():
    command, work = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    pages = [write_report(command, work), write_explanation(command, work)]
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        print("not opened in a browser: none of " + ", ".join(names) + " is installed")
        sys.exit(77)
    for page in pages:
        check_in_browser(program, page, work)


if __name__ == "__main__":
    main()
