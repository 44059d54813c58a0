#!/usr/bin/env python3
"""Writes resources/docs/api.md from the headers of core/library: each declaration with the comment above it."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "core/library"

HEAD = """# API reference

All functions of the library, made from its headers by `tests/documentation/make_api_page.py`; a test says when one is missing here. How they are used, with whole programs: [The engine as a library](library.md).

| interface | header | where |
| --- | --- | --- |
| C | `<tensorloupe/c_api.h>` | below |
| C++ | `<tensorloupe/tensorloupe.h>`: `Model`, tensors | below; operators are `fn::NAME`, by the [records](operators.md) |
| Python | `import loupe` | torch's names; `loupe.open`, `loupe.open_recording`, `loupe.from_numpy`, `loupe.from_dlpack` besides: [From Python](library.md#from-python) |
| recording PyTorch | `import tensorloupe` | `record`, `show`, `watch`: [My model runs in PyTorch](guide.md#my-model-runs-in-pytorch), [Watching a PyTorch training](watch.md) |

"""


def cell(text):
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


def row(declaration, comment):
    return f"| `{cell(declaration)}` | {cell(comment).replace('*', chr(92) + '*').replace('_', chr(92) + '_').replace('<', chr(92) + '<')} |\n"


def c_interface():
    text = (LIBRARY / "c_api.h").read_text()
    out = "## C\n\n" + cell(re.search(r"/\*\n \* The engine for C.*?\*/", text, re.S)[0].strip("/* ").replace("\n *", " ")) + "\n"
    out += "\n| declaration | what it does |\n| --- | --- |\n"
    pattern = re.compile(r"/\* --- (.*?) --- \*/|/\*(.*?)\*/|TL_API ([^;{}]+);", re.S)
    comment = ""
    for match in pattern.finditer(text[text.index("/* TL_API_VERSION of the library") :]):
        title, words, declaration = match.groups()
        if title is not None:
            out += f"\n### C: {title}\n\n| declaration | what it does |\n| --- | --- |\n"
            comment = ""
        elif words is not None:
            comment = re.sub(r"\n \*", " ", words)
        else:
            out += row(declaration, comment)
            comment = ""
    out += "\n### C: types\n"
    for kind in ("tl_status", "tl_dtype", "tl_view", "tl_event"):
        out += "\n```c\n" + re.search(rf"typedef (?:struct|enum) {kind} \{{.*?\}} {kind};", text, re.S)[0] + "\n```\n"
    return out


def cpp_declarations(text):
    """Comment and declaration of each function, in order."""
    comment, declaration, depth = [], "", 0
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("//") and not declaration:
            comment.append(stripped[2:].strip())
            continue
        if not stripped:
            comment, declaration = [], ""
            continue
        declaration += " " + stripped
        if declaration.count("(") != declaration.count(")") or not re.search(r"[;{}]", stripped):
            continue
        if "(" in declaration and not re.match(r" (explicit|struct|class|using|friend|return|:)", declaration):
            head = re.split(r";|(?<!=)\s\{", declaration.strip())[0].strip()
            yield " ".join(comment), head
        comment, declaration = [], ""


def cpp_interface():
    model = (LIBRARY / "model.h").read_text()
    inside = model[model.index("  public:") : model.index("  private:")].replace("  public:", "")
    # What record() does is said above the struct that it gives.
    about = re.search(r"((?:    //[^\n]*\n)+)    struct Recorded \{\n", inside)
    inside = inside.replace(about[0], "").replace("    };", "").replace("    Recorded record(", about[1] + "    Recorded record(")
    out = "\n## C++: Model\n\n" + "| declaration | what it does |\n| --- | --- |\n"
    for comment, declaration in cpp_declarations(inside):
        out += row(declaration, comment)
    tensors = (LIBRARY / "tensors.h").read_text()
    for title, part in re.findall(r"// --- (.*?) ---\n(.*?)(?=// ---|namespace detail)", tensors, re.S):
        out += f"\n## C++: {title}\n\n| declaration | what it does |\n| --- | --- |\n"
        part = re.sub(r"class Index \{.*?\n\};", "", part, flags=re.S)
        part = re.sub(r"struct Slice \{.*?\n\};", "", part, flags=re.S)
        for comment, declaration in cpp_declarations(part):
            out += row(declaration, comment)
    return out


(ROOT / "resources/docs/api.md").write_text(HEAD + c_interface() + cpp_interface())
