// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/missing_name.h"

#include "core/base/strings.h"
#include "core/python/language/error.h"

namespace loupe::python {

Ptr<MissingName> MissingName::derived(std::string name, std::string_view how) const {
    return make_ptr<MissingName>(import_, concat(name, ", ", how, " ", path_, ","));
}

std::string MissingName::message() const {
    std::string out = import_->reason;
    if (!import_->place.empty()) out += concat(" (imported at ", import_->place, ")");
    out += concat("; ", path_, path_.ends_with(',') ? " is used" : " is used here");
    if (!import_->hint.empty()) out += concat(": ", import_->hint);
    return out;
}

void MissingName::fail() const { throw_error(import_->is_name ? "ImportError" : "ModuleNotFoundError", message()); }

// The program asks for a part of it by name; what the language asks for (__iter__, __get__) it has not.
std::optional<IValue> MissingName::find_attribute(std::string_view name) {
    if (name == "__name__" || name == "__qualname__") return IValue(path_.substr(path_.rfind('.') + 1));
    if (name == "__class__" || name == "__module__") return PythonObject::find_attribute(name);
    if (name.starts_with("__") && name.ends_with("__") && name != "__version__") return std::nullopt;
    return IValue::other(make_ptr<MissingName>(import_, concat(path_, ".", name)));
}
void MissingName::set_attribute(std::string_view, IValue) { fail(); }
IValue MissingName::get_item(const IValue&) {
    return IValue::other(make_ptr<MissingName>(import_, concat(path_, "[...]")));
}
void MissingName::set_item(const IValue&, IValue) { fail(); }
Ptr<Iterator> MissingName::iterate() { fail(); }
std::optional<std::int64_t> MissingName::length() { fail(); }
bool MissingName::truth() { fail(); }
std::string MissingName::repr() { return concat("<missing ", path_, ">"); }
IValue MissingName::call(CallArguments) { fail(); }

}  // namespace loupe::python
