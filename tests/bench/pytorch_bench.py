"""Times PyTorch at what Tensorloupe is held against.

    python3 pytorch_bench.py [NAME ...]      one JSON object: name -> {minimum, median, maximum, repeat}, seconds
    python3 pytorch_bench.py --serve         reads a name a line, answers each with its JSON object; `run` alternates so

--models DIR says where `make_models.py --full DIR` wrote the files; only `resnet18_open` needs them. Models run eagerly, as their
users run them, but for *_inference, which are frozen and optimised; with two threads.
"""

import argparse
import json
import os
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "fixtures"))

import sequence_models as seq  # noqa: E402
import torch  # noqa: E402
import vision_models as vision  # noqa: E402


def without_gradient(model, *inputs):
    def step():
        with torch.no_grad():
            model(*inputs)

    return step


def forward(model, *inputs):
    return without_gradient(model.eval(), *inputs)


def inference(model, *inputs):
    """Frozen and made ready for inference, as far as PyTorch goes."""
    return without_gradient(torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.script(model.eval()))), *inputs)


def train(model, *inputs):
    """Forward and backward, with ones as cotangent; gradients are made anew each time."""
    model.train()

    def step():
        for parameter in model.parameters():
            parameter.grad = None
        out = model(*inputs)
        out.backward(torch.ones_like(out))

    return step


def statistics_of(tensor):
    tensor = tensor.detach()
    finite = tensor.float()
    return torch.stack([finite.min(), finite.max(), finite.mean(), finite.std(unbiased=False), tensor.isnan().sum().float(),
                        tensor.isinf().sum().float(), (tensor == 0).sum().float()])


def train_with_hooks(model, *inputs):
    """The train step with statistics of every layer's output and of its gradient, by hooks."""
    rows = []

    def seen(module, arguments, output):
        rows.append(statistics_of(output))
        if output.requires_grad:
            output.register_hook(lambda gradient: rows.append(statistics_of(gradient)))

    for module in model.modules():
        if not list(module.children()):
            module.register_forward_hook(seen)
        if isinstance(module, torch.nn.ReLU):
            module.inplace = False
    step = train(model, *inputs)

    def recorded():
        rows.clear()
        step()
        torch.stack(rows).tolist()

    return recorded


def open_file(path):
    return lambda: torch.jit.load(path)


def lstm():
    return seq.TextClassifier(5000, 128, 128, 4), torch.randint(1, 5000, (8, 64))


def gpt():
    return seq.GPT(256, 256, 8, 4, 128), torch.randint(1, 256, (4, 128))


def benches(models):
    return {
        "resnet18_forward": lambda: forward(vision.resnet18(True), torch.randn(1, 3, 224, 224)),
        "resnet18_train": lambda: train(vision.resnet18(True), torch.randn(8, 3, 224, 224)),
        "resnet18_statistics": lambda: train_with_hooks(vision.resnet18(True), torch.randn(8, 3, 224, 224)),
        "resnet18_open": lambda: open_file(os.path.join(models, "resnet18.pt")),
        "lstm_forward": lambda: forward(*lstm()),
        "lstm_train": lambda: train(*lstm()),
        "gpt_forward": lambda: forward(*gpt()),
        "gpt_train": lambda: train(*gpt()),
        "gpt_train_fused": lambda: train(*gpt()),
        "resnet18_inference": lambda: inference(vision.resnet18(True), torch.randn(1, 3, 224, 224)),
        "mobilenet_v3_inference": lambda: inference(vision.mobilenet_v3_small(True), torch.randn(1, 3, 224, 224)),
        "densenet121_inference": lambda: inference(vision.densenet121(True), torch.randn(1, 3, 224, 224)),
        "vit_inference": lambda: inference(vision.vit(), torch.randn(1, 3, 224, 224)),
        "gpt_inference": lambda: inference(*gpt()),
        "mlp_train": lambda: train(seq.mlp(64), torch.randn(8, 64)),
        "adds": lambda: forward(seq.Adds(), torch.ones(1), torch.ones(1)),
    }


def measure(step, warmup, repeat, seconds):
    """At most `repeat` timed calls, and no more once `seconds` have passed; at least three."""
    for _ in range(warmup):
        step()
    times = []
    start = time.perf_counter()
    while len(times) < repeat and (len(times) < 3 or time.perf_counter() - start < seconds):
        before = time.perf_counter()
        step()
        times.append(time.perf_counter() - before)
    return {"minimum": min(times), "median": statistics.median(times), "maximum": max(times), "repeat": len(times)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--models", default=os.path.join(HERE, "..", "..", "build", "bench-models"))
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=4.0)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    available = benches(options.models)
    prepared = {}

    def answer(name):
        if name not in prepared:
            prepared[name] = available[name]()
        return measure(prepared[name], options.warmup, options.repeat, options.seconds)

    unknown = [name for name in options.names if name not in available]
    if unknown:
        parser.error(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(available)}")
    if options.serve:
        for line in sys.stdin:
            print(json.dumps(answer(line.strip())), flush=True)
    else:
        print(json.dumps({name: answer(name) for name in options.names or available}, indent=1))


if __name__ == "__main__":
    main()
