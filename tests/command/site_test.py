#!/usr/bin/env python3
"""End to end: tools/release/site builds the documentation. Every link and picture in it leads to a
file, and to a place in it, every text of the project is in the navigation, and in headless Chromium
the pages open from the disk at desktop and phone width, without an error, and the search finds what
it must.
Usage: site_test.py ROOT BUILD_FOLDER WORK_FOLDER; exits with 77 without Sphinx and its extensions.
"""
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse
from html.parser import HTMLParser

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import browser  # noqa: E402

# Pages looked at in the browser: a guide, tables, pictures, the C++ interface, Python's, a help.
LOOKED_AT = ("index", "tools/guide/page", "classify/results_on_flavia", "features/accuracy", "cpp/gpu",
             "python_api", "commands/leafglyph-leaf-train", "search")
# What somebody may search for, and a page that the search must find.
SEARCHES = {"petiole": "commands/leafglyph-leaf-prepare.html", "make_moment_plan": "cpp/gpu.html",
            "MomentPlan": "python_api.html", "worksheet": "tools/guide/page.html"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.places, self.links, self.pictures = set(), [], 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.places |= {values[key] for key in ("id", "name") if values.get(key)}
        if tag == "img":
            self.pictures += 1
        self.links += [values[key] for key in ("href", "src") if values.get(key)]


def pictures_of(root):
    """How many pictures the texts of the project show."""
    return sum(len(re.findall(r"!\[[^\]]*\]\(", file.read_text("utf-8")))
               for folder in (".", ".github", "classify", "datasets", "features", "gpu", "tests", "tools")
               for file in root.joinpath(folder).glob("*.md" if folder == "." else "**/*.md"))


def broken_links(html, wanted):
    """A line for each link that leads nowhere, and one if there are fewer pictures than wanted; what
    is outside of the site is not asked for.
    """
    pages = {file: Page(file.read_text("utf-8")) for file in sorted(html.rglob("*.html"))}
    links = 0
    for file, page in pages.items():
        for link in page.links:
            target = urllib.parse.urlsplit(link)
            if target.scheme or target.netloc:
                if target.scheme not in ("http", "https", "mailto", "data"):
                    yield f"{file}: {link}"
                continue
            links += 1
            path = (file.parent / urllib.parse.unquote(target.path)).resolve() if target.path else file
            if not path.is_file():
                yield f"{file}: {link} leads to no file"
            elif target.fragment and path in pages and \
                    urllib.parse.unquote(target.fragment) not in pages[path].places:
                yield f"{file}: {link} leads to no place"
    pictures = sum(page.pictures for page in pages.values())
    print(f"{len(pages)} pages, {links} links and {pictures} pictures within them")
    if pictures < wanted:
        yield f"{pictures} pictures are in the site, {wanted} in the texts"


def check_in_browser(html, work):
    chromium = browser.Browser(work)
    try:
        for width, phone in ((1280, False), (390, True)):
            tab = browser.Tab(chromium, width, phone=phone)
            for name in LOOKED_AT:
                tab.open((html / f"{name}.html").as_uri())
                assert tab.ask("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), \
                    f"{name} is wider than {width} pixels"
                assert tab.ask("[...document.images].every((i) => !i.complete || i.naturalWidth)"), name
                tab.picture(work / f"{name.replace('/', '_')}_{width}.png", whole=False)
            for words, page in SEARCHES.items():
                tab.open((html / "search.html").as_uri() + "?q=" + urllib.parse.quote(words))
                tab.wait(f"[...document.querySelectorAll('#search-results a')].some((a) => a.href.includes('{page}'))",
                         f"a search for {words} does not find {page}")
            faults = tab.faults()
            assert not faults, faults
            tab.close()
    finally:
        chromium.close()


def main():
    root, build, work = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    missing = [name for name in ("sphinx", "myst_parser", "breathe", "furo")
               if importlib.util.find_spec(name) is None]
    if missing or shutil.which("doxygen") is None:
        print("the site is not built: these are missing:", *missing or ["doxygen"],
              "(tools/setup/packages_release.txt)")
        sys.exit(browser.SKIPPED)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    site = work / "site"
    subprocess.run([f"{root}/tools/release/site", "--build", build, "--out", site], check=True)
    broken = list(broken_links(site / "html", pictures_of(root)))
    if broken:
        sys.exit("\n".join(broken))
    if browser.program() is None:
        print("not opened in a browser: Chromium is not installed")
        return
    check_in_browser(site / "html", work)


main()
