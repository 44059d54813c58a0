// SPDX-License-Identifier: Apache-2.0
#pragma once
// Models as ONNX files: what FormatRegistry knows as the writer of .onnx.

#include "core/formats/format_writer.h"

namespace loupe::onnx_export {

// Options: "opset" (11 to 20), "dynamic" ("arg0:0=batch", also "x:2", several with commas or given again),
// "input_names" and "output_names" (with commas), "export_params", "keep_initializers_as_inputs",
// "do_constant_folding", "external_data" (true, false).
FormatWriter onnx_writer();

}  // namespace loupe::onnx_export
