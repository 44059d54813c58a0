// SPDX-License-Identifier: Apache-2.0
// Modules as objects.
#include "core/base/strings.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/operations.h"

namespace loupe::python {

PythonModule::PythonModule(std::string name, NamespacePtr globals, Fallback fallback)
    : name_(std::move(name)), globals_(std::move(globals)), fallback_(std::move(fallback)) {}

std::optional<IValue> PythonModule::find_attribute(std::string_view name) {
    if (globals_) {
        if (auto found = globals_->find(name)) return found;
    }
    // A package's own name of a module of it comes before the module: `from .conv import conv`.
    if (globals_ && fallback_) {
        if (auto value = fallback_(name)) return value;
    }
    const auto found = values_.find(name);
    if (found != values_.end()) return found->second;
    if (const auto lazy = lazy_.find(name); lazy != lazy_.end()) {
        IValue value = get_attribute(Evaluator::current()->import_module(lazy->second), name);
        values_.insert_or_assign(std::string(name), value);
        return value;
    }
    if (name == "__name__") return IValue(name_);
    if (name == "__doc__") return IValue();
    if (name == "__dict__") {
        auto dict = make_dict();
        for (const auto& [key, value] : entries()) dict->set(IValue(key), value);
        return IValue(dict);
    }
    if (name == "__class__") return PythonObject::find_attribute(name);
    if (fallback_ && !globals_) {
        if (auto value = fallback_(name)) {
            values_.emplace(std::string(name), *value);
            return value;
        }
    }
    // A module of ours inside this one that was not imported yet: torch.distributions.
    const std::string full = concat(name_, ".", name);
    Evaluator* evaluator = Evaluator::current();
    const ModuleRecord* record = evaluator != nullptr ? evaluator->state().library.find(full) : nullptr;
    if (record != nullptr && !record->source.empty()) return evaluator->import_module(full);
    if (!globals_ || name.starts_with("__")) return std::nullopt;
    // PEP 562.
    const auto getter = globals_->find("__getattr__");
    if (!getter) return std::nullopt;
    return python::call(*getter, std::vector<IValue>{IValue(name)});
}

void PythonModule::set_attribute(std::string_view name, IValue value) {
    if (globals_)
        globals_->set(name, std::move(value));
    else
        values_.insert_or_assign(std::string(name), std::move(value));
}

void PythonModule::delete_attribute(std::string_view name) {
    if (globals_ && globals_->erase(name)) return;
    const auto found = values_.find(name);
    if (found == values_.end()) throw_attribute_error(IValue::other(Ptr<RefCounted>(this)), name);
    values_.erase(found);
}

std::string PythonModule::repr() { return concat("<module '", name_, "'>"); }

std::vector<std::pair<std::string, IValue>> PythonModule::entries() const {
    std::vector<std::pair<std::string, IValue>> out(values_.begin(), values_.end());
    if (!globals_) return out;
    for (auto& entry : globals_->entries()) {
        if (!values_.contains(entry.first)) out.push_back(std::move(entry));
    }
    return out;
}

void PythonModule::clear() {
    values_.clear();
    globals_ = nullptr;
    fallback_ = nullptr;
}

}  // namespace loupe::python
