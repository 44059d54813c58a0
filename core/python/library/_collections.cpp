// SPDX-License-Identifier: Apache-2.0
// _collections: named tuples, for collections.py.
#include <algorithm>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/frame.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

std::vector<std::string> field_names(const IValue& written, bool renames) {
    std::vector<std::string> fields;
    if (written.is_string()) {
        std::string text = written.to_string();
        for (char& c : text) c = c == ',' ? ' ' : c;
        const IValue parts = call_method(IValue(text), "split", {});
        for (const IValue& part : parts.to_list().elements) fields.push_back(str(part));
    } else {
        for (const IValue& part : to_vector(written)) fields.push_back(str(part));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const bool is_bad = fields[i].empty() || fields[i].starts_with('_') ||
                            (fields[i][0] >= '0' && fields[i][0] <= '9') ||
                            std::find(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(i), fields[i]) !=
                                fields.begin() + static_cast<std::ptrdiff_t>(i);
        if (!is_bad) continue;
        if (renames) {
            fields[i] = concat("_", i);
        } else if (fields[i].starts_with('_')) {
            throw_value_error(concat("Field names cannot start with an underscore: ", repr(IValue(fields[i]))));
        } else {
            throw_value_error(
                concat("Type names and field names must be valid identifiers and unique: ", repr(IValue(fields[i]))));
        }
    }
    return fields;
}

IValue named_tuple(CallArguments a) {
    const BoundArguments given(a, "namedtuple", {"typename", "field_names", "*", "rename=", "defaults=", "module="});
    std::vector<IValue> defaults;
    if (!given.value_or(3, {}).is_none()) defaults = to_vector(given[3]);
    auto fields = field_names(given[1], given.truth_or(2, false));
    if (defaults.size() > fields.size()) throw_type_error("Got more default values than field names");
    return IValue::other(make_named_tuple_class(
        str(given[0]), thread_state().top != nullptr ? thread_state().top->unit.name : "__main__", fields,
        std::move(defaults)));
}

}  // namespace

void fill_collections(PythonModule& module) { module.define("namedtuple", named_tuple); }

}  // namespace loupe::python
