#!/usr/bin/env python3
"""End to end: the command writes the explorer page of a small handmade font. The page needs nothing
from outside, opens in headless Chromium without an error at desktop and phone width, and works: a
typed, drawn or clicked character shows its look-alikes, as the command itself lists them; groups,
practice sheets, notes for Anki; in English and Chinese.
Usage: explorer_page_test.py LEAFGLYPH WORK_FOLDER; exits with 77 when there is no Chromium.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import browser  # noqa: E402
import report_page_test as report  # noqa: E402

CHARACTERS = "一丁二十三上下大天土己恿蓠"
TOP = 4

# Runs in the page, step by step; returns what is wrong.
CHECK = """(async () => {
  const wanted = EXPECTED, found = [];
  const id = (name) => document.getElementById(name);
  const settle = () => new Promise((done) => setTimeout(done, 60));
  const shown = () => [...id("answers").querySelectorAll("b[lang]")].map((b) => b.textContent);
  const expect = (holds, what) => { if (!holds) found.push(what); };
  const current = () => id("chosen").querySelector("h3").textContent;
  const same = (character, step) => {
    expect(current() === character, step + ": shows " + current());
    expect(shown().join("") === wanted[character], step + ": lists " + shown());
  };
  const type = async (text) => {
    id("wanted").value = text;
    id("wanted").dispatchEvent(new Event("input"));
    await settle();
  };
  for (const character of Object.keys(wanted)) {
    await type(character);
    same(character, "typed " + character);
  }
  await type("好 天");
  same("天", "the last known character of a text");
  for (const [code, character] of CODES) {
    await type("一");
    await type(code);
    same(character === "-" ? "一" : character, "the code " + code);
  }
  await type("十");
  const chips = () => [...id("chips").querySelectorAll("b")].map((b) => b.textContent).join("");
  await type("大土天");
  same("天", "a sentence");
  expect(chips() === "大土天", "chips of a sentence: " + chips());
  id("chips").querySelector("button").click();
  await settle();
  same("大", "a chip");
  for (const [pinyin, read] of [["ji3", "己"], ["jǐ", "己"], ["JI", "己"], ["shi2", "十"],
                                ["tian", "天"], ["ji4", ""]]) {
    await type(pinyin);
    expect(chips() === read, "pinyin " + pinyin + ": " + chips());
  }
  await type("ji3");
  id("ask").requestSubmit();
  await settle();
  same("己", "pinyin ji3");
  expect(id("chosen").textContent.includes("jǐ"), "no reading of 己");
  // The page's windows give the command's distances.
  const {windows, inkOf, characters} = leafglyphData;
  for (const [a, answers] of Object.entries(DISTANCES)) {
    for (const [b, far] of Object.entries(answers)) {
      const ink = [a, b].map((c) => inkOf(characters.indexOf(c)));
      const own = (windows.oneWay(windows.moved(ink[0]), windows.fixed(ink[1])) +
                   windows.oneWay(windows.moved(ink[1]), windows.fixed(ink[0]))) / 2;
      // Both sum in single precision.
      expect(Math.abs(own - far) < 1e-4, `distance ${a}${b}: ${own}, not ${far}`);
    }
  }
  await type("十");
  await type("A");
  id("ask").requestSubmit();
  await settle();
  expect(id("message").textContent.includes("A"), "no message about A");
  same("十", "a Latin letter");
  const first = shown()[0];
  id("answers").querySelector("button").click();
  await settle();
  same(first, "a clicked look-alike");
  expect(id("message").textContent === "", "the message stays");
  id("row").selectedIndex = 0;
  id("row").dispatchEvent(new Event("change"));
  const cell = id("all").querySelector("button");
  const browsed = cell.title;
  cell.click();
  await settle();
  same(browsed, "a character of the table");
  expect(id("all").querySelector("[aria-current=true]").title === browsed, "it is not marked");
  history.back();
  await settle();
  same(first, "the browser's way back");
  id("random").click();
  await settle();
  same(current(), "a random character");
  return found;
})()"""


def strings(*files):
    """The strings of a page by key, from several tables; no key is in two tables."""
    table = {}
    for file in files:
        own = json.loads(file.read_text("utf-8"))
        assert not table.keys() & own.keys(), table.keys() & own.keys()
        table |= own
    return table


def used_strings(folder):
    """The keys used by the pages and scripts of a folder."""
    used = set()
    for file in [*folder.glob("*.html"), *folder.glob("*.js")]:
        source = file.read_text("utf-8")
        used |= set(re.findall(r'data-(?:text|label)="([^"]+)"', source))
        used |= set(re.findall(r'\b(?:text|words)\("([^"]+)"[,)]', source))
    return used


# The strokes of 己, in units of the pad.
PEN = (((.2, .15), (.8, .15), (.8, .45)), ((.2, .45), (.8, .45)),
       ((.2, .45), (.2, .85), (.85, .85), (.85, .7)))
SONG = pathlib.Path("/usr/share/fonts/X11/misc/gb24st.pcf.gz")
KAI = pathlib.Path("/usr/share/fonts/truetype/arphic-gkai00mp/gkai00mp.ttf")


def draw(tab, strokes):
    """Draws strokes on the pad with the mouse."""
    left, top, width, height = tab.ask("""(() => {
        const pad = document.querySelector("#pad");
        pad.scrollIntoView({block: "center", behavior: "instant"});
        const box = pad.getBoundingClientRect();
        return [box.left, box.top, box.width, box.height];
    })()""")
    for stroke in strokes:
        corners = [(left + x * width, top + y * height) for x, y in stroke]
        points = corners[:1]
        for (ax, ay), (bx, by) in zip(corners, corners[1:]):
            points += [(ax + (bx - ax) * t / 10, ay + (by - ay) * t / 10) for t in range(1, 11)]
        tab.drag(points)


def check_pen(command, chromium, work):
    """On a phone, a drawn 己 is recognised as 己, 已 or 巳 among the common characters; then
    check_tools, with installed fonts."""
    config = work / "song.yaml"
    config.write_text(f"fonts: [{{file: {SONG}}}, {{file: {KAI}}}]\ncharacters: common\n"
                      "missing: leave_out\n")
    page = work / "common.html"
    report.run(0, command, "glyph", "explore", "--out", str(page), "--top", "4", "--no-cache",
               "--quiet", "--config", str(config))
    tab = browser.Tab(chromium, 390, phone=True)
    tab.open(page.as_uri())
    draw(tab, PEN)
    shown = tab.ask("[...document.querySelectorAll('#drawn b')].map((b) => b.textContent)")
    assert set("己已巳") <= set(shown), shown
    browser.check_accessible(tab, "a drawn character, 390 pixels")
    assert not tab.faults()
    tab.picture(work / "drawn_390_light.png")
    check_tools(tab, page.read_text("utf-8"), work)
    assert not tab.faults()
    tab.close()


def check_tools(tab, page_text, work):
    """Fonts, groups, worksheet, Anki notes, Chinese and the keyboard, with the page's own data."""
    data = json.loads(re.search(r'id="data">(.*?)</script>', page_text, re.S)[1])
    # The outlines of the Kai ti are shown at first; pixels and each font have their own path.
    path = "document.querySelector('#chosen path').getAttribute('d')"
    assert "Kai" in tab.ask("document.querySelector('#font').selectedOptions[0].textContent")
    tab.choose("#font", "0")
    seen = {tab.ask(path)}
    for place in range(1, 1 + len(data["fonts"])):
        tab.choose("#font", str(place))
        shown = tab.ask(path)
        assert re.fullmatch(r"(M\d+ \d+(L\d+ \d+){2,}z)+", shown), shown[:80]
        numbers = [int(number) for number in re.findall(r"\d+", shown)]
        assert max(numbers) <= data["grid"] and max(numbers) - min(numbers) > data["grid"] / 2
        seen.add(shown)
    assert len(seen) == 1 + len(data["fonts"]) > 1, "two fonts draw alike"
    groups = tab.ask("[...document.querySelectorAll('#groups-list > li')].map((group) =>"
                     " [...group.querySelectorAll('b')].map((b) => b.textContent).join(''))")
    assert groups == [members for members, _ in data["groups"]][:40] and "己已" in "".join(groups)
    # A worksheet and notes for the characters of a text.
    tab.type("#wanted", "己土")
    tab.click("#worksheet-make")
    assert tab.ask("[...document.querySelectorAll('#worksheet .line')].map((line) =>"
                   " line.querySelectorAll('svg').length + ' ' + line.children.length)") == \
        ["9 11", "9 11"]
    browser.check_accessible(tab, "worksheet")
    file = work / "characters.txt"
    tab.click("#anki")
    tab.wait_for_file(file)
    lines = file.read_text("utf-8").splitlines()
    notes = [line.split("\t") for line in lines if not line.startswith("#")]
    assert lines[0] == "#separator:tab" and [len(note) for note in notes] == [2, 2], lines
    assert [note[0] for note in notes] == ["己", "土"] and "jǐ" in notes[0][1], notes
    assert "Looks like " in notes[0][1] and "已 yǐ" in notes[0][1], notes
    tab.choose("#language", "zh")
    shown = tab.ask("document.body.innerText")
    assert "查形近字" in shown and "3 画，部首" in shown and "Look-alikes" not in shown, shown[:400]
    assert tab.ask("document.documentElement.lang") == "zh-Hans"
    browser.check_accessible(tab, "Chinese")
    tab.picture(work / "explorer_chinese_390.png")
    tab.choose("#language", "en")
    # The arrow keys move through the look-alikes, Enter selects one.
    tab.ask("document.querySelector('#answers button').focus()")
    tab.key("ArrowRight")
    wanted = tab.ask("document.activeElement.querySelector('b').textContent")
    assert wanted == tab.ask("document.querySelector('#answers li:nth-child(2) b').textContent")
    tab.key("Enter")
    tab.wait(f"document.querySelector('#chosen h3').textContent === '{wanted}'")


