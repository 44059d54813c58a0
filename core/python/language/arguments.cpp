// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/arguments.h"

#include <utility>

#include "core/base/strings.h"
#include "core/python/language/raise.h"

namespace loupe::python {

BoundArguments::BoundArguments(const CallArguments& arguments, std::string_view function,
                               std::initializer_list<std::string_view> parameters) {
    struct Parameter {
        std::string_view name;
        bool is_required;
        bool is_keyword_only;
    };
    std::vector<Parameter> all;
    std::size_t positional_only = 0;
    bool is_keyword_only = false;
    for (const std::string_view written : parameters) {
        if (written == "*") {
            is_keyword_only = true;
        } else if (written == "/") {
            positional_only = all.size();
        } else {
            const bool is_optional = written.ends_with('=');
            all.push_back({written.substr(0, written.size() - (is_optional ? 1 : 0)), !is_optional, is_keyword_only});
        }
    }
    values_.resize(all.size());
    given_.resize(all.size());
    std::size_t most = 0;
    for (const Parameter& parameter : all) most += parameter.is_keyword_only ? 0 : 1;
    if (arguments.positional.size() > most) {
        throw_type_error(concat(function, "() takes at most ", most, " argument", most == 1 ? "" : "s", " (",
                                arguments.positional.size(), " given)"));
    }
    for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
        values_[i] = arguments.positional[i];
        given_[i] = true;
    }
    for (const auto& [name, value] : arguments.keywords) {
        std::size_t index = positional_only;
        while (index < all.size() && all[index].name != name) ++index;
        if (index == all.size()) {
            throw_type_error(concat("'", name, "' is an invalid keyword argument for ", function, "()"));
        }
        if (given_[index]) throw_type_error(concat(function, "() got multiple values for argument '", name, "'"));
        values_[index] = value;
        given_[index] = true;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].is_required && !given_[i]) {
            throw_type_error(concat(function, "() missing required argument '", all[i].name, "' (pos ", i + 1, ")"));
        }
    }
}

IValue BoundArguments::value_or(std::size_t index, IValue otherwise) const {
    return given_[index] ? values_[index] : std::move(otherwise);
}

std::int64_t BoundArguments::int_or(std::size_t index, std::int64_t otherwise) const {
    return given_[index] ? to_index(values_[index]) : otherwise;
}

bool BoundArguments::truth_or(std::size_t index, bool otherwise) const {
    return given_[index] ? truth(values_[index]) : otherwise;
}

void check_positional(const CallArguments& arguments, std::string_view function, std::size_t least, std::size_t most) {
    if (!arguments.keywords.empty()) throw_type_error(concat(function, "() takes no keyword arguments"));
    const std::size_t given = arguments.positional.size();
    if (given >= least && given <= most) return;
    const std::size_t limit = given < least ? least : most;
    const std::string_view bound = least == most ? "exactly" : given < least ? "at least" : "at most";
    throw_type_error(
        concat(function, "() takes ", bound, " ", limit, " argument", limit == 1 ? "" : "s", " (", given, " given)"));
}

}  // namespace loupe::python
