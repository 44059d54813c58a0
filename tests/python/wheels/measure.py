# SPDX-License-Identifier: Apache-2.0
"""How many model sources, as they lie in packages of PyPI, open; and how many compute what PyTorch computes.

    measure.py download FOLDER                      the packages of packages.txt, unpacked; their code is never kept here
    measure.py open FOLDER CLI [--only NAME ...] [--report R.json] [--run] [--jobs N]     `CLI info` of every source; `CLI run` too
    measure.py compare FOLDER CLI REPORT.json       those that opened without arguments, against the PyTorch of this Python

A model source is a file with a class whose bases end in Module and that has a forward. Of a package with more than
PER_PACKAGE of them every nth is taken. opened: a model with its modules; guessed: with arguments that were found nearby or
guessed. asks: one line says which class needs which arguments. runs: forward ran on inputs that were guessed.
"""
import argparse
import ast
import collections
import concurrent.futures
import json
import pathlib
import re
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


def sources(folder, only):
    for package in sorted(folder.iterdir()):
        if not package.is_dir() or (only and package.name not in only):
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
    return {**each, "runs": done.returncode == 0, "run_line": (done.stderr.strip().split("\n") or [""])[-1]}


def print_causes(title, results, line):
    causes = collections.defaultdict(list)
    for each in results:
        causes[cause(each[line])].append(each["package"] + "/" + pathlib.Path(each["path"]).name)
    if causes:
        print(f"\n{title}")
    for text, where in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"{len(where):4} {text}   [{', '.join(where[:3])}]")


def open_all(folder, cli, only, report, runs, jobs):
    def measured(each):
        opened = open_one(cli, *each)
        return run_one(cli, opened) if runs else opened

    results = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for each in pool.map(measured, sources(folder, only)):
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


def compare_all(cli, report):
    opened = [each for each in json.loads(report.read_text()) if each["state"] == "opened" and each["built"]]
    counts = collections.Counter()
    for each in opened:
        with tempfile.TemporaryDirectory() as scratch:
            counts[compare_one(cli, each, pathlib.Path(scratch))] += 1
    print(dict(counts))
    print(f"{counts['equal']} of {counts['equal'] + counts['differs'] + counts['fails here']} that PyTorch runs are equal")


def compare_one(cli, each, scratch):
    name = each["package"] + "/" + pathlib.Path(each["path"]).name + " " + each["built"]
    try:
        reference = subprocess.run([sys.executable, str(HERE / "reference.py"), each["path"], each["built"], str(scratch)],
                                   capture_output=True, text=True, errors="replace", timeout=180)
    except subprocess.TimeoutExpired:
        return "not run by PyTorch"
    if reference.returncode != 0:
        print(f"{name}: not run by PyTorch: {(reference.stderr.strip().splitlines() or ['?'])[-1][:150]}")
        return "not run by PyTorch"
    command = [cli, "check", each["path"], "--build", each["built"], "--seed", "0", "--mode", "eval", "--inputs",
               str(scratch / "inputs.npz"), "--expected", str(scratch / "expected.npz"), "--rtol", "1e-3", "--atol", "1e-4"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=180)
    except subprocess.TimeoutExpired:
        print(f"{name}: takes too long here")
        return "fails here"
    if done.returncode == 0:
        return "equal"
    print(f"{name}: {(done.stderr.strip().splitlines() or ['?'])[-1][:220]}")
    return "differs" if done.returncode == 1 else "fails here"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["download", "open", "compare"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("cli", nargs="?")
    parser.add_argument("report", nargs="?", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--report", dest="report_file", type=pathlib.Path)
    options = parser.parse_args()
    if options.what == "download":
        download(options.folder)
    elif options.what == "open":
        report = options.report_file or options.report or options.folder / "report.json"
        open_all(options.folder, options.cli, options.only, report, options.run, options.jobs)
    else:
        compare_all(options.cli, options.report or options.folder / "report.json")


main()
