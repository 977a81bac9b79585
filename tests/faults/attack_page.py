"""Attacks on `leafglyph serve`: foreign folders in its data, models that are cut, kill -9."""
import contextlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.parse

FOREIGN = {"waiting/novel.txt": b"years of work", "waiting/letters/2025/photo.png": b"x",
           "waiting-2/draft.doc": b"x", "waiting-3/oak/1.png": b"x", "leaves/readme.txt": b"mine",
           "models/mine/notes.txt": b"mine", "models/mine/walks/2025/map.png": b"mine",
           "models/letters/2025.txt": b"mine", "thesis.txt": b"mine"}
VALUES = {"model": "mine", "name": "other", "number": "1", "background": "auto", "part": "1",
          "leaf": "0", "species": "oak", "family": "zernike", "order": "8", "set": "general",
          "character": "口", "top": "2", "discard": "yes"}  # of query parameters
REPLY_SECONDS = 60
BUSY = {409, 503}  # refused because of something else that is going on
DONE = {200, 201, 204}


class Server:
    """A server on 127.0.0.1 with a folder of data."""

    def __init__(self, attack, data, *arguments):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.attack = attack
        self.log = attack.work / "server.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [attack.command, "serve", "--port", str(self.port), "--data", str(data),
                 *arguments], env=attack.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log)
        for _ in range(600):
            if b"is at" in self.log.read_bytes() or self.process.poll() is not None:
                break
            time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def call(self, method, path, body=b"", kind="application/octet-stream"):
        """(status, body); (0, b"") without a reply."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=REPLY_SECONDS)
        try:
            connection.request(method, path, body, {"Content-Type": kind} if body else {})
            reply = connection.getresponse()
            return reply.status, reply.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            connection.close()

    def lives(self, where):
        """Whether the server still runs; notes it if not."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.05)
        if self.process.poll() is None:
            return True
        self.attack.found("page", where, f"the server ended with {self.process.returncode}")
        return False


def recipes(attack, server):
    """(method, path with query, body, kind) of every path of openapi.json; one that cannot be made
    from VALUES and BODIES is found."""
    document = json.loads(server.call("GET", "/api/v1/openapi.json")[1])
    image = (attack.source / "a.png").read_bytes()
    bodies = {"image/*": image, "application/octet-stream": image, "text/plain": "口日".encode(),
              "application/zip": photographs(attack), "text/csv": b"folder,common_name\noak,Oak\n",
              "application/json": b'{"pairs":[]}'}
    for path, methods in sorted(document["paths"].items()):
        for method, what in sorted(methods.items()):
            kinds = list(what.get("requestBody", {}).get("content", {}))
            kind = next((k for k in kinds if k in bodies), "")
            names = [p["name"] for p in what.get("parameters", [])]
            needed = [p["name"] for p in what.get("parameters", []) if p.get("required")]
            missing = [name for name in needed if name not in VALUES] + kinds[:1] * (not kind)
            if missing:
                attack.found("page", path, f"has no recipe: {missing[0]}")
                continue
            chosen = {name: VALUES[name] for name in names if name in VALUES}
            query = "?" + urllib.parse.urlencode(chosen) if chosen else ""
            yield (method.upper(), path + query, bodies.get(kind, b""), kind.replace("*", "png"))


def photographs(attack):
    """A zip archive of two species."""
    archive = attack.work / "photographs"
    if not archive.with_suffix(".zip").exists():
        shutil.make_archive(str(archive), "zip", attack.source / "leaves")
    return archive.with_suffix(".zip").read_bytes()


def fill(attack, data):
    """A data folder with a model, and with files of somebody else everywhere."""
    shutil.rmtree(data, ignore_errors=True)
    (data / "models").mkdir(parents=True)
    shutil.copytree(attack.source / "model", data / "models" / "mine")
    shutil.copytree(attack.source / "model", data / "models" / "spare")
    for name, content in FOREIGN.items():
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_bytes(content)


def check_foreign(attack, data, where):
    present = {}
    for file in data.rglob("*"):
        if file.is_file():
            present.setdefault(file.name, []).append(file)
    for name, content in FOREIGN.items():
        # A model may have been renamed with what is in its folder.
        if not any(file.read_bytes() == content for file in present.get(name.split("/")[-1], [])):
            attack.found("page", where, f"{name} is lost")


