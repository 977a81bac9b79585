#!/usr/bin/env python3
"""A bounded load on the user's own server: clients that send one request after the other for some
seconds, only on the loopback address; prints replies by status, times and the server's memory.
Usage: load.py LEAFGLYPH MODEL PHOTOGRAPH [--clients 100] [--seconds 300]; starts the server itself
and ends it.
"""
import argparse
import collections
import http.client
import re
import subprocess
import tempfile
import threading
import time


def resident_mib(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024


class Load:
    def __init__(self, port, photograph, until):
        self.port, self.photograph, self.until = port, photograph, until
        self.lock = threading.Lock()
        self.statuses, self.seconds, self.faults = collections.Counter(), [], collections.Counter()

    def client(self):
        connection = None
        while time.monotonic() < self.until:
            begin = time.monotonic()
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, 120)
                connection.request("POST", "/api/v1/leaf/identify", self.photograph,
                                   {"Content-Type": "image/jpeg"})
                reply = connection.getresponse()
                reply.read()
            except (OSError, http.client.HTTPException) as fault:
                with self.lock:
                    self.faults[type(fault).__name__] += 1
                connection = None
                time.sleep(0.1)
                continue
            with self.lock:
                self.statuses[reply.status] += 1
                if reply.status == 200:
                    self.seconds.append(time.monotonic() - begin)
            if reply.status == 503:
                time.sleep(float(reply.getheader("Retry-After", 1)))
            if reply.will_close:
                connection.close()
                connection = None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("leafglyph")
    parser.add_argument("model")
    parser.add_argument("photograph")
    parser.add_argument("--clients", type=int, default=100, choices=range(1, 201))
    parser.add_argument("--seconds", type=int, default=300, choices=range(1, 601))
    options = parser.parse_args()
    with open(options.photograph, "rb") as file:
        photograph = file.read()
    data = tempfile.TemporaryDirectory()
    server = subprocess.Popen([options.leafglyph, "serve", "--port", "0", "--model", options.model,
                               "--data", data.name], stdout=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r"127\.0\.0\.1:(\d+)", server.stdout.readline())[1])
        load = Load(port, photograph, time.monotonic() + options.seconds)
        threads = [threading.Thread(target=load.client) for _ in range(options.clients)]
        for thread in threads:
            thread.start()
        memory = []
        while any(thread.is_alive() for thread in threads):
            memory.append(resident_mib(server))
            time.sleep(max(0.2, options.seconds / 20))
        for thread in threads:
            thread.join()
    finally:
        server.terminate()
        code = server.wait(timeout=60)
        data.cleanup()
    times = sorted(load.seconds)
    print("replies", dict(load.statuses), "faults", dict(load.faults), "server ended with", code)
    print(f"answers a second {len(times) / options.seconds:.1f}; seconds: median "
          f"{times[len(times) // 2]:.3f}, p99 {times[int(len(times) * 0.99)]:.3f}, "
          f"longest {times[-1]:.3f}")
    print("resident MiB:", " ".join(f"{value:.0f}" for value in memory))


if __name__ == "__main__":
    main()
