// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run that others are compared with, as callers name it: values only.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/said.h"
#include "core/model/model_info.h"
#include "core/record/tensor_slice.h"
#include "core/study/difference.h"
#include "core/study/run_differences.h"

namespace loupe::session {

struct ReferenceSource {
    enum class Kind : std::uint8_t {
        ThisRun,  // that is shown
        File,     // a recording; a model, which is run on the inputs of this run; arrays by name (.npz, .pt)
        Variant,  // the model that is open, run once more in another way
    } kind = Kind::ThisRun;
    std::string file;
    std::string build;         // of a model source
    std::string pipeline;      // of Variant and of models; empty: none
    std::string device;        // likewise; empty: as this run
    std::string dtype;         // of what is floating; empty: as it is
    std::string weights = {};  // of File: a checkpoint to load into it, strictly
    bool is_scripted = false;  // of File: a model source is compiled as torch.jit.script does
    bool is_timed = false;     // of what is run: it is repeated until its operators have warm times
};
constexpr ReferenceSource::Kind last_of(ReferenceSource::Kind) { return ReferenceSource::Kind::Variant; }
auto fields(Like<ReferenceSource> auto& it) {
    return std::tie(it.kind, it.file, it.build, it.pipeline, it.device, it.dtype, it.weights, it.is_scripted,
                    it.is_timed);
}

struct PinnedReference {
    std::string error;       // not empty: nothing else is valid
    std::string error_kind;  // of it: see error_kind_name
    int id = 0;              // 1, 2, ... in a session
    std::string label;       // "res.onnx", "run 3 of net.py"
    std::int64_t events = 0;
    std::shared_ptr<const ModelInfo> model;  // with the graph that ran; null: not known, as of arrays
    bool is_arrays = false;                  // of a file by name: it has neither source nor graph
    std::vector<Said> notes;
};
auto fields(Like<PinnedReference> auto& it) {
    return std::tie(it.error, it.error_kind, it.id, it.label, it.events, it.model, it.is_arrays, it.notes);
}

// A tensor of the run that is shown beside its partner in the reference.
struct TensorComparison {
    std::string error;  // not empty: nothing else is valid
    std::string label;  // of the reference
    TensorSlice reference;
    TensorSlice difference;  // own minus the reference's
    Difference numbers;      // of the whole tensor
    Tolerance tolerance;
};
auto fields(Like<TensorComparison> auto& it) {
    return std::tie(it.error, it.label, it.reference, it.difference, it.numbers, it.tolerance);
}

}  // namespace loupe::session
