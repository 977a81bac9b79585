"""Headless Chromium, driven through its debugging pipe: a tab of a given width, colour scheme and
language, in which a test clicks, types, selects files and evaluates expressions. Collects every
error that the browser reports.
"""
import base64
import functools
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE = 20  # seconds after which an expected event counts as missing
AXE = "build/axe/node_modules/axe-core/axe.min.js"  # where tools/setup/fetch_axe installs it
SKIPPED = 77  # exit code of a test without a browser


def program_or_skip():
    """The path of the browser; ends the test as skipped if there is none."""
    if program() is None:
        print("not opened in a browser: Chromium is not installed")
        sys.exit(SKIPPED)
    return program()


def program():
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


class Browser:
    def __init__(self, downloads):
        self.profile = tempfile.TemporaryDirectory()
        to_child, self.write_end = os.pipe()
        self.read_end, from_child = os.pipe()
        command = [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                   "--no-first-run", "--disable-background-networking", "--disable-sync",
                   "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars",
                   "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}"]
        # Chromium reads messages from file descriptor 3 and writes them to 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_child} 4>&{from_child}', "bash", *command],
            pass_fds=(to_child, from_child), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.number, self.events = b"", 0, []
        self.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))

    def close(self):
        try:
            self.send("Browser.close")
        except (EOFError, BrokenPipeError):
            pass
        self.process.wait(timeout=PATIENCE)
        os.close(self.write_end)
        os.close(self.read_end)
        self.profile.cleanup()

    def message(self, until):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(0, until - time.monotonic()))
            if not ready:
                return None
            part = os.read(self.read_end, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        until = time.monotonic() + PATIENCE
        while True:
            reply = self.message(until)
            assert reply is not None, f"no reply to {method}"
            if reply.get("id") == self.number:
                assert "error" not in reply, f"{method}: {reply['error']}"
                return reply["result"]
            self.events.append(reply)


class Tab:
    """A page of a given width. `scheme`: light or dark; `phone`: touch and a phone's viewport."""

    def __init__(self, browser, width, height=900, scheme="light", phone=False):
        self.browser = browser
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=target,
                                    flatten=True)["sessionId"]
        self.target = target
        for domain in ("Page", "Runtime", "Log", "DOM"):
            self.send(domain + ".enable")
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=phone)
        self.scheme = scheme
        self.prefer(scheme)

    def prefer(self, scheme, media=""):
        # A gradual scroll would move the element that is clicked.
        self.send("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme},
                            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def close(self):
        self.browser.send("Target.closeTarget", targetId=self.target)

    def open(self, url):
        self.send("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def ask(self, expression):
        """The value of a JavaScript expression, awaited."""
        result = self.send("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True, userGesture=True)
        assert "exceptionDetails" not in result, (expression, result["exceptionDetails"])
        return result["result"].get("value")

    def wait(self, expression, what=None, patience=PATIENCE):
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if self.ask(expression):
                return
            time.sleep(0.05)
        raise AssertionError(what or "never holds: " + expression)

    def wait_for_file(self, path):
        """Waits for a complete download."""
        until = time.monotonic() + PATIENCE
        while not path.exists():
            assert time.monotonic() < until, f"never saved: {path}"
            time.sleep(0.05)

    def point(self, selector):
        """The centre of an element, scrolled into view."""
        place = self.ask(f"""(async () => {{
            const element = document.querySelector({json.dumps(selector)});
            if (!element) return null;
            element.scrollIntoView({{block: "center", behavior: "instant"}});
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            let box = element.getBoundingClientRect();
            for (let still = 0; still < 3;) {{  // what is drawn meanwhile may move it
              await new Promise(requestAnimationFrame);
              const now = element.getBoundingClientRect();
              still = now.top === box.top && now.left === box.left ? still + 1 : 0;
              box = now;
            }}
            return [box.left + box.width / 2, box.top + box.height / 2, box.width * box.height];
        }})()""")
        assert place and place[2] > 0, "not to be seen: " + selector
        return place[0], place[1]

    def mouse(self, kind, x, y):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y,
                  button="none" if kind == "mouseMoved" else "left",
                  buttons=0 if kind == "mouseReleased" else 1, clickCount=1)

    def click(self, selector):
        x, y = self.point(selector)
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def drag(self, points):
        """Presses the button at the first point, moves through the others, releases at the last."""
        self.mouse("mousePressed", *points[0])
        for x, y in points[1:]:
            self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left",
                      buttons=1)
        self.mouse("mouseReleased", *points[-1])

    def key(self, name, code=None):
        values = {"key": name, "code": code or name,
                  "windowsVirtualKeyCode": {"Tab": 9, "Enter": 13, " ": 32, "ArrowRight": 39}[name]}
        if name in ("Enter", " "):
            values["text"] = "\r" if name == "Enter" else " "
        self.send("Input.dispatchKeyEvent", type="keyDown", **values)
        self.send("Input.dispatchKeyEvent", type="keyUp", **values)

    def type(self, selector, text):
        """Types into a field, replacing its content."""
        self.ask(f"document.querySelector({json.dumps(selector)}).select()")
        self.ask(f"document.querySelector({json.dumps(selector)}).focus()")
        self.send("Input.insertText", text=text)

    def choose(self, selector, value):
        """Selects an option of a <select>."""
        self.ask(f"""(() => {{ const select = document.querySelector({json.dumps(selector)});
            select.value = {json.dumps(value)};
            select.dispatchEvent(new Event("input", {{bubbles: true}}));
            select.dispatchEvent(new Event("change", {{bubbles: true}})); }})()""")

    def files(self, selector, paths):
        root = self.send("DOM.getDocument")["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.send("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in paths])

    def picture(self, path, whole=True):
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(data["data"]))

    def pdf(self, path):
        """Prints the page on A4."""
        data = self.send("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)
        path.write_bytes(base64.b64decode(data["data"]))

    def faults(self):
        """Errors that the browser reported since the last call: exceptions, console messages,
        refused content."""
        self.ask("0")  # messages sent before have arrived by then
        found, others = [], []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                others.append(event)
                continue
            values = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append(values["exceptionDetails"])
            elif event["method"] == "Runtime.consoleAPICalled" and values["type"] in (
                    "error", "warning", "assert"):
                found.append(values["args"])
            elif event["method"] == "Log.entryAdded" and values["entry"]["level"] == "error":
                found.append(values["entry"])
        self.browser.events = others
        return found


# Requirements for every state of the page: each control has a name and each picture a text, ids are
# unique, headings skip no level, nothing is wider than the window, text contrasts with its
# background (4.5 : 1, WCAG 2.1 AA), and touch targets are at least 24 pixels.
ACCESSIBLE = """(() => {
  const found = [];
  const seen = (element) => element.getClientRects().length > 0 && !element.closest("[hidden]");
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth)
    found.push("wider than the window: " + root.scrollWidth + " > " + root.clientWidth);
  if (!root.lang) found.push("no language");
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push("twice: " + id);
  for (const image of document.images) {
    if (!image.hasAttribute("alt")) found.push("a picture without text: " + image.src.slice(0, 60));
    if (seen(image) && image.loading !== "lazy" && image.complete && !image.naturalWidth)
      found.push("broken picture: " + image.alt);
  }
  const controls = "button, input, select, textarea, a[href], [tabindex='0'], summary, progress";
  for (const control of [...document.querySelectorAll(controls)].filter(seen)) {
    const name = control.ariaLabel || control.textContent.trim() ||
      [...(control.labels ?? [])].map((l) => l.textContent.trim()).join("") ||
      control.getAttribute("aria-labelledby") || control.title;
    if (!name) found.push("no name: " + control.outerHTML.slice(0, 80));
    if (control.tagName === "SELECT" && !control.labels.length && !control.ariaLabel)
      found.push("no label: " + control.outerHTML.slice(0, 80));
    const box = control.getBoundingClientRect();
    if (control.matches("button, select, summary") && Math.min(box.width, box.height) < 24)
      found.push("too small to tap: " + control.outerHTML.slice(0, 80));
  }
  let level = 0;
  for (const heading of [...document.querySelectorAll("h1, h2, h3, h4")].filter(seen)) {
    const now = Number(heading.tagName[1]);
    if (now > level + 1) found.push("a level is left out before: " + heading.textContent);
    level = now;
  }
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (c) => { c /= 255; return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
  const luminance = ([r, g, b]) => .2126 * light(r) + .7152 * light(g) + .0722 * light(b);
  for (const element of document.querySelectorAll("body *")) {
    if (!seen(element) || element.closest("svg, script, button[disabled], .skip")) continue;
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
  return found;
})()"""


@functools.cache
def axe():
    """The source of axe-core; empty if it is not installed."""
    root = pathlib.Path(__file__).resolve().parents[2]
    file = pathlib.Path(os.environ.get("LEAFGLYPH_AXE", root / AXE))
    if not file.exists():
        print(f"axe-core did not look at the pages: {file} is not there; tools/setup/fetch_axe gets it")
        return ""
    return file.read_text("utf-8")


def check_accessible(tab, where):
    """Runs ACCESSIBLE, and axe-core if installed, in the light and in the dark scheme."""
    for scheme in ("light", "dark"):
        tab.prefer(scheme)
        found = tab.ask(ACCESSIBLE)
        assert not found, f"{where}, {scheme}: {found}"
        if not axe():
            continue
        if tab.ask("typeof globalThis.axe") == "undefined":
            tab.ask(axe() + "; 0")
        violations = tab.ask("""axe.run().then((r) => r.violations.map((v) =>
            v.id + ": " + v.nodes.map((n) => n.html + " " + n.failureSummary).join(" | ")))""")
        assert not violations, f"{where}, {scheme}, axe-core: {violations}"
    tab.prefer(tab.scheme)
