// SPDX-License-Identifier: Apache-2.0
#include "core/plugin/plugin.h"
#include "plugins/onnx/export/writer.h"
#include "plugins/onnx/ops/family.h"
#include "plugins/onnx/passes/undo_exporter.h"
#include "plugins/onnx/read/onnx_reader.h"

namespace {

using namespace loupe;
using namespace loupe::onnx;

void register_all(const PluginRegistries& registries) {
    static const auto records = joined_records({LOUPE_ONNX_RECORDS(LOUPE_TAKE_RECORDS)});
    registries.add_family({"onnx", records});
    registries.add_format(onnx_format());
    registries.add_writer(onnx_export::onnx_writer());
    registries.add_pass(kUndoExporter);
}

}  // namespace

LOUPE_PLUGIN_EXPORT const PluginTable* loupe_plugin() {
    static constexpr PluginTable kTable{kPluginInterface, "onnx", "Opens and writes ONNX files.", "protobuf",
                                        register_all};
    return &kTable;
}
