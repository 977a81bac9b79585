"""The commands for which faults and damaged inputs are tried: their inputs and outputs."""
import json
import pathlib
import shutil
import subprocess
import unicodedata

CODES = {0, 1, 2, 3, 4, 5, 130}  # as leafglyph --help documents them
SECONDS = 60  # a run that takes longer hangs
# Control and format characters, surrogates, line and paragraph separators. Which code points are
# unassigned depends on the version of Unicode.
CONTROLS = {"Cc", "Cf", "Cs", "Zl", "Zp"}

CONFIG = """data: {source: folders, path: %s}
preparation: {size: 32, area: 200, finder: threshold}
features: {order: 4, channels: [mask], measures: true}
pipeline: {values: log-magnitude, scaling: standardise}
classifier: {k: 1, answered_share: 0.9}
protocol: {kind: folds, folds: 2}
"""
# leaf sums are of this projection.
PLDA = (CONFIG.replace("standardise}", "standardise, projection: plda, shrinkage: 0.5}")
        .replace("{k: 1,", "{k: 1, metric: cosine,"))
GLYPHS = """fonts: [{file: %s, size: 8}]
characters: %s
lookalikes: {grid: 3}
"""
RECOGNISER = """fonts:
  - {file: /usr/share/fonts/truetype/arphic-gbsn00lp/gbsn00lp.ttf, style: song}
  - {file: /usr/share/fonts/truetype/arphic-gkai00mp/gkai00mp.ttf, style: kai}
characters: [%s]
copies: 1
features: {blurs: [1.5], orders: [4]}
classifier: {directions: 3}
"""
FONT_GLYPHS = ["一", "三", "口", "日", "十", "土"]
FONT_ROWS = [["00", "00", "FF"], ["FF", "00", "FF", "00", "FF"], ["FC", "84", "84", "FC"],
             ["F0", "90", "F0", "90", "F0"], ["10", "10", "FE", "10", "10"],
             ["10", "7C", "10", "10", "FE"]]


class Flow:
    """A command line; {in} and {out} stand for the folders of its inputs and outputs."""

    def __init__(self, name, command, *, inputs=(), adds=False, whole=None, in_one_step=False,
                 varies=(), changes=(), again=0):
        self.name, self.command = name, command
        self.inputs = inputs  # what tools/check/mutate damages
        self.adds = adds  # to an output of the same inputs only, so there is no older one
        self.whole = whole  # a command that succeeds on complete outputs
        self.in_one_step = in_one_step  # the output appears in one step
        self.varies = varies  # "files" and "said": contain times, or which image could not be read
        self.changes = changes  # inputs that are copied to the output and changed there
        self.again = again  # how a run ends that finds the change done

    def command_name(self, listed):
        """Which of the listed commands it is: "leaf train"."""
        return max((name for name in listed if self.command.startswith(name)), key=len, default="")

    def copy_into(self, source, out):
        for name in self.changes:
            if (source / name).is_dir() and not (out / name).exists():
                shutil.copytree(source / name, out / name)

    def arguments(self, source, out):
        return [part.format(**{"in": source, "out": out}) for part in self.command.split()]


