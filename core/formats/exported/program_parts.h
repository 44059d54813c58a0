// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a program of torch.export says beside its graph and modules, to write it again.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/formats/exported/program_signature.h"
#include "core/formats/exported/symbols.h"
#include "core/formats/exported/written_json.h"
#include "core/formats/model_file.h"

namespace loupe::exported {

// The owner of a model that was read from a program.
struct ProgramParts final : RefCounted {
    Ptr<MappedFile> file;         // where its own JSON is
    std::string model;            // which of the file's programs
    std::int64_t schema = 0;      // the major number
    std::string in_spec;          // as JSON; empty: not known
    Json forward_arg_names = {};  // null: not known
    Json named_tuples = {};       // treespec_namedtuple_fields
    // What every leaf of the inputs is, in order, and what a constant one is (null for others).
    std::vector<InputSpec> leaves;
    std::vector<Json> values;
    std::string out_spec;
    IValue sample_inputs;  // (args, kwargs)
    std::vector<InputRule> rules;
    std::map<std::string, SymbolRange, std::less<>> ranges;
};

// Null for other models.
inline Ptr<const ProgramParts> program_parts(const ModelFile& model) {
    return boost::dynamic_pointer_cast<const ProgramParts>(model.owner);
}

}  // namespace loupe::exported