def font():
    """Glyphs of 8 x 8 pixels, each with its own pattern, as BDF."""
    text = ("STARTFONT 2.1\nFONT -test-made-medium-r-normal--8-80-75-75-c-80-ISO10646-1\n"
            "SIZE 8 75 75\nFONTBOUNDINGBOX 8 8 0 -1\nSTARTPROPERTIES 5\nPIXEL_SIZE 8\n"
            'FONT_ASCENT 7\nFONT_DESCENT 1\nCHARSET_REGISTRY "ISO10646"\nCHARSET_ENCODING "1"\n'
            f"ENDPROPERTIES\nCHARS {len(CHARACTERS)}\n")
    for character in CHARACTERS:
        code = ord(character)
        rows = "".join(f"{(code * (row + 3) * 37 >> 3) & 0xFF:02X}\n" for row in range(8))
        text += (f"STARTCHAR u{code}\nENCODING {code}\nSWIDTH 1000 0\nDWIDTH 8 0\nBBX 8 8 0 -1\n"
                 f"BITMAP\n{rows}ENDCHAR\n")
    return text + "ENDFONT\n"


def codes():
    """The character codes that the command reads, too, as JSON."""
    table = pathlib.Path(__file__).parents[1] / "support/character_codes.tsv"
    rows = [line.split("\t") for line in table.read_text("utf-8").splitlines() if line[0] != "#"]
    return json.dumps(rows, ensure_ascii=False)


