// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model as an ONNX file, with its tensors beside it where they are too large for one message.

#include <cstdint>

#include "core/formats/format_writer.h"
#include "plugins/onnx/export/onnx_graph.h"

namespace loupe::onnx_export {

// Protobuf's messages end at 2 GiB.
inline constexpr std::uint64_t kMostInline = std::uint64_t{3} << 29;

struct SerializeOptions {
    // Tensors of more bytes than this together go to a file of their own, to.onnx.data.
    std::uint64_t most_inline = kMostInline;
};

// Leaves nothing partial. Throws Error (File) when a path cannot be written, Error (Unsupported) for a graph that is
// too large without its tensors.
void write_model(const ModelDef& model, const WrittenFiles& to, const SerializeOptions& options = {});

}  // namespace loupe::onnx_export
