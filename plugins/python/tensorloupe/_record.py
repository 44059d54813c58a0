# SPDX-License-Identifier: Apache-2.0
import os
import sys

import torch

from . import _target
from ._archive import Archive
from ._notes import line_of
from ._own_work import Unseen
from ._recorder import Recorder
from ._rows import recording_text

_MORE_CALLS = 300  # of Python inside one another, for those around a recorded one


class record:
    """Records what runs inside a `with` as a file that Tensorloupe opens.

    Every operator that PyTorch dispatches is an event, forward, in backward and in an optimiser: with its module, the
    line of the program, its time, the memory, numbers about its results (least, greatest, mean, NaN, ...), and, of a
    backward one, the forward event that it is the backward of.

    model: whose modules and parameters are named; None: those that are called are found.
    path: of the file; it is written when the `with` ends, also by an exception, which is in it. Ranks that run the
    same line write files of their own, run.loupe, run.rank1.loupe, ..., and so do forked processes.
    values: whose elements are kept: "all", "none", or names of modules or operators with * ("layer1.*", "conv2d").
    budget: bytes of elements to keep, in the order in which they are made; of others there are numbers alone.
    statistics: False leaves numbers about values out; histogram: False their histograms of magnitudes.
    open: starts Tensorloupe on the file.

    Raises OSError when it begins and no file can be written there. From then on the program runs as without: what
    cannot be recorded is said in the file, and when that cannot be written a line on stderr says so and error is it.
    """

    def __init__(
        self,
        model=None,
        path="run.loupe",
        *,
        values="all",
        budget=512 << 20,
        statistics=True,
        histogram=True,
        title="",
        open=False,
    ):
        self.path = os.fspath(path)
        self.error = None
        self.notes = []  # what is not recorded, and why: a line a kind
        self._title = title
        self._open = open
        self._has_begun = False
        self._recorder = Recorder(model, values, budget, statistics, histogram)

    def __enter__(self):
        if self._recorder is None or self._has_begun:
            raise RuntimeError("tensorloupe.record: one records once; make another")
        self._has_begun = True
        self.path = _target.resolved(self.path)
        self._rank = _target.rank()
        self._process = os.getpid()
        self._limit = sys.getrecursionlimit()
        sys.setrecursionlimit(self._limit + _MORE_CALLS)
        try:
            self._recorder.__enter__()
        except BaseException:
            sys.setrecursionlimit(self._limit)
            raise
        return self

    def __exit__(self, kind, error, trace):
        try:
            self._recorder.__exit__(kind, error, trace)
            self._write()
        finally:
            if sys.getrecursionlimit() == self._limit + _MORE_CALLS:
                sys.setrecursionlimit(self._limit)
        return False

    def is_innermost(self):
        """Is no mode of the program's inside of it? Only then it can be left."""
        depth = torch._C._len_torch_dispatch_stack()
        return depth > 0 and torch._C._get_dispatch_stack_at(depth - 1) is self._recorder

    def _write(self):
        recorder, self._recorder = self._recorder, None
        what = "is not written"
        try:
            rank = _target.rank() or self._rank
            if rank:
                self.path = _target.with_part(self.path, f"rank{rank}")
            if os.getpid() != self._process:
                self.path = _target.with_part(self.path, f"process{os.getpid()}")
            with Unseen():
                _write_file(recorder, self.path, self._title)
            self.notes = recorder.notes.lines()
            what = "is not shown"
            if self._open:
                from ._program import open_window

                open_window(self.path)
        except Exception as error:
            self.error = error
            _say(f"tensorloupe: {self.path} {what}: {line_of(error)}")


def _write_file(recorder, path, title):
    archive = Archive(path)
    try:
        archive.add("recording/version", b"1\n")
        for value in recorder.values.values:
            number, value.array = value.array, 0
            if number:
                try:
                    archive.add_array(f"recording/values/{number}.npy", recorder.arrays[number - 1])
                    value.array = number
                except OSError:
                    raise
                except Exception as error:
                    recorder.notes.failed("elements of a tensor", error, value.producer)
        archive.add("recording/recording.json", recording_text(recorder, title))
        archive.finish()
    except BaseException:
        archive.abandon()
        raise


def _say(text):
    try:
        sys.stderr.write(f"{text}\n")
    except Exception:  # there is none, or the program has closed it
        pass
