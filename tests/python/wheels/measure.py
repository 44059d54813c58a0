# SPDX-License-Identifier: Apache-2.0
"""How many model sources, as they lie in packages of PyPI, open; and how many compute what PyTorch computes.

    measure.py download FOLDER                      the packages of packages.txt, unpacked; their code is never kept here
    measure.py open FOLDER CLI [--only NAME ...] [--report R.json] [--run] [--together] [--jobs N]
                                                    `CLI info` of every source; `CLI run` too. together: the packages lie
                                                    side by side in a site-packages, else each alone
    measure.py compare FOLDER CLI REPORT.json       those that opened, against the PyTorch of this Python

Compared are results in eval mode, and gradients of their sum, with seed 0 on both sides, on inputs that were guessed here or
that PyTorch takes. equal: results within 1e-3 of their largest element, gradients within 5e-3. draws differ: equal
with PyTorch's weights only. ties: less than 1 % of the elements differ, as where the nearest of two equally near is chosen.

A model source is a file with a class whose bases end in Module and that has a forward. Of a package with more than
PER_PACKAGE of them every nth is taken. opened: a model with its modules; guessed: with arguments that were found nearby or
guessed. asks: one line says which class needs which arguments. runs: forward ran on inputs that were guessed.
"""
import argparse
import ast
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PER_PACKAGE = 8
SECONDS = 60
SKIPPED = re.compile(r"(^|/)(tests?|testing|examples?|scripts|docs|recipes|build)/|(^|/)(setup|conftest|train[^/]*|cli)\.py$")


def packages():
    return (HERE / "packages.txt").read_text().split()


