# SPDX-License-Identifier: Apache-2.0
"""check_sources.py FOLDER: Python's own compiler takes every .py file below it, and says nothing against one."""
import pathlib
import sys
import warnings

warnings.simplefilter("error")
failures = 0
paths = sorted(pathlib.Path(sys.argv[1]).rglob("*.py"))
for path in paths:
    try:
        compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, Warning) as error:
        failures += 1
        print(f"{path}: {error}")
print(f"{len(paths)} files, {failures} refused")
sys.exit(failures > 0 or len(paths) < 50)
