// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run as comparisons read it: recorded just now, read from a file, or made of arrays by name.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/said.h"
#include "core/formats/numpy/npy.h"
#include "core/model/opened_graph.h"
#include "core/record/gradient_row.h"
#include "core/record/recording_file.h"

namespace loupe::session {

struct ComparedRun {
    std::string label;                       // "res.onnx", "pipeline inference"
    std::shared_ptr<const ModelInfo> model;  // null: not known
    std::shared_ptr<const Recording> recording;
    std::function<Tensor(ValueId)> elements;  // undefined where they were not kept
    std::vector<GradientRow> gradients;
    std::shared_ptr<const OpenedGraph> opened;  // null: the model's graph is all that is known
    bool is_arrays = false;                     // it has no more than the arrays of a file: what lacks is not missing
    std::vector<Said> notes;                    // what of it could not be read or run, a sentence each without its end
};

// A recorded run that was read; label: its file's name.
ComparedRun compared_file(std::shared_ptr<const RecordingFile> file, std::string label);

// Arrays by name, of the model's modules and parameters: "layer1.0.conv1" (also with ".out" behind) is what the
// module gave, "fc.weight" a parameter or buffer, "grad.param.fc.weight" or "grad.fc.weight" its gradient, "out0" the
// result. Names that are none of these are notes. Throws Error (Usage) when none is.
ComparedRun compared_arrays(const NamedTensors& arrays, std::shared_ptr<const ModelInfo> model, std::string label);

// Of .npz, and of .pt and .pth with tensors by name. Throws Error (Usage, File, Unsupported) as their readers, and
// Error (File) for a file that holds something else.
NamedTensors read_reference_arrays(const std::filesystem::path& file);

}  // namespace loupe::session