FLOWS = [
    Flow("compute", "moments compute {in}/a.png --order 6 --out {out}/m.npy", inputs=["a.png"]),
    Flow("compute-csv", "moments compute {in}/a.npy --order 5 --family legendre --out {out}/m.csv",
         inputs=["a.npy"], in_one_step=True),
    Flow("reconstruct", "moments reconstruct {in}/m.npy --out {out}/r.tiff",
         inputs=["m.npy", "m.npy.txt", "m.columns.npy"], in_one_step=True),
    Flow("volume", "moments volume {in}/v.npy --order 4 --out {out}/v.npy --reconstruct {out}/r.npy "
         "--csv {out}/v.csv --slice z:3 --pictures {out}/pictures", inputs=["v.npy"]),
    Flow("fit", "moments fit {in}/a.npy --order 3 --residual {out}/left.npy --summary {out}/s.csv "
         "--csv {out}/c.csv", inputs=["a.npy"]),
    Flow("filter", "moments filter {in}/a.png --order 8 --filter ilf,glf --out {out}/filtered",
         inputs=["a.png"]),
    Flow("generate", "leaf generate --out {out}/leaves --species 2 --leaves 2"),
    Flow("prepare", "leaf prepare {in}/a.png --out {out}/stages", inputs=["a.png"]),
    Flow("train", "leaf train --config {in}/leaf.yaml --model {out}/model",
         inputs=["leaf.yaml"], whole="leaf info {out}/model", varies=("files",)),
    Flow("evaluate", "leaf evaluate --config {in}/leaf.yaml --json {out}/e.json --csv {out}/e.csv "
         "--confusion {out}/c.csv --report {out}/r.html --no-curves --save-splits {out}/s.json",
         inputs=["leaf.yaml"], varies=("files", "said")),
    Flow("classify", "leaf classify --model {in}/model {in}/a.png {in}/b.png --csv {out}/k.csv "
         "--explain {out}/x.html", inputs=["model/manifest.json", "model/labels.json",
                                           "model/rows.npy", "a.png"]),
    Flow("extract", "features extract {in}/leaves --config {in}/leaf.yaml --block 3 --out {out}/store",
         inputs=["leaf.yaml"], adds=True, varies=("files", "said")),
    Flow("export", "features export {in}/store --csv {out}/f.csv",
         inputs=["store/store.json", "store/00000000.npy", "store/00000000.csv"],
         in_one_step=True),
    Flow("index", "index build {in}/store --out {out}/index",
         inputs=["store/store.json", "store/00000000.npy", "store/00000000.sum"],
         in_one_step=True, whole="index info {out}/index"),
    Flow("merge", "features merge {in}/store {in}/store2 --out {out}/merged",
         inputs=["store/store.json", "store/00000000.npy", "store/00000000.sum"],
         in_one_step=True, whole="features info {out}/merged"),
    Flow("search", "index classify {in}/index {in}/a.png --neighbours 2 --csv {out}/k.csv",
         inputs=["index/index.json", "index/lists.bin", "index/scaling.npy", "store/00000000.csv"],
         in_one_step=True),
    Flow("sums", "leaf sums {in}/store {in}/store2 --config {in}/plda.yaml --out {out}/all.sums",
         inputs=["store/00000000.npy", "store2/store.json"], in_one_step=True),
    Flow("check", "leaf check {in}/leaves --config {in}/leaf.yaml --report {out}/c.html "
         "--json {out}/c.json", varies=("files", "said")),
    Flow("sweep", "leaf sweep --config {in}/leaf.yaml --orders 2,4 --csv {out}/s.csv "
         "--plot {out}/s.svg", varies=("said",)),
    Flow("add", "leaf add {out}/model neu {in}/added", inputs=["model/rows.npy"],
         whole="leaf info {out}/model", varies=("files", "said"), changes=["model"],
         again=3),
    Flow("share", "leaf share {in}/model {out}/shared", inputs=["model/manifest.json"],
         whole="leaf info {out}/shared", varies=("files",)),
    Flow("examples", "leaf examples --out {out}/examples"),
    Flow("report", "features report {in}/store --out {out}/r.html", inputs=["store/00000000.csv"],
         varies=("files",)),
    Flow("compact", "features compact {in}/store --values float16 --out {out}/small "
         "--csv {out}/c.csv", inputs=["store/00000000.npy"], whole="features info {out}/small"),
    Flow("join", "index merge {in}/index {in}/index2 --out {out}/index",
         inputs=["index/lists.bin", "index2/index.json"], in_one_step=True,
         whole="index info {out}/index"),
    Flow("find", "index search {in}/index {in}/a.png --csv {out}/s.csv", inputs=["index/lists.bin"],
         in_one_step=True),
    Flow("tables", "moments tables {in}/a.png --orders 4,6 --subregions 1 --repeats 1 "
         "--csv {out}/t.csv", varies=("files", "said")),
    Flow("draw", "moments draw --order 2,4 --out {out}/d.svg", in_one_step=True),
    Flow("compare", "moments compare {in}/a.png --moments 10,20 --families zernike "
         "--csv {out}/c.csv --plot {out}/c.svg", varies=("files", "said")),
    Flow("stats", "glyph stats --config {in}/glyph.yaml --csv {out}/g.csv --json {out}/g.json",
         inputs=["font.bdf"]),
    Flow("groups", "glyph groups --config {in}/glyph.yaml --min-score 0.01 --csv {out}/g.csv",
         in_one_step=True),
    Flow("confuse", "glyph confuse 口日 --config {in}/glyph.yaml --top 2 --json {out}/c.json",
         in_one_step=True),
    Flow("recall", "glyph evaluate {in}/pairs.txt --config {in}/glyph.yaml --csv {out}/e.csv "
         "--columns {out}/c.csv", inputs=["pairs.txt"]),
    Flow("configs", "config list --csv {out}/c.csv", in_one_step=True),
    Flow("pairs", "glyph export --config {in}/glyph.yaml --pairs {in}/pairs.txt --top 2 --csv {out}/p.csv",
         inputs=["glyph.yaml", "pairs.txt", "font.bdf"], in_one_step=True),
    Flow("similar", "glyph similar 口 --config {in}/glyph.yaml --top 2", inputs=["glyph.yaml"]),
    Flow("teach", "glyph train --config {in}/recogniser.yaml --model {out}/characters",
         inputs=["recogniser.yaml"], whole="glyph recognise --model {out}/characters {in}/a.png",
         varies=("files",)),
    Flow("teach-folder", "glyph train {in}/seals --config {in}/recogniser.yaml "
         "--model {out}/characters", inputs=["seals/永/0.png"],
         whole="glyph recognise --model {out}/characters {in}/a.png", varies=("files",)),
    Flow("read", "glyph recognise {in}/a.png --model {in}/characters --csv {out}/r.csv",
         inputs=["characters/manifest.json", "characters/means.npy", "characters/characters.txt",
                 "a.png"], in_one_step=True),
    Flow("check-set", "glyph check {in}/seals --config {in}/recogniser.yaml --json {out}/c.json "
         "--report {out}/c.html", inputs=["seals/永/0.png"]),
    Flow("orders", "glyph sweep --config {in}/recogniser.yaml --orders 3 --csv {out}/s.csv "
         "--plot {out}/s.svg", varies=("said",)),
    Flow("judge", "glyph evaluate {in}/seals --model {in}/characters --csv {out}/e.csv "
         "--json {out}/e.json --report {out}/e.html", inputs=["seals/永/0.png"]),
    Flow("keys", "config describe --csv {out}/k.csv", in_one_step=True),
    Flow("explore", "glyph explore --config {in}/glyph.yaml --top 2 --out {out}/g.html",
         inputs=["glyph.yaml"], in_one_step=True),
]

