// SPDX-License-Identifier: Apache-2.0
// Modules as objects.
#include "core/base/strings.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/operations.h"

namespace loupe::python {

std::optional<IValue> PythonModule::find_attribute(std::string_view name) {
    const auto found = values_.find(name);
    if (found != values_.end()) return found->second;
    if (name == "__name__") return IValue(name_);
    if (name == "__dict__") {
        auto dict = make_dict();
        for (const auto& [key, value] : values_) dict->set(IValue(key), value);
        return IValue(dict);
    }
    if (fallback_) {
        if (auto value = fallback_(name)) {
            values_.emplace(std::string(name), *value);
            return value;
        }
    }
    if (name == "__class__") return PythonObject::find_attribute(name);
    // A module of ours inside this one that was not imported yet: torch.distributions.
    const std::string full = concat(name_, ".", name);
    Evaluator* evaluator = Evaluator::current();
    const ModuleRecord* record = evaluator != nullptr ? evaluator->state().library.find(full) : nullptr;
    if (record != nullptr && !record->source.empty()) return evaluator->import_module(full);
    return std::nullopt;
}

void PythonModule::set_attribute(std::string_view name, IValue value) {
    values_.insert_or_assign(std::string(name), std::move(value));
}

std::string PythonModule::repr() { return concat("<module '", name_, "'>"); }

std::vector<std::pair<std::string, IValue>> PythonModule::entries() const { return {values_.begin(), values_.end()}; }

void PythonModule::clear() {
    values_.clear();
    fallback_ = nullptr;
}

}  // namespace loupe::python