def call_all(attack, server, calls, where):
    for method, path, body, kind in calls:
        if not server.lives(where):
            return
        attack.counts["page: requests"] += 1
        status, _ = server.call(method, path, body, kind)
        if status == 0 and server.process.poll() is None:
            attack.found("page", path, "no reply")
        elif status >= 500 and status not in BUSY:
            attack.found("page", path, f"status {status}")
    server.lives(where)


def wait_for_training(server):
    for _ in range(600):
        state = json.loads(server.call("GET", "/api/v1/training")[1] or b"{}")
        if state.get("phase") != "running":
            return
        time.sleep(0.1)


def attack_foreign(attack, data):
    """Every path in several orders; nothing of somebody else goes."""
    for number in range(4):
        fill(attack, data)
        with Server(attack, data) as server:
            calls = list(recipes(attack, server))
            if number > 0:
                attack.random.shuffle(calls)
            call_all(attack, server, calls, f"order {number}")
            wait_for_training(server)
        check_foreign(attack, data, f"order {number}")
        with Server(attack, data) as server:  # starts once more
            server.lives("second start")
        check_foreign(attack, data, "second start")


def attack_cut(attack, data):
    """Each file of a served model is cut or overwritten; the server lives and says so."""
    image = (attack.source / "a.png").read_bytes()
    for file in sorted((attack.source / "model").iterdir()):
        for keep in (0.0, 0.5):
            model = attack.work / "cut" / "m"
            shutil.rmtree(model.parent, ignore_errors=True)
            shutil.copytree(attack.source / "model", model)
            shutil.rmtree(data, ignore_errors=True)
            with Server(attack, data, "--model", str(model)) as server:
                attack.counts["page: cut files"] += 1
                os.truncate(model / file.name, int(keep * file.stat().st_size))
                for method, path, body in (
                        ("POST", "/api/v1/leaf/identify?model=m&name=a.png", image),
                        ("GET", "/api/v1/leaf/picture?model=m&leaf=0", b""),
                        ("GET", "/api/v1/models", b""),
                        ("GET", "/api/v1/models/archive?model=m", b"")):
                    status, _ = server.call(method, path, body, "image/png")
                    if not server.lives(f"{file.name} cut to {keep:.0%}"):
                        break
                    # Of an archive that is being sent the connection is closed.
                    if status == 0 and "archive" not in path:
                        attack.found("page", f"{file.name} cut", f"no reply from {path}")
                    elif status >= 500:
                        attack.found("page", f"{file.name} cut", f"{path} gets status {status}")


def acknowledged(server, kill_after):
    """Sends photographs until the server is killed; the names that it acknowledged."""
    begun = time.monotonic()
    names = []
    server.call("POST", "/api/v1/training/begin?discard=yes")
    while time.monotonic() < begun + kill_after:
        name = f"{len(names):05}.png"
        query = urllib.parse.urlencode({"species": ["oak", "elm"][len(names) % 2], "name": name})
        status, _ = server.call("POST", "/api/v1/training/photograph?" + query, b"x" * 5000)
        if status not in DONE:
            break
        names.append(name)
    return names


def attack_uploads(attack, data):
    """kill -9 while photographs arrive: all that were acknowledged are there afterwards."""
    for _ in range(8):
        shutil.rmtree(data, ignore_errors=True)
        attack.counts["page: kills"] += 1
        with Server(attack, data) as server:
            names = acknowledged(server, attack.random.uniform(0.05, 0.8))
        with Server(attack, data) as server:
            state = json.loads(server.call("GET", "/api/v1/training")[1] or b"{}")
            if state.get("photographs", 0) < len(names):
                attack.found("page", "kill during uploads", f"{len(names)} were acknowledged, "
                             f"{state.get('photographs')} are there")
        attack.counts["page: photographs"] += len(names)


def attack(attack):
    """All of them."""
    data = attack.work / "page"
    attack_foreign(attack, data)
    attack_cut(attack, data)
    attack_uploads(attack, data)
