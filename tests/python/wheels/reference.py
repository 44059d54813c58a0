# SPDX-License-Identifier: Apache-2.0
"""reference.py: what PyTorch computes of model sources. A line of standard input asks, a line of standard output answers.

Asked: {"path": SOURCE, "build": EXPRESSION, "inputs": "x = 1x16:float32:normal, n = 2" or "", "folder": FOLDER, "beside": [FOLDER, ...]}.
The source is imported as a module of its package; EXPRESSION builds the model with seed 0; "": the source does where it is
started as a program. Its forward runs in eval mode on the inputs, or where none are given on the first of SHAPES that it
takes, and backward from the sum of the outputs.
FOLDER gets inputs.pt (a tuple), expected.npz (out0, ..., grad.param.NAME, as `tensorloupe-cli run --outputs` names them)
and state.pt, the state_dict that the weights began with. Packages that are not installed are looked for under "beside".

Answered: {"done": true, "backward": false, "why": "..."}; why: what PyTorch said where it did not run, or gave no gradients.
Every source is a process of its own.
"""
import ast
import importlib
import importlib.abc
import importlib.machinery
import inspect
import json
import os
import pathlib
import random
import re
import resource
import signal
import sys
import types
import warnings

import numpy
import torch

SECONDS = 120
BYTES = 12 << 30
# Shapes of one input; a forward that takes several gets several of the shape.
SHAPES = [
    (1, 3, 224, 224), (1, 3, 64, 64), (1, 1, 64, 64), (2, 3, 32, 32), (2, 16, 64), (2, 64), (2, 64, 16), (1, 1, 16000), (1, 16000), (2, 16),
    (2, 8, 32, 32), (4,), (2, 16, 32), (1, 3, 299, 299), (1, 1, 32, 32, 32), (2, 16, "int"), (1, 2, 16, 64), (2, 4, 16, 64), (1, 80, 100),
    (2, 512), (2, 768), (2, 512, 16), (2, 16, 512), (1, 3, 160, 160), (2, 3), (2, 2), (1, 3, 331, 331), (1, 128, 32), (2, 16, 3), (),
]
ITEM = re.compile(r"(?:scalar|\d+(?:x\d+)*):([a-z]+\d*)(?::(\w+))?(?: below (\d+))?")


# --- inputs ---

def drawn(text):
    """A tensor of "1x16:int64:random below 10", None of what is no tensor."""
    found = ITEM.fullmatch(text)
    if not found:
        return None
    sizes = text.split(":")[0]
    shape = [] if sizes == "scalar" else [int(each) for each in sizes.split("x")]
    dtype = getattr(torch, found.group(1))
    if found.group(2) == "ones":
        return torch.ones(shape, dtype=dtype)
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, dtype=dtype)
    return torch.randint(0, int(found.group(3) or 2), shape).to(dtype)


def parts_of(text):
    """At commas outside brackets and quotes."""
    parts, depth, quote, begin = [], 0, "", 0
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    return [*parts, text[begin:].strip()] if text[begin:].strip() else parts


def value_of(text):
    tensor = drawn(text)
    if tensor is not None:
        return tensor
    if text.startswith("(") and ":" in text:
        return tuple(value_of(each) for each in parts_of(text[1:-1]))
    return eval(text, {"inf": float("inf"), "nan": float("nan")})


def arguments_of(text):
    return tuple(value_of(re.sub(r"^\w+ = ", "", each)) for each in parts_of(text))


def required_arguments(model):
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(model.forward).parameters.values()
    return max(1, sum(each.kind in kinds and each.default is inspect.Parameter.empty for each in parameters))


def make(shape):
    if shape and shape[-1] == "int":
        return torch.randint(0, 16, shape[:-1])
    return torch.rand(shape)


# --- outputs ---

