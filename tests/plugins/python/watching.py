# SPDX-License-Identifier: Apache-2.0
"""What tests of tensorloupe.watch() share: a window that is none, and small trainings."""

import contextlib
import io
import json
import os
import socket
import tempfile
import threading
import time

from recordings import check_opens  # noqa: F401  which looks for PyTorch

import torch
from torch import nn

import tensorloupe


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def of_kind(rows, kind):
    return [row for row in rows if row["kind"] == kind]


@contextlib.contextmanager
def runtime_folder():
    """Sockets of a test are no others'."""
    kept = {name: os.environ.get(name) for name in ("XDG_RUNTIME_DIR", "TMPDIR")}
    with tempfile.TemporaryDirectory(prefix="tlw") as folder:
        os.chmod(folder, 0o700)
        os.environ["XDG_RUNTIME_DIR"] = folder
        try:
            yield folder
        finally:
            for name, value in kept.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


class Window:
    """Reads rows on a thread."""

    def __init__(self, address):
        self.rows = []
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(address)
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        left = b""
        while True:
            try:
                got = self._socket.recv(1 << 16)
            except OSError:
                return
            if not got:
                return
            *whole, left = (left + got).split(b"\n")
            with self._changed:
                self.rows += [json.loads(line) for line in whole]
                self._changed.notify_all()

    def order(self, **order):
        self._socket.sendall(json.dumps(order).encode() + b"\n")

    def wait(self, kind, seconds=20, count=1):
        """The last row of that kind, once there are so many."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(of_kind(self.rows, kind)) >= count, seconds):
                raise AssertionError(f"no {kind} among {[row['kind'] for row in self.rows]}")
            return of_kind(self.rows, kind)[-1]

    def close(self):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def net():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))


def train(model, optimizer, steps, each=None):
    """Losses of the steps."""
    found = []
    for number in range(steps):
        x = torch.randn(8, 6)
        optimizer.zero_grad()
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
        if each is not None:
            each(number)
    return found


class Training(threading.Thread):
    """Trains on a thread until it is told to end."""

    def __init__(self, model, optimizer):
        super().__init__(daemon=True)
        self.model, self.optimizer = model, optimizer
        self.steps = 0
        self.ends = threading.Event()
        self.start()

    def run(self):
        while not self.ends.is_set():
            train(self.model, self.optimizer, 1)
            self.steps += 1
            time.sleep(0.002)

    def end(self):
        self.ends.set()
        self.join(20)


@contextlib.contextmanager
def watched(model, optimizer=None, **options):
    """(watcher, what it said on stderr); its file is `path` of the watcher."""
    with runtime_folder(), tempfile.TemporaryDirectory() as folder:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            watcher = tensorloupe.watch(model, optimizer, file=os.path.join(folder, "run.watch"), **options)
            try:
                yield watcher, said
            finally:
                watcher.close()
