# SPDX-License-Identifier: Apache-2.0
"""What the page about the library shows: which pixels a score depends on, and a recorded step."""

import sys

import numpy
import loupe

pixels = numpy.sin(numpy.arange(3 * 32 * 32) * 0.01).astype("float32").reshape(1, 3, 32, 32)

model = loupe.open(sys.argv[1]).eval()             # any format that the window opens
image = loupe.from_numpy(pixels).requires_grad_()  # shares the array's memory
scores = model(image)
scores[0, 3].backward()
saliency = image.grad.abs().numpy()                # and back

run = model.record(image, backward=True)
slowest = max(run, key=lambda event: event.duration)
run.save("step.loupe")                             # for the window

print(scores)
print(f"{saliency.sum():.4f} {saliency.argmax()}")
print(slowest.duration > 0, len(loupe.open_recording("step.loupe")) == len(run))
