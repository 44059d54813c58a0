# SPDX-License-Identifier: Apache-2.0
"""Writes programs/*.txt: what CPython prints when it runs programs/*.py."""
import pathlib
import subprocess
import sys

for program in sorted((pathlib.Path(__file__).parent / "programs").glob("*.py")):
    done = subprocess.run([sys.executable, program.name], cwd=program.parent, capture_output=True, text=True,
                          env={"PYTHONDONTWRITEBYTECODE": "1"})
    if done.returncode != 0:
        sys.exit(f"{program.name}: {done.stderr}")
    program.with_suffix(".txt").write_text(done.stdout)