def download(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in packages():
        where = folder / name
        if where.exists():
            continue
        with tempfile.TemporaryDirectory() as taken:
            done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", taken, name])
            files = list(pathlib.Path(taken).iterdir())
            if done.returncode != 0 or not files:
                print(name, "could not be downloaded")
                continue
            where.mkdir()
            if tarfile.is_tarfile(files[0]):
                with tarfile.open(files[0]) as archive:
                    archive.extractall(where, filter="data")
            else:
                with zipfile.ZipFile(files[0]) as archive:
                    archive.extractall(where)


def is_model_source(path):
    try:
        tree = ast.parse(path.read_text())
    except (SyntaxError, UnicodeDecodeError):
        return False
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        is_module = any(ast.unparse(base).split(".")[-1] in ("Module", "LightningModule") for base in node.bases)
        if is_module and any(isinstance(each, ast.FunctionDef) and each.name == "forward" for each in node.body):
            return True
    return False


def package_of(path):
    """The outermost folder above that has an __init__.py; None: there is none."""
    found = None
    for each in path.parents:
        if not (each / "__init__.py").exists():
            break
        found = each
    return found


def installed(folder):
    """The packages side by side, as pip puts them: FOLDER/.env/site-packages, of links to their files."""
    site = folder / ".env" / "site-packages"
    for package in sorted(folder.iterdir()):
        if package.name.startswith(".") or (site / f"{package.name}.done").exists():
            continue
        tops = {package_of(path) for path in package.rglob("*.py")} - {None}
        for top in sorted(tops) + sorted(package.glob("*.dist-info")):
            if top.name not in ("tests", "test", "docs", "examples") and not (site / top.name).exists():
                shutil.copytree(top, site / top.name, copy_function=os.link)
        site.mkdir(parents=True, exist_ok=True)
        (site / f"{package.name}.done").touch()
    return site


def side_by_side(folder, found):
    site = installed(folder)
    for name, path in found:
        top = package_of(path)
        there = site / path.relative_to(top.parent) if top else path
        yield name, there if there.exists() else path


def sources(folder, only):
    for package in sorted(folder.iterdir()):
        if not package.is_dir() or package.name.startswith(".") or (only and package.name not in only):
            continue
        found = [path for path in sorted(package.rglob("*.py"))
                 if not SKIPPED.search(str(path.relative_to(package))) and is_model_source(path)]
        step = max(1, len(found) / PER_PACKAGE)
        taken = sorted({int(i * step) for i in range(PER_PACKAGE) if int(i * step) < len(found)})
        for i in taken:
            yield package.name, found[i]


def cause(line):
    """The line without what differs from file to file."""
    line = re.sub(r"^\S*\.py:\s*", "", line)
    line = re.sub(r"/\S+/", "", line)
    return line[:160]


def open_one(cli, package, path):
    try:
        done = subprocess.run([cli, "info", str(path)], capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {"package": package, "path": str(path), "state": "failed", "line": "takes too long"}
    lines = done.stderr.strip().split("\n")
    line = lines[-1] if lines else ""
    if done.returncode == 0:
        root = re.search(r"^modules\n\s+(?:\(\w*\) )?(\S+)", done.stdout, re.M)
        built = re.search(r"^Python model source.*?, built as (.*?)(?: \(guessed: ([^()]*)\))?, [\d.]+ [KMG]?i?B$", done.stdout, re.M)
        state = "opened" if root else "failed"
        return {"package": package, "path": str(path), "state": state, "root": root.group(1) if root else "",
                "built": built.group(1) if built else "", "guessed": (built.group(2) or "") if built else "",
                "line": "" if root else "no module was found"}
    state = "asks" if "needs constructor arguments" in line else "failed"
    return {"package": package, "path": str(path), "state": state, "line": line, "status": done.returncode}


def run_one(cli, each):
    """Its forward on the inputs that stand for those nobody gave."""
    if each["state"] != "opened":
        return each
    try:
        done = subprocess.run([cli, "run", each["path"], "--threads", "1"], capture_output=True, text=True, errors="replace",
                              timeout=2 * SECONDS)
    except subprocess.TimeoutExpired:
        return {**each, "runs": False, "run_line": "takes too long"}
    inputs = re.search(r"^inputs: (.*): guessed; ", done.stderr, re.M)
    return {**each, "runs": done.returncode == 0, "inputs": inputs.group(1) if inputs else "",
            "run_line": (done.stderr.strip().split("\n") or [""])[-1]}


def print_causes(title, results, line):
    causes = collections.defaultdict(list)
    for each in results:
        causes[cause(each[line])].append(each["package"] + "/" + pathlib.Path(each["path"]).name)
    if causes:
        print(f"\n{title}")
    for text, where in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"{len(where):4} {text}   [{', '.join(where[:3])}]")


def open_all(folder, cli, only, report, runs, jobs, together):
    def measured(each):
        opened = open_one(cli, *each)
        return run_one(cli, opened) if runs else opened

    found = sources(folder, only)
    results = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for each in pool.map(measured, side_by_side(folder, found) if together else found):
            results.append(each)
            report.write_text(json.dumps(results, indent=1))
    states = collections.Counter(each["state"] for each in results)
    guessed = sum(bool(each.get("guessed")) for each in results)
    count = max(1, len(results))
    print(f"{len(results)} sources of {len({each['package'] for each in results})} packages: {dict(states)}; "
          f"{100 * states['opened'] / count:.1f} % open ({guessed} with guessed arguments), "
          f"{100 * (states['opened'] + states['asks']) / count:.1f} % open or ask")
    if runs:
        run = sum(each.get("runs", False) for each in results)
        print(f"{run} run forward, {100 * run / max(1, states['opened']):.1f} % of those that open")
    print_causes("failed", [each for each in results if each["state"] == "failed"], "line")
    print_causes("asks", [each for each in results if each["state"] == "asks"], "line")
    print_causes("does not run", [each for each in results if each.get("runs") is False], "run_line")


# --- against PyTorch ---

class Reference:
    """reference.py, which answers one question at a time."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, str(HERE / "reference.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def ask(self, **question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def gap(actual, expected, floor, share):
    """The largest difference as a multiple of what is allowed: that share of the largest element, and floor."""
    import numpy
    if actual is None:
        return math.inf, "is missing"
    if actual.shape != expected.shape:
        return math.inf, f"is {actual.shape}, not {expected.shape}"
    wide = numpy.complex128 if numpy.iscomplexobj(expected) else numpy.float64
    a, e = actual.astype(wide), expected.astype(wide)
    if not numpy.array_equal(numpy.isnan(a), numpy.isnan(e)):
        return math.inf, "is NaN elsewhere"
    finite = numpy.isfinite(e)
    if not numpy.array_equal(a[~finite & ~numpy.isnan(e)], e[~finite & ~numpy.isnan(e)]):
        return math.inf, "is infinite elsewhere"
    if not finite.any():
        return 0, ""
    most = numpy.abs(a - e)[finite].max()
    return most / (floor + share * numpy.abs(e[finite]).max()), f"max abs {most:.1e} of {numpy.abs(e[finite]).max():.1e}"


def share_of_different(actual, expected):
    import numpy
    if actual.shape != expected.shape or expected.size == 0:
        return 1
    return numpy.mean(~numpy.isclose(actual, expected, rtol=1e-3, atol=1e-3 * numpy.abs(expected).max(), equal_nan=True))


def differences(actual_file, expected_file):
    """(outputs, gradients) that differ, as texts; are the outputs' differences those of less than 1 % of the elements?"""
    import numpy
    with numpy.load(actual_file) as actual, numpy.load(expected_file) as expected:
        grads = [name for name in expected.files if name.startswith("grad.")]
        largest = max([float(numpy.abs(expected[name]).max()) for name in grads if expected[name].size] or [0])
        found = ([], [])
        is_few = True
        for name in expected.files:
            is_grad = name.startswith("grad.")
            floor = 1e-5 + (1e-5 * largest if is_grad and math.isfinite(largest) else 0)
            ratio, why = gap(actual[name] if name in actual.files else None, expected[name], floor, 5e-3 if is_grad else 1e-3)
            if ratio > 1:
                found[is_grad].append(f"{name} {why}")
                is_few = is_few and not is_grad and share_of_different(actual[name], expected[name]) < 0.01
        return (*found, is_few)


def run_here(cli, each, scratch, backward, weights):
    """(state, what it says): equal, differs, gradients differ, fails here."""
    command = [cli, "run", each["path"], *(["--build", each["built"]] if each["built"] else []), "--seed", "0", "--mode", "eval", "--threads", "1",
               "--inputs", str(scratch / "inputs.pt"), "--outputs", str(scratch / "actual.npz")]
    command += ["--backward", "--loss", "sum"] if backward else []
    command += ["--weights", str(scratch / "state.pt")] if weights else []
    (scratch / "actual.npz").unlink(missing_ok=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=4 * SECONDS)
    except subprocess.TimeoutExpired:
        return "fails here", "takes too long"
    if done.returncode != 0 or not (scratch / "actual.npz").exists():
        return "fails here", (done.stderr.strip().splitlines() or ["?"])[-1][:300]
    outputs, grads, is_few = differences(scratch / "actual.npz", scratch / "expected.npz")
    if outputs:
        return "ties" if is_few else "differs", f"{len(outputs)} outputs: {outputs[0]}"
    return ("gradients differ", f"{len(grads)} gradients: {grads[0]}") if grads else ("equal", "")


def compare_one(cli, reference, each, beside):
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        inputs = each.get("inputs", "") if each.get("runs") else ""
        said = reference.ask(path=each["path"], build=each["built"], inputs=inputs, folder=name, beside=beside)
        if not said["done"]:
            return {**each, "compared": "not run by PyTorch", "why": said["why"]}
        state, why = run_here(cli, each, scratch, said["backward"], False)
        if state == "fails here" and said["backward"]:
            # Forward alone may still be right.
            forward, _ = run_here(cli, each, scratch, False, False)
            state = "fails in backward" if forward in ("equal", "gradients differ") else state
        if state != "equal" and (scratch / "state.pt").exists():
            again, _ = run_here(cli, each, scratch, said["backward"], True)
            if again == "equal":
                state = "draws differ"
        return {**each, "compared": state, "why": why, "with_gradients": said["backward"]}


def compare_all(folder, cli, report, only, jobs):
    opened = [each for each in json.loads(report.read_text())
              if each["state"] == "opened" and (not only or each["package"] in only)]
    beside = [str(each) for each in sorted(folder.iterdir()) if each.is_dir() and not each.name.startswith(".")]
    references = queue.Queue()
    for _ in range(jobs):
        references.put(Reference())

    def compared(each):
        reference = references.get()
        try:
            return compare_one(cli, reference, each, beside)
        finally:
            references.put(reference)

    results = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for each in pool.map(compared, opened):
            results.append(each)
            report.with_suffix(".compared.json").write_text(json.dumps(results, indent=1))
    states = collections.Counter(each["compared"] for each in results)
    run = len(results) - states["not run by PyTorch"]
    print(f"{len(opened)} opened; PyTorch runs {run} of them: {dict(states)}")
    print(f"{states['equal']} of {run} equal PyTorch ({sum(each['compared'] == 'equal' and each['with_gradients'] for each in results)} "
          "with gradients)")
    for state in ["differs", "ties", "draws differ", "gradients differ", "fails in backward", "fails here", "not run by PyTorch"]:
        print_causes(state, [each for each in results if each["compared"] == state], "why")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["download", "open", "compare"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("cli", nargs="?")
    parser.add_argument("report", nargs="?", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--report", dest="report_file", type=pathlib.Path)
    options = parser.parse_args()
    if options.what == "download":
        download(options.folder)
    elif options.what == "open":
        report = options.report_file or options.report or options.folder / "report.json"
        open_all(options.folder, options.cli, options.only, report, options.run, options.jobs, options.together)
    else:
        compare_all(options.folder, options.cli, options.report or options.folder / "report.json", options.only, options.jobs)


main()
