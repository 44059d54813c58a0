"""What each tool is asked to do with a model: one function a tool, run in a process of its own by `run`. It returns what
was there to see, as (what, count) pairs; a tool that cannot do it raises."""

import contextlib
import io
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BIN = os.environ.get("TENSORLOUPE_BIN", os.path.join(ROOT, "build", "bin"))


def _modules(name):
    import models
    return models.module_of(name)


def _lines(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError((done.stderr or done.stdout).strip().splitlines()[-1])
    return done.stdout.splitlines()


# --- opening: from a file, or a module, to a graph

def tensorloupe_open(folder, name):
    lines = _lines([os.path.join(BIN, "tensorloupe-cli"), "info", os.path.join(folder, name + ".pt")])
    return [("lines", len(lines))]


def netron_open(folder, name):
    import netron
    # It is read in the browser: what its own process does is to serve the bytes.
    address = netron.start(os.path.join(folder, name + ".onnx"), browse=False)
    import urllib.request
    bytes_ = urllib.request.urlopen("http://%s:%d/data/%s.onnx" % (address[0], address[1], name)).read()
    netron.stop()
    return [("bytes served", len(bytes_))]


def model_explorer_open(folder, name):
    import torch
    from model_explorer.pytorch_exported_program_adapter_impl import PytorchExportedProgramAdapterImpl
    program = torch.export.load(os.path.join(folder, name + ".pt2"))
    graphs = PytorchExportedProgramAdapterImpl(program, _settings()).convert()["graphs"]
    return [("nodes", sum(len(g.nodes) for g in graphs))]


def _settings():
    try:
        from model_explorer.consts import DEFAULT_SETTINGS
        return DEFAULT_SETTINGS
    except ImportError:
        return {"const_element_count_limit": 16}


def tensorboard_open(folder, name):
    import tempfile
    from torch.utils.tensorboard import SummaryWriter
    module, inputs = _modules(name)
    with tempfile.TemporaryDirectory() as logs:
        writer = SummaryWriter(logs)
        writer.add_graph(module, inputs)
        writer.close()
        return [("bytes written", sum(os.path.getsize(os.path.join(logs, f)) for f in os.listdir(logs)))]


def torchview_open(folder, name):
    from torchview import draw_graph
    module, inputs = _modules(name)
    graph = draw_graph(module, input_data=inputs, device="cpu", expand_nested=True, depth=20)
    return [("nodes", len([line for line in graph.visual_graph.source.splitlines() if "[label" in line]))]


def pytorch_open(folder, name):
    import torch
    module, inputs = _modules(name)
    return [("nodes", len(torch.export.export(module, inputs).graph.nodes))]


# --- looking: every activation of a forward pass with its statistics

def tensorloupe_activations(folder, name):
    lines = _lines([os.path.join(BIN, "tensorloupe-cli"), "run", os.path.join(folder, name + ".pt"), "--inputs",
                    os.path.join(folder, name + ".in.npz"), "--stats"])
    return [("lines", len(lines))]


def torchlens_activations(folder, name):
    import torchlens
    module, inputs = _modules(name)
    trace = torchlens.trace(module, list(inputs))
    for value in (op.out for layer in trace.layers for op in layer.ops):
        if value is not None and value.numel() > 0 and value.is_floating_point():
            value.mean(), value.std(), value.min(), value.max()
    return [("operators", len(trace.layers))]


def pytorch_activations(folder, name):
    import torch
    module, inputs = _modules(name)
    seen = []

    def look(module, inputs, output):
        value = output[0] if isinstance(output, tuple) else output
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            seen.append((value.mean(), value.std(), value.min(), value.max()))
    for part in module.modules():
        part.register_forward_hook(look)
    module(*inputs)
    return [("modules", len(seen))]


# --- a step: forward and backward, recorded operator by operator

def tensorloupe_step(folder, name):
    import tempfile
    with tempfile.TemporaryDirectory() as place:
        _lines([os.path.join(BIN, "tensorloupe-cli"), "run", os.path.join(folder, name + ".pt"), "--inputs",
                os.path.join(folder, name + ".in.npz"), "--backward", "--record", os.path.join(place, "step.loupe")])
        return [("bytes written", os.path.getsize(os.path.join(place, "step.loupe")))]


def torchlens_step(folder, name):
    import torchlens
    module, inputs = _modules(name)
    trace = torchlens.trace(module, list(inputs))
    trace.backward(trace[trace.output_layers[0]].out.sum())
    return [("operators", len(trace.layers))]


def pytorch_step(folder, name):
    import torch
    from torch.profiler import ProfilerActivity, profile
    module, inputs = _modules(name)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=True) as seen:
        module(*inputs).sum().backward()
    return [("events", len(seen.events()))]


TASKS = {
    "open": ["tensorloupe", "netron", "model_explorer", "tensorboard", "torchview", "pytorch"],
    "activations": ["tensorloupe", "torchlens", "pytorch"],
    "step": ["tensorloupe", "torchlens", "pytorch"],
}


def main():
    task, tool, folder, name = sys.argv[1:5]
    import json
    import time
    quiet = io.StringIO()
    began = time.perf_counter()
    with contextlib.redirect_stdout(quiet):
        seen = globals()["%s_%s" % (tool, task)](folder, name)
    import resource
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({"seconds": time.perf_counter() - began, "peak": peak * 1024, "seen": seen}))


if __name__ == "__main__":
    main()
