"""The steps of serve_page_test.py that train models and change them."""
import json
import re
import shutil
import subprocess
import sys
import urllib.parse
import zipfile


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class TrainingSteps:
    """Needs tab, server, work, name, part() and done() of the class that inherits it."""

    def training_status(self, wanted):
        self.tab.wait(f"document.querySelector('#train-status').textContent === {json.dumps(wanted)}")

    def refused(self, path):
        """The browser reports the refusal, too, as expected."""
        assert [fault["url"] for fault in self.tab.faults()] == [self.server.url + "api/v1/" + path]

    def unusable(self, leaves):
        """Photographs that cannot become a model are reported before training; the page asks
        what to do with those of another tab."""
        tab = self.tab
        loose = self.work / "loose.zip"
        with zipfile.ZipFile(loose, "w") as archive:
            archive.write(sorted(leaves.glob("*/0001.png"))[0], "0001.png")
            archive.writestr("oak/Thumbs.db", "x")
        tab.files("#train-zip", [loose])
        self.training_status("0 photographs of 0 species have been added.")
        shown = tab.ask("document.querySelector('#train-advice').innerText")
        assert "1 photograph is in no species folder" in shown and "oak/1.jpg" in shown, shown
        assert "1 file is not a photograph and was left out (Thumbs.db)" in shown, shown
        single = self.work / "single.zip"
        with zipfile.ZipFile(single, "w") as archive:
            for file in sorted(leaves.glob("*/0001.png"))[:2]:
                archive.write(file, f"{file.parent.name}/{file.name}")
        tab.files("#train-zip", [single])
        self.training_status("2 photographs of 2 species have been added.")
        assert "Species with a single photograph" in tab.ask("document.querySelector('#train-advice').innerText")
        assert tab.ask("document.querySelectorAll('#train-species li').length") == 2
        tab.click("#train-run")
        self.training_status("at least two species with two photographs or more are needed to see "
                             "how leaves of one species differ, but there is none: add photographs")
        tab.choose("#language", "zh")
        self.training_status("至少要有两个种类各有两张以上的照片，才能看出同种叶片之间的差别，"
                             "现在一个也没有：请补充照片")
        tab.choose("#language", "en")
        self.refused("training/run?name=my+leaves")
        tab.open(self.server.url)  # as another tab
        self.part("training")
        self.training_status("2 photographs of 2 species have been added.")
        for button, photographs in (("#train-cancel", 2), ("#train-add", 4), ("#train-discard", 2)):
            tab.files("#train-zip", [single])
            tab.wait("!document.querySelector('#train-waiting').hidden")
            assert tab.ask("document.querySelector('#train-run').disabled")
            self.refused("training/begin")
            self.done("training_waiting")
            tab.click(button)
            self.training_status(f"{photographs} photographs of 2 species have been added.")

    def report(self):
        """The report is shown in its sandbox, and its tables can be sorted."""
        tab = self.tab
        tab.open(self.server.url + "api/v1/training/report")
        tab.wait("document.querySelector('table[data-sortable] th button') !== null")
        assert tab.ask("self.origin") == "null"
        tab.click("table[data-sortable] th button")
        tab.wait("document.querySelector('table[data-sortable] th').ariaSort === 'ascending'")
        self.done("training_report")
        tab.open(self.server.url)
        tab.wait("document.querySelector('#leaf-drop').getClientRects().length > 0")

    def training(self, leaves):
        """Training from a folder and from an archive; the models make predictions."""
        tab = self.tab
        self.part("training")
        self.done("training_empty")
        assert tab.ask("document.querySelector('#train-run').disabled")
        self.unusable(leaves)
        archive = shutil.make_archive(self.work / "leaves", "zip", self.work, "leaves")
        if self.name.startswith("1280"):
            tab.files("#train-folder", [leaves])
        else:
            tab.files("#train-zip", [archive])
        tab.wait("!document.querySelector('#train-waiting').hidden")
        tab.click("#train-discard")
        self.refused("training/begin")
        tab.wait("/48 photographs of/.test("
                 "document.querySelector('#train-status').textContent)")
        name = "trained " + self.name
        tab.type("#train-name", name)
        tab.click("#train-run")
        tab.wait("!document.querySelector('#train-result').hidden")
        assert tab.ask("document.querySelector('#train-ready').textContent") == f"The model {name} is ready"
        assert re.search(r"^Shown 48 photographs .* identified \d+\.\d % correctly", tab.ask(
            "document.querySelector('#train-accuracy').textContent"))
        assert re.search(r"says “unknown”( \d times? in 10)?\. With so few species", tab.ask(
            "document.querySelector('#train-unknown').textContent"))
        self.done("training_done")
        assert (self.work / "data" / "models" / name / "manifest.json").exists()
        assert not list((self.work / "temporary").iterdir()), "photographs are left"
        assert not list((self.work / "data").glob(".*")), "photographs are left"
        assert tab.ask("document.querySelector('#train-run').disabled")
        tab.click("#train-use")
        tab.wait("!document.querySelector('#leaves').hidden")
        assert tab.ask("document.querySelector('#leaf-model').value") == name
        self.report()
        self.shelf(name, leaves)

    def notebook(self, card):
        """What was done to the model, what it mixes up, and the photographs to look at; its report."""
        tab = self.tab
        report = f"{card}.querySelector('a[href*=report]').href"
        assert tab.ask(f"fetch({report}).then((reply) => reply.status)") == 200
        tab.ask(f"{card}.querySelectorAll('details')[1].open = true")
        tab.wait(f"{card}.querySelectorAll('.history li').length === 2")
        shown = tab.ask(f"{card}.querySelector('.history').innerText")
        assert "trained on 48 photographs of 6 species" in shown, shown
        assert "4 photographs added: " in shown, shown
        looked_at = tab.ask(f"{card}.querySelectorAll('.looks li').length")
        title = tab.ask(f"{card}.querySelector('.notebook').innerText")
        assert f"Photographs to look at ({looked_at})" in title, title
        self.done("models_notebook")

    def shelf(self, name, leaves):
        """The trained model among the others: its species; more photographs; another name; a copy as
        an archive; its removal after a question."""
        tab = self.tab
        self.part("models")
        card = f"[...document.querySelectorAll('#models-list > li')].find((li) => li.querySelector('h2').textContent === '{name}')"
        tab.ask(f"{card}.querySelector('summary').click()")
        tab.wait(f"{card}.querySelectorAll('.species-shelf li').length === 6")
        tab.ask("Promise.all([...document.images].map((i) => { i.loading = 'eager'; return i.decode()"
                ".catch(() => 0); })).then(() => 0)")
        self.done("models")
        button = lambda place: f"{card}.querySelectorAll('.buttons > *')[{place}].click()"
        tab.ask(button(1))  # add photographs
        tab.wait("!document.querySelector('#training').hidden")
        assert tab.ask("document.querySelector('#train-target').value") == name
        more = self.work / "more.zip"
        with zipfile.ZipFile(more, "w") as archive:
            archive.write(next(leaves.glob("*/0001.png")).parent / "0002.png", "copies/0002.png")
            run(sys.argv[1], "leaf", "generate", "--quiet", "--out", self.work / f"new {self.name}", "--species",
                "7", "--leaves", "2", "--seed", "9")
            for file in sorted((self.work / f"new {self.name}").glob("*/000?.png"))[:4]:
                archive.write(file, f"{file.parent.name}/{file.name}")
        tab.files("#train-zip", [more])
        self.training_status("5 photographs of 3 species have been added.")
        tab.click("#train-run")
        tab.wait("!document.querySelector('#train-result').hidden")
        self.training_status(f"Ready: 4 new photographs were added to {name}.")
        self.part("models")
        self.notebook(card)
        tab.ask(button(3))  # rename
        field = f"#rename-{tab.ask('[...document.querySelectorAll(`#models-list > li`)].length - 1')}"
        tab.type(field, "drawn.model")
        tab.key("Enter")
        tab.wait("document.querySelector('#models-list [role=alert]') !== null")
        self.refused("models/rename?" + urllib.parse.urlencode({"model": name, "name": "drawn.model"}))
        self.done("models_rename")
        tab.type(field, "other " + self.name)
        tab.key("Enter")
        name = "other " + self.name
        card = card.replace("'trained " + self.name + "'", f"'{name}'")
        tab.wait(f"{card} !== undefined")
        archive = self.work / "downloads" / (name + ".zip")
        archive.unlink(missing_ok=True)
        tab.ask(f"{card}.querySelectorAll('.buttons > *')[4].click()")
        tab.wait_for_file(archive)
        tab.ask(f"{card}.querySelectorAll('details')[1].open = true")
        tab.wait(f"/renamed from .* to {name}/.test({card}.querySelector('.history')?.innerText)")
        with zipfile.ZipFile(archive) as opened:
            assert name + "/manifest.json" in opened.namelist() and opened.testzip() is None
        tab.ask(f"{card}.querySelectorAll('.buttons > *')[5].click()")
        self.done("models_remove")
        tab.ask(f"{card}.querySelector('.danger').click()")
        tab.wait(f"{card} === undefined")
        assert not (self.work / "data" / "models" / name).exists()
