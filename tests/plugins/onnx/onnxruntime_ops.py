# SPDX-License-Identifier: Apache-2.0
"""The programs of operator cases (.pt2), written as ONNX and run by ONNX Runtime, for onnxruntime_check.py."""
import collections
import glob
import json
import os
import zipfile

import numpy as np

# Of what is fixed only up to a sign, an order or chance there is nothing to compare.
RANDOM = ("bernoulli", "multinomial", "normal", "rand", "dropout", "empty", "uniform", "exponential", "geometric",
          "cauchy", "log_normal")


def operators(checker, folder):
    from onnxruntime_check import Failure

    reasons = collections.Counter()
    cases = passed = converted = 0
    whole = []
    only = checker.options.models
    for path in sorted(glob.glob(os.path.join(folder, "*.zip"))):
        operator = os.path.basename(path)[: -len(".zip")]
        if only and operator not in only:
            continue
        archive = zipfile.ZipFile(path)
        good = True
        for case in json.loads(archive.read("index.json")):
            k = case["k"]
            cases += 1
            stem = os.path.join(checker.folder, "case")
            for suffix in (".pt2", ".in.npz", ".out.npz"):
                with open(stem + suffix, "wb") as out:
                    out.write(archive.read(f"{k}{suffix}"))
            given = dict(np.load(stem + ".in.npz"))
            wanted = dict(np.load(stem + ".out.npz"))
            try:
                out = checker.convert(stem + ".pt2", stem + ".in.npz")
                converted += 1
                arrays = [given[f"arg{i}"] for i in range(sum(k.startswith("arg") for k in given))]
                expected = [wanted[f"out{i}"] for i in range(sum(k.startswith("out") for k in wanted))]
                got = checker.run_as(out, arrays)
                if not any(word in operator for word in RANDOM):
                    checker.compare(expected, [np.asarray(x).astype(e.dtype) if np.asarray(x).dtype != e.dtype else x
                                               for x, e in zip(got, expected)] + list(got[len(expected):]))
                passed += 1
            except Failure as failure:
                good = False
                text = str(failure).splitlines()[0] if str(failure) else "failure"
                reasons[(operator, text[:160])] += 1
            except Exception as error:
                good = False
                text = str(error).strip().splitlines()
                reasons[(operator, (text[0] if text else type(error).__name__)[:160])] += 1
        if good:
            whole.append(operator)
    for (operator, text), count in sorted(reasons.items()):
        print(f"{operator} ({count}): {text}")
    print(f"{converted} of {cases} cases written, {passed} equal; {len(whole)} operators with all of their cases")