def answers(command, config):
    """The look-alikes of every character, as `glyph similar` prints them."""
    done = subprocess.run([command, "glyph", "similar", CHARACTERS, "--top", str(TOP), "--json", "-",
                           "--no-cache", "--quiet", "--config", str(config)],
                          capture_output=True, text=True, timeout=300, check=True)
    return json.loads(done.stdout)


def check_use(chromium, page, similar):
    expected = {entry["character"]: "".join(answer["character"] for answer in entry["similar"])
                for entry in similar}
    distances = {entry["character"]: {answer["character"]: answer["distance"]
                                      for answer in entry["similar"]} for entry in similar}
    tab = browser.Tab(chromium, 1280)
    tab.open(page.as_uri())
    check = CHECK.replace("CODES", codes())
    for name, value in (("EXPECTED", expected), ("DISTANCES", distances)):
        check = check.replace(name, json.dumps(value, ensure_ascii=False))
    found = tab.ask(check)
    assert not found, found
    assert not tab.faults()
    tab.close()


def main():
    command, work = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "made.bdf").write_text(font())
    config = work / "made.yaml"
    config.write_text("fonts: [{file: made.bdf, size: 8}]\nmissing: leave_out\n")
    page = work / "explorer.html"
    report.run(0, command, "glyph", "explore", "--out", str(page), "--top", str(TOP), "--no-cache",
               "--quiet", "--config", str(config))
    text = page.read_text("utf-8")
    parsed = report.Page(text)
    assert not parsed.faults, parsed.faults
    assert len(parsed.ids) == len(set(parsed.ids)), "an id appears twice"
    for link in parsed.links:
        assert link.startswith("data:") or link[1:] in parsed.ids, link[:80]
    assert "@import" not in text and "http" not in text, "the page names something outside"
    browser.program_or_skip()
    similar = answers(command, config)
    chromium = browser.Browser(work)
    try:
        report.check_in_browser(chromium, page, work)
        check_use(chromium, page, similar)
        if SONG.exists() and KAI.exists():
            check_pen(command, chromium, work)
    finally:
        chromium.close()


if __name__ == "__main__":
    main()