# They wait for standard input.
WAITING = [
    Flow("list", "features extract --list - --config {in}/leaf.yaml --out {out}/store"),
    Flow("tar", "features extract - --config {in}/leaf.yaml --out {out}/store"),
    Flow("text", "glyph confuse - --config {in}/glyph.yaml --json {out}/c.json"),
    Flow("listed", "glyph evaluate - --config {in}/glyph.yaml --csv {out}/e.csv"),
]


def bdf_font():
    """A handmade bitmap font of FONT_GLYPHS."""
    text = ("STARTFONT 2.1\nFONT -x-drawn-medium-r-normal--8-80-75-75-c-80-ISO10646-1\n"
            "SIZE 8 75 75\nFONTBOUNDINGBOX 8 8 0 -1\nSTARTPROPERTIES 5\nPIXEL_SIZE 8\n"
            "FONT_ASCENT 7\nFONT_DESCENT 1\nCHARSET_REGISTRY \"ISO10646\"\n"
            "CHARSET_ENCODING \"1\"\nENDPROPERTIES\nCHARS %d\n" % len(FONT_GLYPHS))
    for glyph, rows in zip(FONT_GLYPHS, FONT_ROWS):
        text += ("STARTCHAR c%d\nENCODING %d\nSWIDTH 1000 0\nDWIDTH 8 0\nBBX 8 %d 0 0\nBITMAP\n"
                 % (ord(glyph), ord(glyph), len(rows)) + "\n".join(rows) + "\nENDCHAR\n")
    return text + "ENDFONT\n"


