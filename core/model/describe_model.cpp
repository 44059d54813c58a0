// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <unordered_set>

#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/library_path.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/formats/checkpoint/weights_file.h"
#include "core/model/describe_roots.h"
#include "core/model/program.h"
#include "core/model/shown_source.h"
#include "core/nn/utils/norm_hooks.h"
#include "core/nn/utils/parametrize.h"
#include "core/nn/utils/prune.h"
#include "core/tensor/packed.h"
#include "core/tensor/quantizer.h"

namespace loupe::session {
namespace {

// Of packed weights as they are packed.
std::int64_t held_bytes(const Tensor& t) {
    return static_cast<std::int64_t>(is_packed(t) ? packed_parts(t).bytes.bytes() : t.bytes());
}

TensorInfo describe_tensor(std::string name, const Tensor& t) {
    TensorInfo info;
    info.name = std::move(name);
    info.dtype = std::string(shown_dtype(t));
    info.shape.assign(t.sizes().begin(), t.sizes().end());
    info.bytes = held_bytes(t);
    if (is_packed(t)) info.dtype = std::string(packed_parts(t).type->name);
    info.requires_grad = requires_grad(t);
    info.storage_id = t.storage()->id();
    return info;
}

std::string joined(const std::string& path, const std::string& name) {
    return path.empty() ? name : concat(path, ".", name);
}

// Attributes in one line; containers only by their repr, cut where it is long.
std::string attribute_text(const IValue& value) {
    if (value.is_object()) return value_type_name(value);
    std::string text = python_repr(value);
    constexpr std::size_t kLongest = 200;
    if (text.size() > kLongest) text.replace(kLongest, std::string::npos, "…");
    return text;
}

// "30 % zero"
std::string zeros_text(const nn::Module& module, const std::string& mask_name) {
    const IValue* mask = module.find_attribute(mask_name);
    if (mask == nullptr || !mask->is_tensor() || mask->to_tensor().numel() == 0) return {};
    const NestedCallScope nested;
    const double kept = item(fn::sum(detach(mask->to_tensor()))).to_double();  // of zeros and ones
    char text[32];
    std::snprintf(text, sizeof text, ", %.3g %% zero",
                  100 - 100 * kept / static_cast<double>(mask->to_tensor().numel()));
    return text;
}

void add_rules(nn::Module& module, const std::string& path, std::vector<TensorRule>& rules) {
    for (const nn::ParametrizationInfo& info : nn::parametrizations_of(module)) {
        TensorRule& rule = rules.emplace_back(
            TensorRule{joined(path, info.tensor_name), "parametrization", join(info.parametrizations, ", then "), {}});
        for (const std::string& original : info.originals) rule.from.push_back(joined(path, original));
    }
    for (const std::string& hook : nn::norm_hooks_of(module)) {
        const std::size_t of = hook.find(" of ");
        const std::string kind = hook.substr(0, of);
        const std::string tensor = joined(path, hook.substr(of + 4));
        const bool is_spectral = kind == "spectral_norm";
        rules.push_back({tensor, kind, is_spectral ? "divided by its largest singular value" : "g * v / |v|",
                         is_spectral ? std::vector{tensor + "_orig", tensor + "_u", tensor + "_v"}
                                     : std::vector{tensor + "_g", tensor + "_v"}});
    }
    for (const auto& [tensor, method] : nn::prunings_of(module)) {
        const std::string full = joined(path, tensor);
        rules.push_back(
            {full, "pruning", method + zeros_text(module, tensor + "_mask"), {full + "_orig", full + "_mask"}});
    }
}

class Describer {
  public:
    Describer(ModelInfo& model, bool is_built_in) : model_(model), is_built_in_(is_built_in) {}

