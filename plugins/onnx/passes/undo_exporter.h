// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/passes/pass.h"

namespace loupe::onnx {

// "UndoExporter": operators of ONNX as the operators of PyTorch that they were exported from. Sizes that are read,
// picked and joined become numbers; layers, activations, normalisation and attention that were taken apart become one
// operator again; weights that were transposed are transposed back in view. Every number stays what it was but for
// rounding.
extern const passes::Pass kUndoExporter;

}  // namespace loupe::onnx
