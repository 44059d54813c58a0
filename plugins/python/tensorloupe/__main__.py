# SPDX-License-Identifier: Apache-2.0
"""python -m tensorloupe [options] script.py [its arguments]: runs a program and records it."""

import argparse
import os
import runpy
import sys

from ._notes import line_of
from ._record import record


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tensorloupe", description="Runs a PyTorch program and records what it does."
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="default: the script's name with .loupe")
    parser.add_argument(
        "--values", default="all", help='whose elements are kept: "all", "none", or names with *, by commas'
    )
    parser.add_argument("--budget", type=int, default=512, metavar="MB", help="of elements that are kept")
    parser.add_argument("--no-histogram", action="store_true", help="leave histograms of magnitudes out")
    parser.add_argument("--open", action="store_true", help="open the window when the program has ended")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not os.path.isfile(options.script):
        parser.error(f"there is no {options.script}")
    values = options.values if options.values in ("all", "none") else options.values.split(",")
    output = options.output or os.path.splitext(os.path.basename(options.script))[0] + ".loupe"
    script = os.path.abspath(options.script)
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = os.path.dirname(script)
    recording = record(
        None,
        output,
        values=values,
        budget=options.budget << 20,
        histogram=not options.no_histogram,
        open=options.open,
    )
    try:
        recording.__enter__()
    except OSError as error:
        parser.exit(2, f"{line_of(error)}\n")
    try:
        with _entered(recording):
            runpy.run_path(script, run_name="__main__")
    finally:
        if recording.error is None:
            lacking = f"; {len(recording.notes)} kinds of things are not, which it says" if recording.notes else ""
            print(f"recorded in {recording.path}{lacking}", file=sys.stderr)


class _entered:
    """A context that was entered before."""

    def __init__(self, context):
        self._context = context

    def __enter__(self):
        return self._context

    def __exit__(self, *error):
        return self._context.__exit__(*error)


if __name__ == "__main__":
    main()
