// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/program_rewriter.h"

#include <algorithm>
#include <set>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/exported/program_archive.h"
#include "core/formats/exported/program_parts.h"
#include "core/formats/exported/written_archive.h"
#include "core/nn/module.h"

namespace loupe::exported {
namespace {

constexpr std::int64_t kWrittenSchema = 8;

// Null when the module has none.
Tensor tensor_at(const nn::ModulePtr& root, const std::string& path) {
    const auto dot = path.rfind('.');
    const nn::ModulePtr owner = root->get_submodule(dot == std::string::npos ? std::string() : path.substr(0, dot));
    const IValue* value =
        owner ? owner->find_attribute(dot == std::string::npos ? path : path.substr(dot + 1)) : nullptr;
    return value != nullptr && value->is_tensor() ? value->to_tensor() : Tensor();
}

bool is_alike(const Tensor& a, const Tensor& b) {
    return a.defined() && a.dtype() == b.dtype() && std::ranges::equal(a.sizes(), b.sizes());
}

}  // namespace

bool rewrite_program(const ProgramParts& parts, const nn::ModulePtr& module, const FileTarget& target) {
    if (parts.schema != kWrittenSchema) return false;
    ProgramArchive archive = read_program_archive(parts.file);
    std::set<const TensorImpl*> parameters;
    for (const auto& [name, tensor] : module->named_parameters()) parameters.insert(tensor.impl());
    WrittenProgram written;
    for (const auto& [name, before] : archive.weights) {
        const Tensor now = tensor_at(module, name);
        if (!is_alike(now, before)) return false;
        const bool is_parameter = parameters.contains(now.impl());
        written.weights.push_back({name, now, is_parameter, is_parameter && requires_grad(now)});
    }
    for (const auto& [name, before] : archive.constants) {
        if (!before.is_tensor()) return false;  // an object of a Python class
        const Tensor now = tensor_at(module, name);
        written.constants.push_back({name, is_alike(now, before.to_tensor()) ? now : before.to_tensor()});
    }
    written.program = written_json(archive.program());
    written.sample_inputs = archive.sample_inputs;
    write_program_archive(written, target);
    return true;
}

}  // namespace loupe::exported
