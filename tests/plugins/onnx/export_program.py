# SPDX-License-Identifier: Apache-2.0
"""A program that exports: test_onnx_writing.cpp runs it."""
import io
from typing import Optional

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.drop = nn.Dropout(0.5)

    def forward(self, x, scale: Optional[torch.Tensor] = None):
        y = self.drop(self.fc(x))
        return y if scale is None else y * scale


def contents(path):
    with open(path, "rb") as file:
        return file.read()


net = Net()
x = torch.randn(2, 4)

# dynamo=False: one file, nothing is returned; the mode is what it was afterwards.
result = torch.onnx.export(net, (x,), "old.onnx", input_names=["image"], output_names=["scores"], opset_version=17,
                           dynamic_axes={"image": {0: "batch"}, "scores": {0: "batch"}}, dynamo=False,
                           do_constant_folding=True, training=torch.onnx.TrainingMode.EVAL, verbose=False)
assert result is None
assert net.training
data = contents("old.onnx")
for text in (b"image", b"scores", b"batch", b"fc.weight", b"Gemm", b"pkg.torch.onnx.name_scopes"):
    assert text in data, text
assert b"Dropout" not in data

# dynamo=True: tensors beside the model, and a program that can be saved again.
program = torch.onnx.export(net, (x,), "new.onnx", kwargs={"scale": torch.ones(3)}, dynamic_shapes={"x": {0: "rows"}, "scale": None})
assert b"rows" in contents("new.onnx")
assert b"scale" in contents("new.onnx")
program.save("again.onnx")
assert b"fc.weight" in contents("again.onnx")

# A scripted module, into memory; parameters as inputs.
buffer = io.BytesIO()
torch.onnx.export(torch.jit.script(net), (x, None), buffer, dynamo=False, export_params=False)
assert b"fc.weight" in buffer.getvalue()

# In training mode dropout stays.
torch.onnx.export(net, (x,), "training.onnx", dynamo=False, training=torch.onnx.TrainingMode.TRAINING)
assert b"Dropout" in contents("training.onnx")

try:
    torch.onnx.export(net, (x,), "bad.onnx", opset_version=9)
except Exception as error:
    assert "opset" in str(error), error
else:
    raise AssertionError("opset 9 is written")
