// SPDX-License-Identifier: Apache-2.0
#pragma once
// The writer's options as they are given in texts.

#include <string>
#include <vector>

#include "core/formats/format_writer.h"
#include "plugins/onnx/export/exporter.h"

namespace loupe::onnx_export {

inline constexpr int kFirstOpset = 11;
inline constexpr int kLastOpset = 20;

// A size that differs between runs: "arg0:0=batch"; of a list's element "arg0.1:0". An integer argument without a
// dimension ("arg1") is an input of the model, not a constant of it.
struct DynamicSize {
    std::string argument;  // by place ("arg0") or by name
    std::int64_t element = -1;
    std::int64_t dim = -1;
    std::string name = {};  // empty: one is made
};

struct WriteOptions {
    ExportOptions exporting;
    std::vector<DynamicSize> dynamic;
    bool is_external = false;  // tensors in a file of their own
};

// Throws Error (Usage) with what may stand there.
WriteOptions parse_options(const std::vector<std::pair<std::string, std::string>>& given);

}  // namespace loupe::onnx_export
