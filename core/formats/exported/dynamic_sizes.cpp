// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/dynamic_sizes.h"

#include <algorithm>
#include <charconv>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::exported {
namespace {

using Kind = SymbolExpression::Kind;

[[noreturn]] void refuse(std::string_view option, std::string_view why) {
    throw Error(ErrorKind::Usage, concat("--dynamic ", option, ": ", why), {.hint = "as in --dynamic arg0:0=batch"});
}

std::size_t number(std::string_view text, std::string_view option) {
    std::size_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) refuse(option, concat("'", text, "' is no number"));
    return value;
}

struct Place {
    std::size_t argument = 0;
    std::size_t tensor = 0;
    std::size_t dim = 0;
    SymbolExpression size;
};

Place parse(const std::string& option, const std::vector<std::string>& names) {
    const auto equals = option.find('=');
    const auto colon = option.find(':');
    if (equals == std::string::npos || colon == std::string::npos || colon > equals)
        refuse(option, "no input, size and name");
    Place place;
    std::string_view input = std::string_view(option).substr(0, colon);
    if (const auto dot = input.find('.'); dot != std::string_view::npos) {
        place.tensor = number(input.substr(dot + 1), option);
        input = input.substr(0, dot);
    }
    const auto named = std::ranges::find(names, input);
    place.argument = named != names.end()       ? static_cast<std::size_t>(named - names.begin())
                     : input.starts_with("arg") ? number(input.substr(3), option)
                                                : names.size();
    if (place.argument >= names.size()) refuse(option, concat("there is no input '", input, "'"));
    place.dim = number(std::string_view(option).substr(colon + 1, equals - colon - 1), option);
    const auto size = parse_symbol_expression(std::string_view(option).substr(equals + 1));
    if (!size || size->kind == Kind::Number) refuse(option, concat("'", option.substr(equals + 1), "' names no size"));
    place.size = *size;
    return place;
}

// "batch=2..64", "batch=2.."
std::pair<std::string, SymbolRange> parse_range(const std::string& text) {
    const auto equals = text.find('=');
    const auto dots = text.find("..");
    if (equals == std::string::npos || dots == std::string::npos || dots < equals) refuse(text, "no name and range");
    SymbolRange range;
    const std::string_view least = std::string_view(text).substr(equals + 1, dots - equals - 1);
    const std::string_view most = std::string_view(text).substr(dots + 2);
    if (!least.empty()) range.least = static_cast<std::int64_t>(number(least, text));
    if (!most.empty()) range.most = static_cast<std::int64_t>(number(most, text));
    return {text.substr(0, equals), range};
}

void collect_tensors(const IValue& value, std::vector<Tensor>& out) {
    visit_tensors(value, [&](const Tensor& tensor) { out.push_back(tensor); });
}

// s0, s1, ...: PyTorch takes what a name begins with for its kind.
void rename(SymbolExpression& expression, std::map<std::string, std::string>& names) {
    if (expression.kind == Kind::Symbol) {
        std::string& name = names[expression.name];
        if (name.empty()) name = concat("s", names.size() - 1);
        expression.name = name;
    }
    for (SymbolExpression& part : expression.parts) rename(part, names);
}

std::vector<SymbolExpression> fixed(const Tensor& tensor) {
    std::vector<SymbolExpression> out;
    for (const std::int64_t size : tensor.sizes()) out.push_back({Kind::Number, size});
    return out;
}

bool is_fixed(const std::vector<SymbolExpression>& sizes) {
    return std::ranges::all_of(sizes, [](const auto& each) { return each.kind == Kind::Number; });
}

}  // namespace

const std::vector<SymbolExpression>* DynamicSizes::sizes_of(std::size_t argument, std::size_t tensor) const {
    const auto found = sizes.find({argument, tensor});
    return found == sizes.end() ? nullptr : &found->second;
}

const SymbolExpression* DynamicSizes::value_of(std::size_t argument) const {
    const auto found = values.find(argument);
    return found == values.end() ? nullptr : &found->second;
}

DynamicSizes read_dynamic_sizes(const WriteRequest& request, const std::vector<std::string>& argument_names,
                                const ProgramParts* parts) {
    DynamicSizes out;
    std::map<std::string, std::string> names;
    std::vector<InputRule> rules;
    std::vector<IValue> examples;
    if (parts != nullptr) {
        for (std::size_t i = 0; i < parts->rules.size() && i < request.examples.size(); ++i) {
            const InputRule& rule = parts->rules[i];
            if (rule.sizes && !is_fixed(*rule.sizes)) out.sizes[{i, 0}] = *rule.sizes;
            if (rule.value && rule.value->kind != Kind::Number) out.values[i] = *rule.value;
        }
        rules = parts->rules;
        examples = request.examples;
    }
    std::map<std::string, SymbolRange> given;  // by the user's name
    for (const auto& [option, text] : request.options) {
        if (option == "range") {
            const auto [name, range] = parse_range(text);
            given[name] = range;
            continue;
        }
        if (option != "dynamic") throw Error(ErrorKind::Usage, concat("a .pt2 file has no option --", option));
        Place place = parse(text, argument_names);
        rename(place.size, names);
        std::vector<Tensor> tensors;
        if (place.argument < request.examples.size()) collect_tensors(request.examples[place.argument], tensors);
        if (place.tensor >= tensors.size() || place.dim >= tensors[place.tensor].sizes().size())
            refuse(text, "there is no such size");
        auto& sizes = out.sizes[{place.argument, place.tensor}];
        if (sizes.empty()) sizes = fixed(tensors[place.tensor]);
        sizes[place.dim] = place.size;
        InputRule rule{text};
        rule.sizes = sizes;
        rules.push_back(std::move(rule));
        examples.emplace_back(tensors[place.tensor]);
    }
    for (const auto& [name, value] : symbols_of_inputs(rules, examples)) {
        out.hints[name] = value;
        out.ranges[name] = {2, std::nullopt};
        for (const auto& [user, own] : names) {
            if (own == name && given.contains(user)) out.ranges[name] = given[user];
        }
        if (parts == nullptr) continue;
        if (const auto found = parts->ranges.find(name); found != parts->ranges.end()) out.ranges[name] = found->second;
    }
    return out;
}

}  // namespace loupe::exported
