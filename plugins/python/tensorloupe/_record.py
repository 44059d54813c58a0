# SPDX-License-Identifier: Apache-2.0
import os

from ._recorder import Recorder


def _of_this_rank(path):
    """Ranks that run the same line write files of their own: run.loupe, run.rank1.loupe, ..."""
    import torch.distributed as distributed

    if not distributed.is_available() or not distributed.is_initialized() or distributed.get_rank() == 0:
        return path
    base, extension = os.path.splitext(path)
    return f"{base}.rank{distributed.get_rank()}{extension}"


class record:
    """Records what runs inside a `with` as a file that Tensorloupe opens.

    Every operator that PyTorch dispatches is an event, forward, in backward and in an optimiser: with its module, the
    line of the program, its time, the memory, numbers about its results (least, greatest, mean, NaN, ...), and, of a
    backward one, the forward event that it is the backward of.

    model: whose modules and parameters are named; None: those that are called are found.
    path: of the file; it is written when the `with` ends, also by an exception, which is in it.
    values: whose elements are kept: "all", "none", or names of modules or operators with * ("layer1.*", "conv2d").
    budget: bytes of elements to keep, in the order in which they are made; of others there are numbers alone.
    statistics: False leaves numbers about values out; histogram: False their histograms of magnitudes.
    open: starts Tensorloupe on the file.
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
        self.path = _of_this_rank(os.fspath(path))
        self._title = title
        self._open = open
        self._recorder = Recorder(model, values, budget, statistics, histogram)

    def __enter__(self):
        folder = os.path.dirname(os.path.abspath(self.path))
        if not os.access(folder, os.W_OK):
            raise PermissionError(f"tensorloupe.record: {folder} cannot be written")
        self._recorder.__enter__()
        return self

    def __exit__(self, kind, error, trace):
        self._recorder.__exit__(kind, error, trace)
        self._recorder.write(self.path, self._title)
        if self._open:
            from ._program import open_window

            open_window(self.path)
        return False
