// SPDX-License-Identifier: Apache-2.0
#pragma once
// The archive of a program, as PyTorch 2.12 to 2.15 lay it out.

#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/formats/exported/written_json.h"
#include "core/value/ivalue.h"

namespace loupe::exported {

struct WrittenTensor {
    std::string name;  // "layer1.0.weight"
    Tensor tensor;
    bool is_parameter = false;
    bool requires_grad = false;
};

struct WrittenProgram {
    Json program;
    std::vector<WrittenTensor> weights;    // the state_dict
    std::vector<WrittenTensor> constants;  // buffers that are not saved, lifted tensors
    IValue sample_inputs;                  // (args, kwargs); None: none
};

// Tensors of one storage are written once. No partial file is left. Throws Error (File).
void write_program_archive(const WrittenProgram& program, const FileTarget& target);

}  // namespace loupe::exported
