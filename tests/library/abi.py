#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the binary interface of the installed library against its kept description.

    abi.py check PREFIX COMPILER SOVERSION [INTERFACE...]    what is gone or changed; status 1 if anything is
    abi.py renew PREFIX COMPILER SOVERSION [INTERFACE...]    writes abi/*.txt anew (with g++); see resources/docs/library.md

A description lists, of one interface: the exported functions that its headers declare (mangled), the size and alignment of its
classes, the slots of their vtables, and values of enumerators of C. What is added is no change. Programs: nm, readelf, c++filt.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WORD = r"[A-Za-z_]\w*"


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def demangled(names):
    return run("c++filt", text="\n".join(names)).splitlines()


def code_of(files):
    """The text of headers without comments and texts."""
    text = "\n".join(open(f).read() for f in files)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r'"(\\.|[^"\\\n])*"', "", re.sub(r"//[^\n]*", "", text))


class Interface:
    def __init__(self, prefix, name, library, headers, include, namespaces, flags=()):
        self.prefix, self.name, self.library = prefix, name, os.path.join(prefix, "lib/tensorloupe", library)
        self.headers, self.include, self.namespaces = headers, include, namespaces
        self.flags = ["-std=c++20", f"-I{prefix}/include", f"-I{prefix}/include/tensorloupe/libtorch", *flags]
        self.file = os.path.join(HERE, "abi", name + ".txt")


def interfaces(prefix):
    root = os.path.join(prefix, "include")
    whole = os.path.join(root, "tensorloupe/tensorloupe.h")
    parts = [os.path.join(root, f) for f in re.findall(r'^#include "([^"]+)"', open(whole).read(), re.M)]
    torch = sorted(glob.glob(root + "/tensorloupe/libtorch/loupe_torch/*"))
    return [
        Interface(prefix, "c", "libloupe_core.so", [os.path.join(root, "tensorloupe/c_api.h")], "tensorloupe/c_api.h", []),
        Interface(prefix, "cpp", "libloupe_core.so", parts, "tensorloupe/tensorloupe.h", ["loupe"]),
        Interface(prefix, "torch", "libloupe_torch.so", torch, "torch/torch.h", ["at", "c10", "caffe2", "torch"]),
    ]


# --- what a library exports ---


def exported(library):
    """Of each exported symbol its kind, address and size."""
    out = {}
    for line in run("nm", "-D", "--defined-only", "--format=posix", library).splitlines():
        name, kind, *numbers = line.split()
        address, size = (int(n, 16) for n in (numbers + ["0", "0"])[:2])
        out[name.split("@")[0]] = (kind, address, size)
    return out


def path_of(text):
    """The names before the parameters: ["loupe", "Model", "open"]; templates' arguments are left out."""
    text = re.sub(r"\[abi:\w+\]", "", text)
    depth, out = 0, ""
    for at, c in enumerate(text):
        if c == "<" and not out.endswith("operator") and not out.endswith("operator<"):
            depth += 1
        elif c == ">" and depth:
            depth -= 1
        elif depth == 0 and c == "(" and not text[at:].startswith("(anonymous") and not out.endswith("operator"):
            break
        elif depth == 0:
            out += c
    return out.split(" ")[-1].split("::") if "operator" not in out else re.sub(r"operator.*", "operator", out).split(" ")[-1].split("::")


def functions_of(interface, symbols):
    """The exported functions that the headers declare."""
    code = code_of(interface.headers)
    called = set(re.findall(rf"({WORD})\s*\(", code)) | {"operator"}
    classes = set(re.findall(rf"\b(?:class|struct|union)\s+({WORD})", code))
    spaces = {part for names in re.findall(r"\bnamespace\s+([\w:]+)", code) for part in names.split("::")}
    if not interface.namespaces:
        return sorted(s for s, (kind, *_) in symbols.items() if kind == "T" and s in called)
    names = sorted(s for s, (kind, *_) in symbols.items() if kind == "T" and s.startswith("_ZN"))
    out = []
    for name, text in zip(names, demangled(names)):
        if text.startswith(("virtual thunk", "non-virtual thunk")) or "(anonymous" in text:
            continue
        path = path_of(text)
        function = path[-1].lstrip("~")
        is_declared = function in called or function in classes
        is_known = all(part in spaces or part in classes for part in path[:-1])
        if path[0] in interface.namespaces and is_declared and is_known:
            out.append(name)
    return out


def vtable_of(name, symbols, slots, by_address):
    """The functions in the slots of an exported vtable; None without one."""
    found = symbols.get("_ZTV" + name)
    if found is None:
        return None
    _, address, size = found
    out = []
    for at in range(address, address + size, 8):
        what = slots.get(at, "")
        if what.startswith("+"):
            what = by_address.get(int(what[1:], 16), "?")
        # One function under two names: of the whole object, and of a base.
        out.append(re.sub(r"D2Ev$", "D1Ev", what) or ".")
    return " ".join(out)


def slots_of(library):
    """What the dynamic linker writes where: a name, or + and an address."""
    out = {}
    for line in run("readelf", "-rW", library).splitlines():
        parts = line.split()
        if len(parts) >= 4 and parts[2] == "R_X86_64_RELATIVE":
            out[int(parts[0], 16)] = "+" + parts[3]
        elif len(parts) >= 5 and parts[2] in ("R_X86_64_64", "R_X86_64_GLOB_DAT"):
            out[int(parts[0], 16)] = parts[4].split("@")[0]
    return out


# --- what the compiler says of the headers ---


def measured(interface, compiler, classes, values):
    """The sizes and alignments of classes and the values of enumerators, by the sizes of arrays; lines that do not compile."""
    lines = [f"#include <{interface.include}>"]
    for i, name in enumerate(classes):
        lines.append(f'extern "C" {{ extern char size_{i}[sizeof({name})], align_{i}[alignof({name})]; '
                     f"char size_{i}[sizeof({name})] = {{1}}, align_{i}[alignof({name})] = {{1}}; }}")
    for i, name in enumerate(values):
        lines.append(f'extern "C" {{ extern char value_{i}[{name} + 1]; char value_{i}[{name} + 1] = {{1}}; }}')
    with tempfile.TemporaryDirectory() as folder:
        source, made = os.path.join(folder, "sizes.cpp"), os.path.join(folder, "sizes.o")
        open(source, "w").write("\n".join(lines) + "\n")
        done = subprocess.run([compiler, "-O0", "-w", "-c", source, "-o", made, *interface.flags], capture_output=True, text=True)
        if done.returncode != 0:
            bad = {int(n) - 2 for n in re.findall(r"sizes\.cpp:(\d+):\d+: error", done.stderr)}
            return None, {(classes + values)[n] for n in bad if 0 <= n < len(classes) + len(values)} or sys.exit(done.stderr)
        sizes = {}
        for line in run("nm", "--format=posix", made).splitlines():
            parts = line.split()
            if len(parts) == 4:
                sizes[parts[0]] = int(parts[3], 16)
    rows = {name: f"size {sizes[f'size_{i}']} align {sizes[f'align_{i}']}" for i, name in enumerate(classes)}
    rows.update({name: str(sizes[f"value_{i}"] - 1) for i, name in enumerate(values)})
    return rows, set()


def classes_of(interface, compiler):
    """The classes that the headers define and that a program can name."""
    if not interface.namespaces:
        return sorted(set(re.findall(r"^\}\s*(tl_\w+);", code_of(interface.headers), re.M)))
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "all.cpp")
        open(source, "w").write(f"#include <{interface.include}>\n")
        run(compiler, "-S", "-O0", "-w", source, "-o", os.path.join(folder, "all.s"), f"-fdump-lang-class={folder}/dump", *interface.flags)
        names = re.findall(r"^Class ([\w:]+)$", open(os.path.join(folder, "dump")).read(), re.M)
    known = set(re.findall(rf"\b(?:class|struct)\s+({WORD})", code_of(interface.headers)))
    return sorted({n for n in names if n.split("::")[0] in interface.namespaces and n.split("::")[-1] in known and n.count("::") > 0})


def mangled_class(name):
    return "N" + "".join(f"{len(p)}{p}" for p in name.split("::")) + "E" if "::" in name else f"{len(name)}{name}"


# --- descriptions ---


def described(interface, compiler, classes, values):
    symbols = exported(interface.library)
    slots = slots_of(interface.library)
    by_address = {}
    for name, (kind, address, _) in sorted(symbols.items()):
        if kind in "TW":
            by_address.setdefault(address, name)
    rows, bad = measured(interface, compiler, classes, values)
    if rows is None:
        return None, bad
    out = {("class", name): rows[name] for name in classes}
    out.update({("value", name): rows[name] for name in values})
    for name in classes:
        slots_text = vtable_of(mangled_class(name), symbols, slots, by_address)
        if slots_text is not None:
            out["vtable", name] = slots_text
    out.update({("function", name): "" for name in functions_of(interface, symbols)})
    return out, set()


def read(file):
    soversion, rows = None, {}
    for line in open(file):
        kind, *rest = line.rstrip("\n").split(" ", 2)
        if kind == "soversion":
            soversion = rest[0]
        elif kind != "#":
            rows[kind, rest[0]] = rest[1] if len(rest) > 1 else ""
    return soversion, rows


def renew(interface, compiler, soversion):
    classes = classes_of(interface, compiler)
    values = [] if interface.namespaces else sorted(set(re.findall(r"^\s+(TL_\w+)(?: = \w+)?,?$", code_of(interface.headers), re.M)))
    rows, bad = None, set()
    for _ in range(5):  # private and local ones do not compile
        classes, values = [c for c in classes if c not in bad], [v for v in values if v not in bad]
        rows, bad = described(interface, compiler, classes, values)
        if rows is not None:
            break
    with open(interface.file, "w") as out:
        out.write(f"# The binary interface {interface.name}: written by abi.py renew.\nsoversion {soversion}\n")
        for (kind, name), what in sorted(rows.items()):
            out.write(f"{kind} {name} {what}".rstrip() + "\n")
    print(f"{interface.name}: {len(rows)} rows")


def check(interface, compiler, soversion):
    kept_soversion, kept = read(interface.file)
    if kept_soversion != soversion:
        return [f"the soversion is {soversion}, the description is of {kept_soversion}: renew it"]
    classes = [name for kind, name in kept if kind == "class"]
    values = [name for kind, name in kept if kind == "value"]
    gone = set()
    for _ in range(5):
        now, bad = described(interface, compiler, [c for c in classes if c not in gone], [v for v in values if v not in gone])
        gone |= bad
        if now is not None:
            break
    changes = []
    exported_now = exported(interface.library)
    for (kind, name), what in kept.items():
        shown = demangled([name])[0] if kind == "function" else name
        if kind == "function":
            if name not in exported_now:
                changes.append(f"function {shown} is gone")
        elif (kind, name) not in now:
            changes.append(f"{kind} {shown} is gone")
        elif now[kind, name] != what:
            changes.append(f"{kind} {shown} was {what}, is {now[kind, name]}")
    added = [key for key in now if key not in kept]
    print(f"{interface.name}: {len(kept)} rows, {len(changes)} changed, {len(added)} added")
    return changes


def main():
    if len(sys.argv) < 5 or sys.argv[1] not in ("check", "renew"):
        sys.exit(__doc__)
    what, prefix, compiler, soversion, *names = sys.argv[1:]
    changes = []
    for interface in interfaces(prefix):
        if names and interface.name not in names:
            continue
        if what == "renew":
            renew(interface, compiler, soversion)
        else:
            changes += [f"{interface.name}: {change}" for change in check(interface, compiler, soversion)]
    if changes:
        sys.exit("The binary interface changed:\n  " + "\n  ".join(changes) +
                 "\nPrograms that were built before break. Either undo it, or move the major version (the soversion) and write the "
                 "description anew: resources/docs/library.md, The binary interface.")


if __name__ == "__main__":
    main()
