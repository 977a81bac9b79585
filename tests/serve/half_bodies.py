#!/usr/bin/env python3
"""Clients that send half of a large body and wait, only on the loopback address: prints the
reply to each and the server's peak memory. Ends with 1 if a client got no readable reply or the
memory exceeded the bound.
Usage: half_bodies.py LEAFGLYPH [--clients 40] [--mib 50] [--memory 1G] [--bound-mib 1200]; starts
the server itself and ends it.
"""
import argparse
import collections
import re
import socket
import subprocess
import tempfile
import threading
import time


def highest_mib(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) / 1024


class Client(threading.Thread):
    """Sends half of a body; unless that is refused, sends the rest when allowed."""

    def __init__(self, port, size, rest):
        super().__init__()
        self.port, self.size, self.rest, self.answer = port, size, rest, "none"

    def run(self):
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            head = (f"POST /api/v1/leaf/preview HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                    f"Connection: close\r\nContent-Length: {self.size}\r\n\r\n").encode()
            try:
                connection.sendall(head + bytes(self.size // 2))
                self.rest.wait()
                connection.sendall(bytes(self.size - self.size // 2))
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused; the reason can be read
            try:
                self.answer = connection.recv(100)[9:12].decode() or "closed"
            except (ConnectionResetError, TimeoutError) as fault:
                self.answer = type(fault).__name__


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("leafglyph")
    parser.add_argument("--clients", type=int, default=40, choices=range(1, 121))
    parser.add_argument("--mib", type=int, default=50, choices=range(1, 64))
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--bound-mib", type=float, default=1200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        server = subprocess.Popen([options.leafglyph, "serve", "--port", "0", "--data", data,
                                   "--memory", options.memory], stdout=subprocess.PIPE, text=True)
        try:
            port = int(re.search(r"127\.0\.0\.1:(\d+)", server.stdout.readline())[1])
            rest = threading.Event()
            clients = [Client(port, options.mib << 20, rest) for _ in range(options.clients)]
            for client in clients:
                client.start()
            time.sleep(5)  # by then all accepted halves have arrived
            halves = highest_mib(server)
            rest.set()
            for client in clients:
                client.join(timeout=120)
            highest = highest_mib(server)
        finally:
            server.terminate()
            code = server.wait(timeout=60)
    answers = collections.Counter(client.answer for client in clients)
    print("answers", dict(answers), "server ended with", code)
    print(f"most memory: {halves:.0f} MiB with halves of bodies, {highest:.0f} MiB in all")
    # 422: the body arrived completely and is not a photograph.
    return 0 if set(answers) <= {"503", "422"} and highest < options.bound_mib else 1


if __name__ == "__main__":
    raise SystemExit(main())
