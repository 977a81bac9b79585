"""The steps of serve_page_test.py that identify leaves."""
import base64
import json
import shutil
import sys

from training_steps import run


def chinese_name(species):
    return "叶" + str(len(species)) + species[0] + species[-3]


class LeafSteps:
    """Needs tab, server, work, name, part() and done() of the class that inherits it."""

    def leaves(self, leaves):
        tab = self.tab
        tab.open(self.server.url)
        tab.wait("document.querySelector('#leaf-drop').getClientRects().length > 0")
        self.trying()
        self.first_visit()
        self.empty_file()
        chosen = sorted(leaves.glob("*/0001.png"))[:2]
        self.first, self.chosen = chosen[0].relative_to(leaves), chosen
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
        self.ordering()
        self.record()
        for place in (0, 1):
            self.expand(place)
        tab.wait("document.querySelectorAll('#leaf-results .nearest > li').length === 10")
        self.done("leaves_open")

    def trying(self):
        """A model of drawn leaves, and an answer, with one click; the model can be removed again."""
        tab = self.tab
        assert tab.ask("document.querySelectorAll('#no-model-folder img').length") == 9
        tab.click("#leaf-try")
        tab.wait("document.querySelector('#leaf-results .word') !== null", patience=120)  # trains a model
        assert tab.ask("document.querySelector('#leaf-model').value") == "drawn leaves"
        assert "oak, round lobes" in tab.ask("document.querySelector('#leaf-results').innerText")
        self.done("leaves_tried")
        assert tab.ask("document.querySelector('#leaf-try').hidden")
        self.server.post("models/remove?model=drawn%20leaves", b"")
        tab.ask("localStorage.removeItem('model')")
        tab.open(self.server.url)
        tab.wait("document.querySelector('#leaf-drop').getClientRects().length > 0")

    def first_visit(self):
        """How to photograph leaves, what the model knows, and a leaf to try; a model of drawn leaves
        says so."""
        tab = self.tab
        tab.wait("document.querySelectorAll('#leaf-examples-list li').length === 9")
        assert tab.ask("document.querySelectorAll('#leaf-known-species li').length") == 6
        assert "drawn leaves" in tab.ask("document.querySelector('#no-model').innerText")
        self.done("leaves_empty")
        tab.click("#leaf-sample")
        tab.wait("document.querySelector('#leaf-results h2') !== null && "
                 "document.querySelector('#leaf-progress').hidden")
        assert tab.ask("document.querySelector('#leaf-status').textContent") == "1 of 1 photograph identified."
        self.done("leaves_sample")
        tab.click("#leaf-clear")
        tab.wait("!document.querySelector('#leaf-examples').hidden")

    def empty_file(self):
        """An empty file is named once, with a sentence for people."""
        tab = self.tab
        empty = self.work / "empty.jpg"
        empty.write_bytes(b"")
        tab.files("#leaf-files", [empty])
        tab.wait("document.querySelector('#leaf-results .wrong') !== null && "
                 "document.querySelector('#leaf-results .no-picture') !== null")
        shown = tab.ask("document.querySelector('#leaf-results').innerText")
        assert "the file is empty" in shown and shown.count("empty.jpg") == 1, shown
        assert tab.ask("document.querySelector('#leaf-status').textContent") == "0 of 1 photograph identified."
        # The browser reports the refusals, too, as expected.
        assert {fault["url"].split("?")[0] for fault in tab.faults()} == {
            self.server.url + "api/v1/leaf/identify", self.server.url + "api/v1/leaf/preview"}
        tab.open(self.server.url)
        tab.wait("document.querySelector('#leaf-drop').getClientRects().length > 0")

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

    def ordering(self):
        """By species or by probability, and back; what has no result is last, with its reason."""
        tab = self.tab
        names = ("[...document.querySelectorAll('#leaf-results > li')].map((li) => "
                 "li.querySelector('.soft').textContent)")
        given = tab.ask(names)
        species = "[...document.querySelectorAll('#leaf-results b')].map((b) => b.textContent)"
        tab.choose("#leaf-order", "species")
        shown = tab.ask(species)
        assert shown[-1] == "No result" and shown[:-1] == sorted(shown[:-1]), shown
        assert "is not a JPEG" in tab.ask("document.querySelector('#leaf-results > li:last-child .wrong').innerText")
        tab.choose("#leaf-order", "probability")
        by_file = {file: self.answer_of_command(file) for file in self.chosen}
        # Both are called 0001.png: their species tell them apart.
        expected = [by_file[file]["classes"][0]["class"] for file in
                    sorted(by_file, key=lambda file: -by_file[file]["probability"])]
        assert tab.ask(species)[:-1] == expected, (tab.ask(species), expected)
        tab.choose("#leaf-order", "given")
        assert tab.ask(names) == given

    def record(self):
        """A field record of the photographs that are shown, and of one; only the record is printed."""
        tab = self.tab
        tab.click("#leaf-record")
        tab.type("#record-title", "Drawer <12>")
        tab.type("#record-where", "Kew, E. C.")
        shown = tab.ask("document.querySelector('#record').innerText")
        for wanted in ("Drawer <12>", "model drawn.model", "3 photographs", "Kew, E. C.", "likely to be right",
                       "For it: ", "is not a JPEG"):
            assert wanted in shown, (wanted, shown)
        assert tab.ask("document.querySelectorAll('#record .entry polygon.line').length") == 2
        self.done("leaves_record")
        tab.prefer("light", media="print")
        seen = "[...document.querySelectorAll(%s)].filter((one) => one.getClientRects().length > 0).length"
        assert tab.ask(seen % "'#record .entry'") == 3
        assert tab.ask(seen % "'header, nav, #leaf-drop, #leaf-results > li, button, input'") == 0
        tab.prefer(tab.scheme)
        tab.pdf(self.work / f"record_{self.name}.pdf")
        tab.click("#record-close")
        assert tab.ask("document.querySelector('#record-part').hidden")
        tab.click("#leaf-results > li:first-child .tile button")
        tab.ask("[...document.querySelectorAll('#leaf-results .result .buttons button')].at(-1).click()")
        assert tab.ask("document.querySelectorAll('#record.single .entry').length") == 1
        tab.pdf(self.work / f"record_of_one_{self.name}.pdf")
        pages = (self.work / f"record_of_one_{self.name}.pdf").read_bytes().count(b"/Type /Page\n")
        assert pages == 1, f"one answer is {pages} pages"
        tab.click("#record-close")
        tab.click("#leaf-results > li:first-child .close")

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
        # As leaflets of one leaf they have one answer, with the outlines of both.
        question = f"#leaf-results > li:nth-child({before + 1}) p[role=group] button"
        for button, answers, outlined in ((":first-of-type", 0, 2), (":last-of-type", 2, 1)):
            tab.click(question + button)
            tab.wait(f"{result}.querySelectorAll('.leaf-list li').length === {answers}")
            assert tab.ask(f"{result}.querySelectorAll('polygon.line').length") == outlined

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
        height = tab.ask("document.documentElement.scrollHeight")
        assert height < 6000, f"sixty photographs are {height} pixels"
        self.done("leaves_many")
        tab.click("#leaf-clear")