def flat(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [each for key in sorted(value) for each in flat(value[key])]
    if isinstance(value, (list, tuple)):
        return [each for item in value for each in flat(item)]
    return []


def array(t):
    t = t.detach().resolve_conj().resolve_neg()
    return (t.float() if t.dtype in (torch.bfloat16, torch.float16) else t).numpy()


# --- sources ---

class Stand(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages that are not here: as far as a source only imports them it can do without."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Missing(spec.name)

    def exec_module(self, module):
        module.__path__ = []


class Missing(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__module__": self.__name__, "__init__": lambda *_, **__: (_ for _ in ()).throw(ModuleNotFoundError(name))})


def names_of(path):
    """The module's name and the folder that it is found in, then with every folder above counted as a package."""
    name, root = "" if path.stem == "__init__" else path.stem, path.parent
    while (root / "__init__.py").exists():
        name, root = f"{root.name}.{name}" if name else root.name, root.parent
    yield name, root
    for _ in range(2):
        name, root = f"{root.name}.{name}", root.parent
        yield name, root


def forget(name):
    top = name.split(".")[0]
    for each in [each for each in sys.modules if each.split(".")[0] == top]:
        del sys.modules[each]


def imported(path):
    """The module; where its package does not import whole, without the __init__.py of the packages above it."""
    first = None
    stand = Stand()
    for is_standing in (False, True):
        if is_standing:
            sys.meta_path.append(stand)
        for name, root in names_of(path):
            sys.path.insert(0, str(root))
            try:
                return importlib.import_module(name)
            except Exception as error:
                first = first or error
            forget(name)
            parts = name.split(".")
            for i in range(1, len(parts)):
                package = types.ModuleType(".".join(parts[:i]))
                package.__path__ = [str(root.joinpath(*parts[:i]))]
                sys.modules[package.__name__] = package
            try:
                return importlib.import_module(name)
            except Exception:
                pass
            forget(name)
            sys.path.pop(0)
    raise first


def own_model(path, module):
    """Of a source that makes it where it is started as a program: the module with the most parameters."""
    names = {**vars(module), "__name__": "__main__"}

    def modules():
        return [each for each in names.values() if isinstance(each, torch.nn.Module)]

    if not modules():
        seed()
        for guard in ast.parse(pathlib.Path(path).read_text()).body:
            if not isinstance(guard, ast.If) or "__main__" not in ast.unparse(guard.test):
                continue
            for statement in guard.body:
                exec(compile(ast.Module([statement], []), path, "exec"), names)
                if modules():
                    break
    found = modules()
    return max(reversed(found), key=lambda each: sum(p.numel() for p in each.parameters()))


def seed():
    torch.manual_seed(0)
    numpy.random.seed(0)
    random.seed(0)


def run(model, arguments):
    torch.manual_seed(0)
    try:
        return flat(model(*arguments)), ""
    except RuntimeError as error:
        if "grad" not in str(error):
            raise
        torch.manual_seed(0)
        model.requires_grad_(False)
        with torch.no_grad():
            return flat(model(*arguments)), str(error)


def is_good(outputs):
    return bool(outputs) and all(torch.isfinite(each.detach().float()).all() for each in outputs if not each.is_complex())


def outputs_of(model, inputs):
    if inputs:
        torch.manual_seed(1)
        arguments = arguments_of(inputs)
        return (arguments, *run(model, arguments))
    last = None
    for shape in SHAPES:
        torch.manual_seed(1)
        arguments = tuple(make(shape) for _ in range(required_arguments(model)))
        try:
            outputs, why = run(model, arguments)
        except Exception as error:
            last = error
            continue
        if is_good(outputs):
            return arguments, outputs, why
    raise SystemExit(f"no input fits: {last}")


def gradients(model, outputs):
    summed = [each.sum() for each in outputs if each.requires_grad and each.is_floating_point()]
    if not summed:
        return {}
    total = summed[0]
    for each in summed[1:]:
        total = total + each
    total.backward()
    return {f"grad.param.{name}": array(each.grad.to_dense()) for name, each in model.named_parameters() if each.grad is not None}


class Unread(dict):
    """Weights that would be fetched: as here, the drawn ones stay."""


def leave_weights():
    load = torch.nn.Module.load_state_dict

    def load_state_dict(self, state, *args, **kwargs):
        return None if isinstance(state, Unread) else load(self, state, *args, **kwargs)

    def fetched(*args, **kwargs):
        return Unread()

    torch.nn.Module.load_state_dict = load_state_dict
    torch.hub.load_state_dict_from_url = fetched
    try:
        import torchvision.models._api as api
        api.load_state_dict_from_url = fetched
    except ImportError:
        pass


def answer(asked):
    leave_weights()
    folder = pathlib.Path(asked["folder"])
    sys.path.extend(asked["beside"])
    seed()
    module = imported(pathlib.Path(asked["path"]).resolve())
    if asked["build"]:
        seed()
        model = eval(asked["build"], vars(module)).eval()
    else:
        model = own_model(asked["path"], module).eval()
    try:
        torch.save(dict(model.state_dict()), folder / "state.pt")
    except Exception:
        (folder / "state.pt").unlink(missing_ok=True)
    arguments, outputs, why = outputs_of(model, asked["inputs"])
    if not outputs:
        return {"done": False, "why": "forward gives no tensor"}
    expected = {f"out{i}": array(each).copy() for i, each in enumerate(outputs)}
    grads = {}
    try:
        grads = {} if why else gradients(model, outputs)
    except Exception as error:
        why = f"backward: {type(error).__name__}: {error}"
    torch.save(arguments, folder / "inputs.pt")
    numpy.savez(folder / "expected.npz", **expected, **grads)
    return {"done": True, "backward": bool(grads), "why": why.split("\n")[0]}


def child(asked, to):
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    torch.set_num_threads(1)
    signal.alarm(SECONDS)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.chdir(asked["folder"])
    warnings.simplefilter("ignore")
    try:
        said = answer(asked)
    except BaseException as error:
        said = {"done": False, "why": f"{type(error).__name__}: {error}".strip().split("\n")[0]}
    os.write(to, json.dumps(said).encode())
    os._exit(0)


def main():
    for line in sys.stdin:
        asked = json.loads(line)
        out, to = os.pipe()
        process = os.fork()
        if process == 0:
            child(asked, to)
        os.close(to)
        with os.fdopen(out, "rb") as pipe:
            said = pipe.read().decode()
        _, status = os.waitpid(process, 0)
        why = "takes too long" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM else f"ended with {status}"
        print(said or json.dumps({"done": False, "why": why}), flush=True)


main()
