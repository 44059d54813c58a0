// SPDX-License-Identifier: Apache-2.0
// torch.nn.Module.state_dict and load_state_dict.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/layer.h"
#include "core/nn/module.h"

namespace loupe::nn {
namespace {

constexpr std::size_t kDeepest = 1000;

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

constexpr const char* kExtraState = "_extra_state";
constexpr const char* kGetExtraState = "get_extra_state";
constexpr const char* kSetExtraState = "set_extra_state";

// As type(value) prints in Python.
std::string class_text(const IValue& value) {
    const char* name = value.is_none()     ? "NoneType"
                       : value.is_bool()   ? "bool"
                       : value.is_int()    ? "int"
                       : value.is_double() ? "float"
                       : value.is_string() ? "str"
                       : value.is_list()   ? "list"
                       : value.is_tuple()  ? "tuple"
                       : value.is_dict()   ? "dict"
                                           : nullptr;
    return concat("<class '", name != nullptr ? std::string(name) : std::string(value_type_name(value)), "'>");
}

std::string with_quotes(const std::vector<std::string>& names) { return concat("\"", join(names, "\", \""), "\""); }

}  // namespace

// Extra states that are no tensors are undefined tensors here, for hooks.
struct Module::State {
    Named<Tensor> tensors;
    std::unordered_map<std::string, IValue> extra;
};

// Not deduplicated: shared tensors appear under each of their names. A module of a cycle would have no end of names.
void Module::collect_state(const std::string& prefix, bool keep_vars, std::size_t depth, State& out) const {
    if (depth > kDeepest) run_error("modules nest deeper than 1000");
    auto& self = const_cast<Module&>(*this);
    for (const auto& entry : hooks_.state_dict_pre.snapshot()) entry.hook(self, prefix, keep_vars);
    const auto add = [&](const std::string& name, const Tensor& t) {
        out.tensors.emplace_back(prefix + name, keep_vars ? t : detach(t));
    };
    for (const auto& [name, tensor] : own_parameters()) add(name, tensor);
    for (const auto& [name, tensor] : own_buffers()) {
        if (is_persistent(name)) add(name, tensor);
    }
    if (const auto found = methods_.find(kGetExtraState); found != methods_.end()) {
        const IValue extra = found->second(self, {});
        out.tensors.emplace_back(prefix + kExtraState, extra.is_tensor() ? extra.to_tensor() : Tensor());
        if (!extra.is_tensor()) out.extra.insert_or_assign(prefix + kExtraState, extra);
    }
    for (const auto& [name, child] : children())
        child->collect_state(concat(prefix, name, "."), keep_vars, depth + 1, out);
    for (const auto& entry : hooks_.state_dict.snapshot()) entry.hook(self, out.tensors, prefix);
}

Named<Tensor> Module::state_dict(const std::string& prefix, bool keep_vars) const {
    State state;
    collect_state(prefix, keep_vars, 0, state);
    std::erase_if(state.tensors, [](const auto& entry) { return !entry.second.defined(); });
    return std::move(state.tensors);
}

Named<IValue> Module::full_state_dict(const std::string& prefix, bool keep_vars) const {
    State state;
    collect_state(prefix, keep_vars, 0, state);
    Named<IValue> out;
    for (const auto& [name, tensor] : state.tensors) {
        const auto extra = state.extra.find(name);
        if (tensor.defined())
            out.emplace_back(name, tensor);
        else if (extra != state.extra.end())
            out.emplace_back(name, extra->second);
    }
    return out;
}

std::vector<std::pair<std::string, int>> Module::state_versions() const {
    std::vector<std::pair<std::string, int>> out;
    for (const auto& [name, module] : const_cast<Module*>(this)->named_modules({.remove_duplicate = false})) {
        out.emplace_back(name, module->layer_ != nullptr ? module->layer_->version : 1);
    }
    return out;
}

// One load: first everything is looked up and checked, then the tensors are written.
class Module::StateLoader {
  public:
    StateLoader(const Named<Tensor>& state, const LoadOptions& options)
        : state_(state), strict_(options.strict), assign_(options.assign) {
        for (const auto& [path, version] : options.versions) versions_.emplace(path, version);
        for (const auto& [name, value] : options.extra) extra_.emplace(name, &value);
        given_extra_ = &options.extra;
    }

    LoadReport load(Module& root) {
        visit(root, "", 0);
        // Pre hooks may have renamed: unused names are unexpected.
        for (const auto& [name, tensor] : state_) {
            if (!used_.contains(name)) report_.unexpected_keys.push_back(name);
        }
        for (const auto& [name, value] : *given_extra_) {
            if (!used_.contains(name)) report_.unexpected_keys.push_back(name);
        }
        for (auto& [module, entries] : post_hooks_) {
            for (const auto& entry : entries) entry.hook(*module, report_);
        }
        if (strict_ && (!report_.missing_keys.empty() || !report_.unexpected_keys.empty())) fail(root);
        if (!report_.errors.empty()) fail(root);
        write();
        return std::move(report_);
    }

  private:
    struct Place {
        Module* module;
        std::string attribute;
        Tensor tensor;
        Tensor given;
        IValue extra = {};  // for set_extra_state, which has no tensor
    };

