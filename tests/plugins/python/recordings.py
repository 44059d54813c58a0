# SPDX-License-Identifier: Apache-2.0
"""What tests of the Python package share: recording a program, and reading the file as plain JSON."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.abspath(os.path.join(HERE, "..", "..", "..", "plugins", "python"))
sys.path.insert(0, PACKAGE)
sys.path.insert(0, HERE)

try:
    import torch  # noqa: F401
except ImportError:
    print("skipped: this Python has no PyTorch")
    sys.exit(77)

import tensorloupe  # noqa: E402

PHASE, OP, SCOPE, FILE, LINE, PEER, INPUTS, OUTPUTS = 0, 1, 2, 3, 4, 8, 18, 19
FAILED, ERROR, BACKWARD = 23, 24, 25


class Recording:
    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            self.names = archive.namelist()
            self.starts = [self._start(archive, info) for info in archive.infolist()]
            self.json = json.loads(archive.read("recording/recording.json"))
        strings = self.json["strings"]
        self.events = self.json["events"]
        self.values = self.json["values"]
        self.ops = [strings[event[OP]] for event in self.events]
        self.scopes = [strings[event[SCOPE]] for event in self.events]

    @staticmethod
    def _start(archive, info):
        """Where the bytes of an entry begin: behind its own header, whose lengths are those of a ZIP."""
        archive.fp.seek(info.header_offset + 26)
        name, extra = struct.unpack("<HH", archive.fp.read(4))
        return info.header_offset + 30 + name + extra

    def value(self, number):
        return self.values[number - 1]

    def event(self, op):
        return self.events[self.ops.index(op)]

    @staticmethod
    def elements(path, value):
        """The bytes of a value's array."""
        with zipfile.ZipFile(path) as archive:
            whole = archive.read(f"recording/values/{value[11]}.npy")
        return whole[10 + int.from_bytes(whole[8:10], "little") :]

    @property
    def notes(self):
        """What it says that it lacks."""
        attributes = self.json["model"]["modules"][0]["attributes"]
        return [text for name, text in attributes.items() if name.startswith("note")]


def check_opens(path):
    """What is written is what is read, where there is a reader."""
    cli = os.environ.get("LOUPE_CLI")
    if cli:
        subprocess.run([cli, "info", path], check=True, stdout=subprocess.DEVNULL)


def record(work, model=None, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.loupe")
        with tensorloupe.record(model, path, **options):
            work()
        check_opens(path)
        return Recording(path)
