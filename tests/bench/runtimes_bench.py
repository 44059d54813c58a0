#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times inference in Tensorloupe (the frozen pipeline for the inputs' shapes), ONNX Runtime, PyTorch and torch.compile alternately and prints one table.

    tests/bench/runtimes_bench.py [--threads N] [--rounds N] [--only NAME,...] [--no-compile]

Needs build/bin/tensorloupe-cli, and a Python with torch, torchvision, transformers, onnx, onnxscript and onnxruntime. Each model has
random weights and is given to Tensorloupe as TorchScript and to ONNX Runtime as ONNX. A number is the median over the rounds of each
round's median, in milliseconds; ratios are ours to theirs.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import onnxruntime
import torch
import torchvision.models as vision

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLI = os.path.join(ROOT, "build", "bin", "tensorloupe-cli")
WARMUP, REPEAT = 5, 20
AT_MOST = {"ONNX Runtime": 1.0, "PyTorch": 0.85, "torch.compile": 0.85}


class Logits(torch.nn.Module):
    """A language model that takes ids and gives one tensor."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model(input_ids=ids, return_dict=False)[0]


def bert():
    from transformers import BertConfig, BertModel
    return Logits(BertModel(BertConfig(num_hidden_layers=6, attn_implementation="eager"))), torch.randint(0, 30000, (1, 128))


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    config = GPT2Config(n_layer=6, use_cache=False, attn_implementation="eager")
    return Logits(GPT2LMHeadModel(config)), torch.randint(0, 50000, (1, 128))


def classifier(name):
    return lambda: (getattr(vision, name)(weights=None), torch.randn(1, 3, 224, 224))


MODELS = {name: classifier(name) for name in ("resnet18", "resnet50", "mobilenet_v3_small", "efficientnet_b0", "convnext_tiny", "vit_b_16")}
MODELS |= {"bert": bert, "gpt2": gpt2}


def median_of(call):
    for _ in range(WARMUP):
        call()
    times = []
    for _ in range(REPEAT):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def ours(model, inputs, threads):
    command = [CLI, "bench", model, "--inputs", inputs, "--mode", "eval", "--pipeline", "reduce_overhead", "--threads", str(threads),
               "--warmup", str(WARMUP), "--repeat", str(REPEAT), "--json"]
    result = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return result["median"] if "median" in result else result["forward"]["median"]


def runtimes_of(name, folder, options):
    """What runs the model, by runtime."""
    model, example = MODELS[name]()
    model.eval()
    script, graph, inputs = (os.path.join(folder, name + end) for end in (".pt", ".onnx", ".pt_inputs.pt"))
    with torch.no_grad():
        torch.jit.trace(model, example, check_trace=False).save(script)
        torch.onnx.export(model, (example,), graph, dynamo=True, verbose=False)
        torch.save(example, inputs)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads
    session = onnxruntime.InferenceSession(graph, settings, providers=["CPUExecutionProvider"])
    feed = {session.get_inputs()[0].name: example.numpy()}

    def eager():
        with torch.no_grad():
            return model(example)

    runs = {"ours": lambda: ours(script, inputs, options.threads),
            "ONNX Runtime": lambda: median_of(lambda: session.run(None, feed)),
            "PyTorch": lambda: median_of(eager)}
    if not options.no_compile:
        compiled = torch.compile(model)

        def run_compiled():
            with torch.no_grad():
                return compiled(example)

        runs["torch.compile"] = lambda: median_of(run_compiled)
    return runs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-compile", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    names = [name for name in MODELS if not options.only or name in options.only.split(",")]
    columns = ["ours", "ONNX Runtime", "PyTorch"] + ([] if options.no_compile else ["torch.compile"])
    print(f"{options.threads} threads, ONNX Runtime {onnxruntime.__version__}, PyTorch {torch.__version__}")
    print(f"{'':20}" + "".join(f"{column:>16}" for column in columns) + "   ours to each")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            try:
                runs = runtimes_of(name, folder, options)
                times = {column: [] for column in runs}
                for _ in range(options.rounds):
                    for column, run in runs.items():
                        times[column].append(run())
            except Exception as error:  # one model that a runtime refuses leaves the others
                print(f"{name:20} not measured: {str(error).splitlines()[0][:120]}")
                continue
            medians = {column: statistics.median(each) for column, each in times.items()}
            ratios = []
            for column in columns[1:]:
                ratio = medians["ours"] / medians[column]
                ratios.append(f"{ratio:.2f}{'' if ratio <= AT_MOST[column] else ' missed'}")
            print(f"{name:20}" + "".join(f"{1000 * medians[column]:16.2f}" for column in columns) + "   " + "  ".join(ratios), flush=True)


if __name__ == "__main__":
    sys.exit(main())