    int add(const nn::ModulePtr& module, const std::string& path, int parent) {
        ModuleInfo info;
        info.path = path;
        info.class_name = module->class_name();
        info.qualified_name = module->type()->name();
        info.parent = parent;
        info.training = module->is_training();
        const auto hooks = module->hook_counts();
        info.hooks = static_cast<int>(hooks.forward_pre + hooks.forward + hooks.backward);
        for (const auto& [count, kind] :
             {std::pair{hooks.forward_pre, "forward pre"}, {hooks.forward, "forward"}, {hooks.backward, "backward"}}) {
            if (count > 0) info.hook_kinds.push_back(concat(count, " ", kind));
        }
        add_rules(*module, path, info.rules);
        for (const auto& [name, t] : module->own_parameters())
            info.parameters.push_back(describe_tensor(joined(path, name), t));
        for (const auto& [name, t] : module->own_buffers())
            info.buffers.push_back(describe_tensor(joined(path, name), t));
        for (const auto& [name, value] : module->attributes())
            if (!is_built_in_ || is_setting(name, value)) info.attributes[name] = attribute_text(value);
        const int index = static_cast<int>(model_.modules.size());
        model_.modules.push_back(std::move(info));
        open_.insert(module.get());
        std::vector<int> children;
        for (const auto& [name, child] : module->children()) {
            // A module that holds itself ends here.
            if (!open_.contains(child.get()) && model_.modules.size() < kMaxModules) {
                children.push_back(add(child, joined(path, name), index));
            }
        }
        open_.erase(module.get());
        model_.modules[static_cast<std::size_t>(index)].children = std::move(children);
        count(*module, static_cast<std::size_t>(index));
        return index;
    }

  private:
    static constexpr std::size_t kMaxModules = 100'000;

    // Of the engine's own sources: objects and names are how they are written, not what the file says.
    static bool is_setting(const std::string& name, const IValue& value) {
        return value.is_int() || value.is_double() || value.is_bool() || name.starts_with("note") || name == "training";
    }

    void count(nn::Module& module, std::size_t index) {
        ModuleInfo& info = model_.modules[index];
        for (const auto& [name, t] : module.named_parameters()) {
            info.parameter_count += t.numel();
            info.parameter_bytes += held_bytes(t);
        }
    }

    ModelInfo& model_;
    bool is_built_in_;
    std::unordered_set<const nn::Module*> open_;
};

MethodInfo describe_method(const std::string& name, const FunctionSchema& schema) {
    MethodInfo info;
    info.name = name;
    info.schema = schema.str();
    for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
        const Argument& argument = schema.arguments[i];
        if (i == 0 && argument.name == "self") continue;
        info.arguments.push_back({argument.name, argument.type->annotation_str(), argument.default_value.has_value()});
    }
    for (const Argument& result : schema.returns) info.returns.push_back(result.type->annotation_str());
    return info;
}

// A damaged record may name any line; no model's files have more together.
constexpr std::size_t kMaxLines = 1'000'000;

// The original files, as far as debug records carry them: their lines in place, gaps where nothing was recorded. The
// user's come before those of libraries.
void add_original_sources(const ModelFile& file, ModelInfo& model) {
    std::map<std::string, std::vector<std::string_view>> files;
    std::set<const ir::Source*> seen;
    std::size_t total = 0;
    for (const auto& generated : file.sources) {
        if (generated == nullptr) continue;
        for (const auto& [offset, range] : generated->generated_from()) {
            const ir::Source* source = range.source.get();
            if (source == nullptr || !source->file() || !seen.insert(source).second || is_call_stack(*source)) continue;
            if (source->starting_line() > kMaxLines || source->line_count() > kMaxLines) continue;
            auto& lines = files[*source->file()];
            const std::size_t wanted = std::max(lines.size(), source->starting_line() + source->line_count());
            if (total + wanted - lines.size() > kMaxLines) continue;
            total += wanted - lines.size();
            lines.resize(wanted);
            for (std::size_t i = 0; i < source->line_count(); ++i) lines[source->starting_line() + i] = source->line(i);
        }
    }
    for (const bool is_library : {false, true}) {
        for (const auto& [name, lines] : files) {
            if (is_library_path(name) == is_library) model.sources.push_back({name, join(lines, "\n"), true, false});
        }
    }
}

void add_archive_sources(const ModelFile& file, ModelInfo& model) {
    for (const auto& source : file.sources) {
        if (source == nullptr) continue;
        const bool is_editable = file.eager != nullptr && !file.is_built_in;
        model.sources.push_back({source->file().value_or("code"), source->text(), is_editable, is_editable});
    }
}

}  // namespace

