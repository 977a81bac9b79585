#!/usr/bin/env python3
"""End to end: `leafglyph serve --bind lan`, in a network namespace of its own: what a phone of the same
network can open with the printed address, and nobody else.
Usage: serve_lan_test.py LEAFGLYPH WORK_FOLDER; exits with 77 where namespaces are not allowed.
"""
import base64
import http.client
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys

ADDRESS = "10.20.30.40"
INSIDE = "inside"  # the argument of the process in the namespace
# A grey image of one pixel.
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==")


def ask(port, method, path, host, cookie=None, body=None):
    """The status, the headers and the body of a reply to a request from the network."""
    connection = http.client.HTTPConnection(ADDRESS, port, timeout=60)
    headers = {"Host": host}
    if cookie:
        headers["Cookie"] = cookie
    if body:
        headers["Content-Type"] = "application/octet-stream"
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    return reply.status, dict(reply.getheaders()), reply.read()


def check(command, work):
    server = subprocess.Popen([command, "serve", "--port", "0", "--bind", "lan", "--data", work / "data"],
                              stdout=subprocess.PIPE, text=True)
    try:
        own = server.stdout.readline()
        line = server.stdout.readline()
        found = re.fullmatch(rf"On a phone in the same network: http://{ADDRESS}:(\d+)/(\?code=[a-hjkmnp-z02-9]{{12}})\n", line)
        assert found, (own, line)
        port, code = int(found[1]), found[2]
        assert f"http://127.0.0.1:{port}/{code}" in own, own
        host = f"{ADDRESS}:{port}"
        status, headers, page = ask(port, "GET", "/" + code, host)
        assert status == 200 and b"LeafGlyph" in page, status
        cookie = headers["Set-Cookie"].split(";")[0]
        assert ask(port, "GET", "/", host)[0] == 403
        assert ask(port, "GET", "/?code=abcdefghjkmn", host)[0] == 403
        assert ask(port, "GET", "/api/v1/models", host)[0] == 403
        assert ask(port, "GET", "/api/v1/models", host, cookie)[0] == 200
        status, _, picture = ask(port, "POST", "/api/v1/leaf/preview", host, cookie, PNG)
        assert status == 200 and picture.startswith(b"\xff\xd8"), status
        name = socket.gethostname().split(".")[0].lower()
        for known in (name, name + ".local"):
            assert ask(port, "GET", "/", f"{known}:{port}", cookie)[0] == 200, known
        assert ask(port, "GET", "/", f"attacker.example:{port}", cookie)[0] == 403
        shown = json.loads(ask(port, "GET", "/api/v1/address", host, cookie)[2])
        assert shown["address"] == f"http://{host}/{code}", shown
    finally:
        server.terminate()
        assert server.wait(timeout=60) == 0


def main():
    command, work = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    if sys.argv[3:] == [INSIDE]:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        subprocess.run(["ip", "address", "add", ADDRESS + "/8", "dev", "lo"], check=True)
        return check(command, work)
    if shutil.which("ip") is None or subprocess.run(["unshare", "-rn", "true"], check=False).returncode != 0:
        print("not tried: this user may not make network namespaces, or there is no ip")
        sys.exit(77)
    work.mkdir(parents=True, exist_ok=True)
    inside = ["unshare", "-rn", sys.executable, __file__, command, work, INSIDE]
    sys.exit(subprocess.run(inside, check=False).returncode)


if __name__ == "__main__":
    main()
