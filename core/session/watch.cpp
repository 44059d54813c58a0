// SPDX-License-Identifier: Apache-2.0
#include "core/session/watch.h"

#include <algorithm>
#include <optional>

#include "core/base/strings.h"
#include "core/session/run_control.h"
#include "core/study/named_value.h"

namespace loupe::session {
namespace {

struct Query {
    NamedValue named;
    std::string field;
};

// Takes ".word" off the end of text when it is there.
bool take_suffix(std::string& text, std::string_view word) {
    if (text.size() <= word.size() || !std::string_view(text).ends_with(word)) return false;
    if (text[text.size() - word.size() - 1] != '.') return false;
    text.resize(text.size() - word.size() - 1);
    return true;
}

Query parse_query(std::string text) {
    Query query;
    std::size_t index = 0;
    for (const char* field :
         {"absmax", "absmean", "mean", "min", "max", "std", "var", "norm", "nan", "inf", "zero", "count", "bytes"}) {
        if (take_suffix(text, field)) {
            query.field = field;
            break;
        }
    }
    if (text.ends_with(']')) {
        if (const auto open = text.rfind('['); open != std::string::npos) {
            index = static_cast<std::size_t>(std::strtoull(text.c_str() + open + 1, nullptr, 10));
            text.resize(open);
        }
    }
    query.named = parse_named_value(std::move(text));
    query.named.index = index;
    return query;
}

}  // namespace

std::string evaluate_watch(const Recording& recording, const std::string& expression, EventId at) {
    const Query query = parse_query(expression);
    if (at == 0 || at > recording.event_count()) at = static_cast<EventId>(recording.event_count());
    const std::optional<ValueId> id = find_value(recording, query.named, at);
    if (!id) return concat("nothing is known of '", query.named.subject, "' at event ", at);
    const Value& value = recording.value(*id);
    if (query.field.empty()) return concat(value.dtype, " ", shape_text(value.shape));
    if (query.field != "bytes" && !value.statistics) return "no statistics were recorded";
    const auto number = value_field(value, query.field);
    const bool is_count = query.field == "bytes" || query.field == "count" || query.field == "nan" ||
                          query.field == "inf" || query.field == "zero";
    const std::string share = is_count ? std::string() : finite_share_text(*value.statistics);
    if (!number) return share;
    return share.empty() ? concat(*number) : concat(*number, ", ", share);
}

namespace {

constexpr const char* kFieldNames = "absmax, absmean, mean, min, max, std, var, norm, nan, inf, zero, count, bytes";

bool is_parameter(const ModelInfo& model, std::string_view name) {
    const auto is_named = [name](const TensorInfo& tensor) { return tensor.name == name; };
    return std::any_of(model.modules.begin(), model.modules.end(), [&](const ModuleInfo& module) {
        return std::any_of(module.parameters.begin(), module.parameters.end(), is_named) ||
               std::any_of(module.buffers.begin(), module.buffers.end(), is_named);
    });
}

bool is_recorded(const Recording* recording, std::string_view name) {
    if (recording == nullptr) return false;
    for (ValueId id = 1; id <= recording->value_count(); ++id) {
        if (recording->value(id).name == name) return true;
    }
    return false;
}

bool is_argument(const ModelInfo& model, std::string_view name) {
    return std::any_of(model.methods.begin(), model.methods.end(), [name](const MethodInfo& method) {
        return std::any_of(method.arguments.begin(), method.arguments.end(),
                           [name](const MethodInfo::Argument& argument) { return argument.name == name; });
    });
}

}  // namespace

ConditionProblem check_watch(const std::string& expression, const ModelInfo* model, const Recording* recording) {
    if (const auto open = expression.find('['); open != std::string::npos) {
        const auto close = expression.find(']', open);
        if (close == std::string::npos) return {"']' is missing", open, expression.size()};
        const std::string_view index = std::string_view(expression).substr(open + 1, close - open - 1);
        const bool is_number =
            !index.empty() && std::all_of(index.begin(), index.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (!is_number || index.size() > 6) return {"an output is chosen by its number: out[1]", open, close + 1};
    }
    if (const auto space = expression.find_first_of(" <>=!"); space != std::string::npos) {
        return {"a watch shows a value; conditions are for breakpoints. Write VALUE.STATISTIC, as in conv1.out.absmax",
                space, expression.size()};
    }
    const Query query = parse_query(expression);
    if (model == nullptr || query.named.subject.empty() || query.named.subject.starts_with('%')) return {};
    const std::string& name = query.named.subject;
    if (name == "out" || name == "in" || name == "grad" || model->find_module(name) >= 0 ||
        is_parameter(*model, name) || is_recorded(recording, name) || is_argument(*model, name))
        return {};
    // The longest beginning that is known says which part is not.
    std::size_t known = 0;
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
        const std::string_view begun = std::string_view(name).substr(0, dot);
        if (model->find_module(std::string(begun)) >= 0 || is_parameter(*model, begun)) known = dot + 1;
    }
    const std::string unknown = name.substr(known);
    if (known == 0)
        return {concat("nothing is called '", unknown,
                       "' here: write a module, a parameter or a value's name, as in conv1.out.absmax"),
                0, name.size()};
    return {concat(name.substr(0, known - 1), " has no '", unknown,
                   "'; there are out, in, grad, its modules and parameters, and ", kFieldNames),
            known, name.size()};
}

std::vector<WatchWord> watch_words(const ModelInfo& model, const std::string& typed) {
    std::vector<WatchWord> words;
    for (const ModuleInfo& module : model.modules) {
        if (!module.path.empty()) words.push_back({module.path, module.class_name});
        for (const auto& parameter : module.parameters) words.push_back({parameter.name, "parameter"});
    }
    const auto dot = typed.rfind('.');
    if (dot == std::string::npos) return words;
    const std::string before = typed.substr(0, dot);
    const Query query = parse_query(before);
    const bool is_value =
        query.named.is_input || query.named.is_output || query.named.is_gradient || is_parameter(model, before);
    if (model.find_module(before) >= 0) {
        words.push_back({concat(before, ".out"), "what it gives"});
        words.push_back({concat(before, ".in"), "what it takes"});
    }
    if ((model.find_module(before) >= 0 || is_parameter(model, before)) && !query.named.is_gradient)
        words.push_back({concat(before, ".grad"), "its gradient"});
    if (!is_value || !query.field.empty()) return words;
    for (const ConditionWord& word : condition_words()) {
        if (word.text.find(' ') == std::string::npos && !word.meaning.empty())
            words.push_back({concat(before, ".", word.text), word.meaning});
    }
    return words;
}

}  // namespace loupe::session
