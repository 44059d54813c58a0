// SPDX-License-Identifier: Apache-2.0
#pragma once
// ONNX files as models.

#include "core/base/file.h"
#include "core/formats/format_reader.h"

namespace loupe::onnx {

// The file's graph as `forward` of a module: its modules, lines and names from the exporter's metadata or from the
// names of nodes, its initializers as parameters and buffers under their names.
FormatReader onnx_format();

}  // namespace loupe::onnx