std::vector<ConstructorInfo> describe_constructors(const std::vector<Constructor>& constructors) {
    std::vector<ConstructorInfo> out;
    for (const Constructor& from : constructors) {
        ConstructorInfo& to = out.emplace_back();
        to.class_name = from.class_name;
        to.doc = from.doc;
        to.source = place_of(from.range);
        for (const auto& p : from.parameters)
            to.parameters.push_back({p.name, p.annotation, p.default_value, p.is_keyword_only, p.guess});
        to.takes_rest = from.takes_rest;
        to.takes_keywords = from.takes_keywords;
    }
    return out;
}

std::int64_t TensorInfo::numel() const {
    std::int64_t n = 1;
    for (const auto size : shape) n *= size;
    return n;
}

std::string shape_text(const Shape& shape) { return loupe::shape_text(IntSpan(shape)); }

int ModelInfo::find_module(const std::string& module_path) const {
    for (std::size_t i = 0; i < modules.size(); ++i) {
        if (modules[i].path == module_path) return static_cast<int>(i);
    }
    return -1;
}

namespace {

// Of a folder, and of an index, with the files that it names.
std::int64_t bytes_of(const std::filesystem::path& path) {
    std::uint64_t bytes = 0;
    for (const std::filesystem::path& file : files_of_weights(path)) {
        std::error_code failed;
        const auto size = std::filesystem::file_size(file, failed);
        if (!failed) bytes += size;
    }
    return static_cast<std::int64_t>(bytes);
}

}  // namespace

void describe_roots(const nn::Named<nn::ModulePtr>& roots, ModelInfo& model) {
    if (roots.empty()) {
        model.modules.emplace_back();
        return;
    }
    Describer describer(model, false);
    for (const auto& [name, root] : roots) {
        const bool is_first = model.modules.empty();
        const int index = describer.add(root, name, is_first ? -1 : 0);
        if (!is_first) model.modules.front().children.push_back(index);
        const ModuleInfo& described = model.modules[static_cast<std::size_t>(index)];
        model.parameter_count += described.parameter_count;
        model.parameter_bytes += described.parameter_bytes;
        for (const auto& [buffer, t] : root->named_buffers()) model.buffer_bytes += held_bytes(t);
    }
}

ModelInfo describe_model(const ModelFile& file, const std::filesystem::path& path) {
    ModelInfo model;
    model.path = path.string();
    model.title = (path.has_filename() ? path : path.parent_path()).filename().string();
    model.file_bytes = bytes_of(path);
    model.format = concat(file.format, ", ", format_bytes(static_cast<double>(model.file_bytes)));
    Describer(model, file.is_built_in).add(file.module, "", -1);
    model.parameter_count = model.modules.front().parameter_count;
    model.parameter_bytes = model.modules.front().parameter_bytes;
    for (const auto& [name, t] : file.module->named_buffers()) model.buffer_bytes += held_bytes(t);
    for (const auto& [name, function] : file.module->type()->methods()) {
        try {
            model.methods.push_back(describe_method(name, function->schema()));
        } catch (const Error& error) {
            model.missing_operators.push_back(error.what());
        }
    }
    if (file.eager)
        model.methods.push_back(describe_method("forward", file.eager->schema()));
    else
        add_original_sources(file, model);
    add_archive_sources(file, model);
    model.constructors = describe_constructors(file.constructors);
    model.built_as = file.built_as;
    model.guessed_from = file.guessed_from;
    return model;
}

}  // namespace loupe::session
