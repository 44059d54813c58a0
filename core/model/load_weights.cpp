// SPDX-License-Identifier: Apache-2.0
#include "core/model/load_weights.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/checkpoint/weights_file.h"

namespace loupe::session {
namespace {

namespace fs = std::filesystem;
using Shapes = std::unordered_map<std::string, std::string>;

bool is_same_memory(const Tensor& a, const Tensor& b) {
    return a.storage() == b.storage() && a.storage_offset() == b.storage_offset() && a.dtype() == b.dtype() &&
           std::ranges::equal(a.sizes(), b.sizes()) && std::ranges::equal(a.strides(), b.strides());
}

// Of the model's tensors that share memory a file of safetensors has one: it is given to the others, as
// safetensors.torch.load_model does.
void add_tied(const NamedTensors& own, NamedTensors& given) {
    std::unordered_map<std::string, Tensor> known(given.begin(), given.end());
    std::unordered_map<const Storage*, std::vector<const std::pair<std::string, Tensor>*>> by_storage;
    for (const auto& each : own) {
        if (!each.second.is_sparse()) by_storage[each.second.storage().get()].push_back(&each);
    }
    for (const auto& [storage, together] : by_storage) {
        for (const auto* missing : together) {
            if (known.contains(missing->first)) continue;
            const auto there = std::ranges::find_if(together, [&](const auto* other) {
                return known.contains(other->first) && is_same_memory(other->second, missing->second);
            });
            if (there != together.end()) given.emplace_back(missing->first, known.at((*there)->first));
        }
    }
}

// Without what a wrapper put before all names, unless the model has such names itself.
NamedTensors weights_for(const NamedTensors& own, const fs::path& path) {
    CheckpointWeights weights = read_weights_file(path);
    const bool has_names = std::any_of(weights.tensors.begin(), weights.tensors.end(), [&](const auto& each) {
        return std::any_of(own.begin(), own.end(), [&](const auto& mine) { return mine.first == each.first; });
    });
    if (!has_names) strip_wrapper_prefix(weights);
    NamedTensors given = tensors_of(weights);
    if (weights.has_shared_once) add_tied(own, given);
    return given;
}

Shapes shapes_of(const NamedTensors& tensors) {
    Shapes out;
    for (const auto& [name, t] : tensors)
        out.emplace(name, t.dim() == 0 ? std::string("scalar")
                                       : join(std::vector<std::int64_t>(t.sizes().begin(), t.sizes().end()), "x"));
    return out;
}

std::string shape_in(const Shapes& shapes, const std::string& name) {
    const auto found = shapes.find(name);
    return found == shapes.end() ? std::string() : found->second;
}

// "fc.weight" of "size mismatch for fc.weight: copying a param with shape ..."; what a module's own hook says, whole.
std::string tensor_in(const std::string& error) {
    constexpr std::string_view kStart = "size mismatch for ";
    if (!error.starts_with(kStart)) return error;
    return error.substr(kStart.size(), error.find(':', kStart.size()) - kStart.size());
}

std::vector<WeightDifference> differences(const nn::LoadReport& found, const Shapes& in_file, const Shapes& in_model) {
    std::vector<WeightDifference> out;
    const auto add = [&](WeightDifference::Kind kind, const std::string& name) {
        out.push_back({kind, name, shape_in(in_file, name), shape_in(in_model, name)});
    };
    for (const std::string& error : found.errors) add(WeightDifference::Kind::Size, tensor_in(error));
    for (const std::string& name : found.missing_keys) add(WeightDifference::Kind::Missing, name);
    for (const std::string& name : found.unexpected_keys) add(WeightDifference::Kind::Unexpected, name);
    return out;
}

}  // namespace

WeightsReport load_weights(nn::Module& module, const fs::path& file, bool strict) {
    WeightsReport report;
    report.file = file.string();
    const NamedTensors own = module.state_dict();
    const NamedTensors given = weights_for(own, file);
    nn::LoadReport found;
    // The last to see what was found, before anything is refused or written.
    RemovableHandle look =
        module.register_load_state_dict_post_hook([&found](nn::Module&, nn::LoadReport& all) { found = all; });
    try {
        module.load_state_dict(given, strict);
    } catch (const Error& error) {
        look.remove();
        if (error.kind() != ErrorKind::Run) throw;
        report.error = error.message();
    } catch (...) {
        look.remove();
        throw;
    }
    look.remove();
    report.tensors = static_cast<std::int64_t>(given.size());
    const auto met = static_cast<std::int64_t>(given.size() - std::min(given.size(), found.unexpected_keys.size()));
    report.loaded = report.error.empty() ? met : 0;
    report.differences = differences(found, shapes_of(given), shapes_of(own));
    report.can_load_rest = strict && !report.error.empty() && found.errors.empty() && met > 0;
    return report;
}

NamedTensors read_named_weights(nn::Module& module, const fs::path& file) {
    return weights_for(module.state_dict(), file);
}

WeightsReport load_fitting(nn::Module& module, const NamedTensors& tensors) {
    const NamedTensors own = module.state_dict();
    const Shapes in_model = shapes_of(own);
    const Shapes given = shapes_of(tensors);
    WeightsReport report;
    report.tensors = static_cast<std::int64_t>(tensors.size());
    const auto differs = [&](WeightDifference::Kind kind, const std::string& name) {
        report.differences.push_back({kind, name, shape_in(given, name), shape_in(in_model, name)});
    };
    NamedTensors fitting;
    for (const auto& [name, t] : tensors) {
        const auto place = in_model.find(name);
        if (place == in_model.end())
            differs(WeightDifference::Kind::Unexpected, name);
        else if (place->second != shape_in(given, name))
            differs(WeightDifference::Kind::Size, name);
        else
            fitting.emplace_back(name, t);
    }
    for (const auto& [name, t] : own) {
        if (!given.contains(name)) differs(WeightDifference::Kind::Missing, name);
    }
    module.load_state_dict(fitting, false);
    report.loaded = static_cast<std::int64_t>(fitting.size());
    return report;
}

std::string differences_text(const std::vector<WeightDifference>& differences) {
    constexpr std::size_t kMost = 4;
    std::vector<std::string> words;
    for (const WeightDifference& each : differences) {
        if (words.size() == kMost) break;
        switch (each.kind) {
            case WeightDifference::Kind::Missing:
                words.push_back(concat(each.name, " is new"));
                break;
            case WeightDifference::Kind::Unexpected:
                words.push_back(concat(each.name, " is gone"));
                break;
            case WeightDifference::Kind::Size:
                words.push_back(concat(each.name, " is ", each.in_model, ", was ", each.in_file));
                break;
        }
    }
    std::string text = join(words, "; ");
    if (differences.size() > kMost) text += concat("; and ", differences.size() - kMost, " more");
    return text;
}

}  // namespace loupe::session