def run(command, arguments, environment, seconds=SECONDS):
    """(exit code or "hang", stdout, lines of stderr); a signal is a negative code."""
    process = subprocess.Popen([command, *arguments, "--quiet"], env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        out, error = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "hang", b"", []
    return process.returncode, out, error.decode("utf-8", "replace").splitlines()


def make_inputs(command, folder, environment, seed):
    """Everything that the flows read; different seeds give different inputs."""
    import numpy
    folder.mkdir(parents=True)

    def must(*arguments):
        code, _, error = run(command, [str(a) for a in arguments], environment)
        if code != 0:
            raise SystemExit(f"{arguments}: {code}: {error}")

    must("leaf", "generate", "--out", folder / "leaves", "--species", 3, "--leaves", 4,
         "--seed", seed)
    must("leaf", "generate", "--out", folder / "more", "--species", 2, "--leaves", 2,
         "--seed", seed + 10)
    images = sorted((folder / "leaves").glob("*/*.png"))
    (folder / "a.png").write_bytes(images[0].read_bytes())
    (folder / "b.png").write_bytes(images[-1].read_bytes())
    random = numpy.random.default_rng(seed)
    numpy.save(folder / "a.npy", random.random((24, 24)))
    numpy.save(folder / "v.npy", random.random((6, 6, 6), dtype=numpy.float32))
    must("moments", "compute", folder / "a.npy", "--order", 6 + seed, "--out", folder / "m.npy")
    (folder / "leaf.yaml").write_text(CONFIG % (folder / "leaves"))
    (folder / "plda.yaml").write_text(PLDA % (folder / "leaves"))
    (folder / "added").mkdir()
    for image in sorted((folder / "more").glob("*/*.png"))[:2]:
        (folder / "added" / image.name).write_bytes(image.read_bytes())
    must("leaf", "train", "--config", folder / "leaf.yaml", "--model", folder / "model")
    for leaves, store in [("leaves", "store"), ("more", "store2")]:
        must("features", "extract", folder / leaves, "--config", folder / "leaf.yaml", "--block", 3,
             "--out", folder / store)
    must("index", "build", folder / "store", "--out", folder / "index")
    must("index", "build", folder / "store2", "--like", folder / "index", "--out",
         folder / "index2")
    (folder / "font.bdf").write_text(bdf_font())
    (folder / "characters.txt").write_text("".join(FONT_GLYPHS[:4 + seed]))
    (folder / "glyph.yaml").write_text(
        GLYPHS % (folder / "font.bdf", folder / "characters.txt"))
    (folder / "recogniser.yaml").write_text(RECOGNISER % (folder / "characters.txt"))
    must("glyph", "train", "--config", folder / "recogniser.yaml", "--model",
         folder / "characters")
    for i, image in enumerate(images):  # leaves stand for pictures of characters
        of_character = folder / "seals" / "永水火"[i * 3 // len(images)]
        of_character.mkdir(parents=True, exist_ok=True)
        (of_character / f"{i}.png").write_bytes(image.read_bytes())
    (folder / "pairs.txt").write_text("口日\n一三\n" * seed)


def must_work(flow, command, source, out, environment):
    """Runs a flow on complete inputs into an empty folder and returns what it prints; ends the
    program if that fails."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    flow.copy_into(source, out)
    code, said, lines = run(command, flow.arguments(source, out), environment)
    if code != 0:
        raise SystemExit(f"{flow.name} fails on whole inputs: {code}: {lines}")
    return said


def bad_lines(lines):
    """Lines of stderr that are not from the program or not printable."""
    return [line for line in lines
            if not line.startswith("leafglyph: ")
            or any(unicodedata.category(letter) in CONTROLS for letter in line)]


MAY_BE_EMPTY = ("pictures.mjpeg", "pictures.mjpeg.sha256")  # of a model without pictures
# Of models: one after another; another file says where they end, or how many there are.
WITHOUT_LINES = ("names.txt", "characters.txt")


def is_whole(file):
    """Whether a file is complete, as far as its format shows."""
    content = file.read_bytes()
    if not content:
        return file.name in MAY_BE_EMPTY
    if file.suffix == ".json":
        try:
            json.loads(content)
        except ValueError:
            return False
    if file.suffix in (".csv", ".yaml", ".txt") and file.name not in WITHOUT_LINES:
        return content.endswith(b"\n")
    if file.suffix == ".html":
        return content.rstrip().endswith(b"</html>")
    if file.suffix == ".png":
        return content.endswith(b"IEND\xaeB`\x82")
    if file.suffix == ".npy":
        import numpy
        try:
            numpy.load(file)
        except ValueError:
            return False
    return True


def files_of(folder):
    return {str(file.relative_to(folder)): file.read_bytes()
            for file in sorted(pathlib.Path(folder).rglob("*")) if file.is_file()}
