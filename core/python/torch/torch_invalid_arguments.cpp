// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_invalid_arguments.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/python/torch/torch_objects.h"

namespace loupe::python {
namespace {

// An option as PyTorch reads it back from its own text, in which the star is an argument too.
struct Option {
    struct Entry {
        std::string name;
        std::string type;
    };
    std::vector<Entry> entries;
};

Option option_of(const Signature& signature) {
    Option out;
    bool is_behind_star = false;
    for (const Parameter& parameter : signature.parameters) {
        if (parameter.is_keyword_only && !is_behind_star) out.entries.push_back({"*", "*"});
        is_behind_star = is_behind_star || parameter.is_keyword_only;
        out.entries.push_back({parameter.name, std::string(parameter_type_name(parameter))});
    }
    return out;
}

std::vector<std::string> unknown_keywords(const Option& option, const CallArguments& call) {
    std::vector<std::string> out;
    for (const auto& [keyword, value] : call.keywords) {
        const auto known = [&name = keyword](const Option::Entry& entry) { return entry.name == name; };
        const auto from = option.entries.begin() +
                          static_cast<std::ptrdiff_t>(std::min(call.positional.size(), option.entries.size()));
        if (std::find_if(from, option.entries.end(), known) == option.entries.end()) out.push_back(keyword);
    }
    return out;
}

std::string given_types(const CallArguments& call) {
    std::string out = "(";
    for (const IValue& value : call.positional) out += torch_type_name(value) + ", ";
    for (const auto& [keyword, value] : call.keywords) out += concat(keyword, "=", torch_type_name(value), ", ");
    if (!call.positional.empty()) out.erase(out.size() - 2);
    return out + ")";
}

bool is_matching(const Option::Entry& entry, const std::string& type) {
    return entry.type == "float" ? type == "float" || type == "int" : entry.type == type;
}

// The types with those that do not fit between exclamation marks.
std::string marked_types(const Option& option, const CallArguments& call) {
    std::string out = "(";
    const std::size_t count = call.positional.size() + call.keywords.size();
    for (std::size_t i = 0; i < count; ++i) {
        const Option::Entry& entry = option.entries[i];
        const bool is_keyword = i >= call.positional.size();
        const IValue* value = is_keyword ? nullptr : &call.positional[i];
        for (const auto& [keyword, given] : call.keywords) {
            if (is_keyword && keyword == entry.name) value = &given;
        }
        const std::string type = value == nullptr ? "" : torch_type_name(*value);
        const char* mark = is_matching(entry, type) ? "" : "!";
        out += concat(mark, is_keyword ? entry.name + "=" : "", type, mark, ", ");
    }
    if (!call.positional.empty()) out.erase(out.size() - 2);
    return out + ")";
}

// Every keyword must be one of the entries that the positional arguments leave, or the marks would name nothing.
bool counts_match(const Option& option, const CallArguments& call) {
    return option.entries.size() == call.positional.size() + call.keywords.size();
}

}  // namespace

std::string invalid_arguments_message(const SignatureSet& set, const CallArguments& call) {
    std::string out = concat(set.name, "() received an invalid combination of arguments - got ");
    if (set.signatures.size() == 1) {
        const Option option = option_of(set.signatures.front());
        const std::vector<std::string> unknown = unknown_keywords(option, call);
        if (!unknown.empty()) return concat(out, "unrecognized keyword arguments: ", join(unknown, ", "));
        const std::string types = counts_match(option, call) ? marked_types(option, call) : given_types(call);
        return concat(out, types, ", but expected ", set.signatures.front().str());
    }
    out += concat(given_types(call), ", but expected one of:\n");
    for (const Signature& signature : set.signatures) {
        out += concat(" * ", signature.str(), "\n");
        const Option option = option_of(signature);
        if (!counts_match(option, call)) continue;
        const std::vector<std::string> unknown = unknown_keywords(option, call);
        if (!unknown.empty()) {
            out +=
                concat("      didn't match because some of the keywords were incorrect: ", join(unknown, ", "), "\n");
        } else {
            out += concat("      didn't match because some of the arguments have invalid types: ",
                          marked_types(option, call), "\n");
        }
    }
    return out;
}

}  // namespace loupe::python