    void visit(Module& module, const std::string& prefix, std::size_t depth) {
        if (depth > kDeepest) run_error("modules nest deeper than 1000");
        const auto hooks = module.hooks_.load_pre.snapshot();
        for (const auto& entry : hooks) entry.hook(module, state_, prefix, strict_, report_);
        if (!hooks.empty() || index_.empty()) index();
        for (const auto& [name, tensor] : module.own_parameters()) take(module, name, prefix + name, tensor);
        for (const auto& [name, tensor] : module.own_buffers()) {
            if (module.is_persistent(name)) take(module, name, prefix + name, tensor);
        }
        if (module.methods_.contains(kSetExtraState)) take_extra(module, prefix + kExtraState);
        for (const auto& [name, child] : module.children()) visit(*child, concat(prefix, name, "."), depth + 1);
        if (!module.hooks_.load_post.empty()) post_hooks_.emplace_back(&module, module.hooks_.load_post.snapshot());
    }

    void index() {
        index_.clear();
        for (const auto& [name, tensor] : state_) index_.emplace(name, tensor);
    }

    void take_extra(Module& module, const std::string& key) {
        const auto value = extra_.find(key);
        const auto tensor = index_.find(key);
        if (value == extra_.end() && tensor == index_.end()) return report_.missing_keys.push_back(key);
        used_.insert(key);
        places_.push_back({&module, {}, {}, {}, value != extra_.end() ? *value->second : IValue(tensor->second)});
    }

    void take(Module& module, const std::string& attribute, const std::string& key, const Tensor& tensor) {
        const auto found = index_.find(key);
        if (const auto other = extra_.find(key); other != extra_.end()) {
            used_.insert(key);
            report_.errors.push_back(
                concat("While copying the parameter named \"", key,
                       "\", expected torch.Tensor or Tensor-like object from checkpoint but received ",
                       class_text(*other->second)));
            return;
        }
        if (found == index_.end()) {
            // A state of before batch norms counted (version 2), or without versions; the count stays.
            const bool is_old = attribute == "num_batches_tracked" && version_of(key, attribute) < 2;
            if (!is_old) report_.missing_keys.push_back(key);
            return;
        }
        used_.insert(key);
        const Tensor& given = found->second;
        if (module.is_uninitialized(attribute)) {
            places_.push_back({&module, attribute, tensor, given, {}});
            return;
        }
        // Version 0.3 saved 0-dimensional parameters with one dimension.
        const bool is_old_scalar = tensor.dim() == 0 && given.dim() == 1 && given.numel() == 1;
        const auto a = given.sizes();
        const auto b = tensor.sizes();
        if (!is_old_scalar && !std::equal(a.begin(), a.end(), b.begin(), b.end())) {
            report_.errors.push_back(
                concat("size mismatch for ", key, ": copying a param with shape torch.Size(", shape_list_text(a),
                       ") from checkpoint, the shape in current model is torch.Size(", shape_list_text(b), ")."));
            return;
        }
        places_.push_back({&module, attribute, tensor, given, {}});
    }

    int version_of(const std::string& key, const std::string& attribute) const {
        const std::size_t end = key.size() - attribute.size();
        const auto found = versions_.find(key.substr(0, end == 0 ? 0 : end - 1));
        return found == versions_.end() ? 0 : found->second;
    }

    [[noreturn]] void fail(const Module& root) const {
        std::vector<std::string> lines;
        if (strict_ && !report_.unexpected_keys.empty()) {
            lines.push_back(concat("Unexpected key(s) in state_dict: ", with_quotes(report_.unexpected_keys), ". "));
        }
        if (strict_ && !report_.missing_keys.empty()) {
            lines.insert(lines.begin(),
                         concat("Missing key(s) in state_dict: ", with_quotes(report_.missing_keys), ". "));
        }
        lines.insert(lines.end(), report_.errors.begin(), report_.errors.end());
        run_error(concat("Error(s) in loading state_dict for ", root.class_name(), ":\n\t", join(lines, "\n\t")));
    }

    void write() const {
        const GradModeScope no_grad(false);
        for (const Place& place : places_) {
            if (place.attribute.empty()) {
                place.module->methods_.find(kSetExtraState)->second(*place.module, {{place.extra}, {}});
                continue;
            }
            if (place.module->is_uninitialized(place.attribute))
                place.module->materialize(place.attribute, place.given.sizes());
            if (!assign_) {
                gradient_arithmetic().copy(place.tensor, place.given);
                place.tensor.storage()->bump_version();
                continue;
            }
            const bool is_own_parameter = place.module->attribute_kind(place.attribute) == AttributeKind::Parameter;
            const Tensor put =
                is_own_parameter ? make_parameter(place.given, requires_grad(place.tensor)) : place.given;
            place.module->set_slot(*place.module->type_->find_attribute(place.attribute), put);
        }
    }

    Named<Tensor> state_;
    bool strict_;
    bool assign_;
    std::unordered_map<std::string, int> versions_;
    std::unordered_map<std::string, Tensor> index_;
    std::unordered_map<std::string, const IValue*> extra_;
    const Named<IValue>* given_extra_ = nullptr;
    std::unordered_set<std::string> used_;
    std::vector<Place> places_;
    std::vector<std::pair<Module*, HookList<void(Module&, LoadReport&)>::Snapshot>> post_hooks_;
    LoadReport report_;
};

LoadReport Module::load_state_dict(const Named<Tensor>& state, bool strict) {
    return load_state_dict(state, LoadOptions{.strict = strict});
}
LoadReport Module::load_state_dict(const Named<Tensor>& state, const LoadOptions& options) {
    return StateLoader(state, options).load(*this);
}
LoadReport Module::assign_state_dict(const Named<Tensor>& state, bool strict) {
    return load_state_dict(state, LoadOptions{.strict = strict, .assign = true});
}

}  // namespace loupe::nn
