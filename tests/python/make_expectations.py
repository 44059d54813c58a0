# SPDX-License-Identifier: Apache-2.0
"""Writes programs/*.txt: what CPython prints when it runs programs/*.py."""
import pathlib
import subprocess
import sys

NEWER = {"newer_syntax.py"}  # need Python 3.12; derived from PEP 695 and PEP 701 where that was not at hand

for program in sorted((pathlib.Path(__file__).parent / "programs").glob("*.py")):
    if program.name in NEWER and sys.version_info < (3, 12):
        continue
    done = subprocess.run([sys.executable, program.name], cwd=program.parent, capture_output=True, text=True,
                          env={"PYTHONDONTWRITEBYTECODE": "1"})
    if done.returncode != 0:
        sys.exit(f"{program.name}: {done.stderr}")
    program.with_suffix(".txt").write_text(done.stdout)
