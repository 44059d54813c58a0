// SPDX-License-Identifier: Apache-2.0
#include "core/session/watch.h"

#include <algorithm>
#include <optional>

#include "core/base/strings.h"
#include "core/session/run_control.h"

namespace loupe::session {
namespace {

struct Query {
    std::string subject;
    bool is_input = false;
    bool is_output = false;
    bool is_gradient = false;
    std::size_t index = 0;
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
    for (const char* field :
         {"absmax", "absmean", "mean", "min", "max", "std", "var", "norm", "nan", "inf", "zero", "count", "bytes"}) {
        if (take_suffix(text, field)) {
            query.field = field;
            break;
        }
    }
    if (text.ends_with(']')) {
        if (const auto open = text.rfind('['); open != std::string::npos) {
            query.index = static_cast<std::size_t>(std::strtoull(text.c_str() + open + 1, nullptr, 10));
            text.resize(open);
        }
    }
    if (take_suffix(text, "grad")) query.is_gradient = true;
    if (take_suffix(text, "out"))
        query.is_output = true;
    else if (take_suffix(text, "in"))
        query.is_input = true;
    query.subject = std::move(text);
    return query;
}

bool is_inside(std::string_view scope, std::string_view module) {
    return scope == module ||
           (scope.starts_with(module) && scope.size() > module.size() && scope[module.size()] == '.');
}

// The last value of that name that was there at the event.
std::optional<ValueId> find_named(const Recording& recording, const Query& query, EventId at) {
    const std::string name = query.is_gradient ? concat("grad of ", query.subject) : query.subject;
    for (ValueId id = static_cast<ValueId>(recording.value_count()); id > 0; --id) {
        const Value& value = recording.value(id);
        if (value.producer <= at && value.name == name) return id;
    }
    return std::nullopt;
}

std::optional<ValueId> find_of_module(const Recording& recording, const Query& query, EventId at) {
    const RunPhase phase = query.is_gradient ? RunPhase::Backward : RunPhase::Forward;
    std::optional<ValueId> first;
    for (EventId id = at; id > 0; --id) {
        const Event& event = recording.event(id);
        if (event.phase != phase || !is_inside(event.scope, query.subject)) {
            if (first) break;  // before the module's last call began
            continue;
        }
        // The gradient of a module's output comes in with its first backward event; its input with its first event.
        const bool wants_first = query.is_input != query.is_gradient;
        const auto& values = query.is_input || query.is_gradient ? event.inputs : event.outputs;
        if (query.index < values.size()) first = values[query.index];
        if (!wants_first && first) break;
    }
    return first;
}

}  // namespace

std::string evaluate_watch(const Recording& recording, const std::string& expression, EventId at) {
    const Query query = parse_query(expression);
    if (at == 0 || at > recording.event_count()) at = static_cast<EventId>(recording.event_count());
    std::optional<ValueId> id;
    if (!query.is_input && !query.is_output) id = find_named(recording, query, at);
    if (!id) id = find_of_module(recording, query, at);
    if (!id) return concat("nothing is known of '", query.subject, "' at event ", at);
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
    if (model == nullptr || query.subject.empty() || query.subject.starts_with('%')) return {};
    const std::string& name = query.subject;
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
    const bool is_value = query.is_input || query.is_output || query.is_gradient || is_parameter(model, before);
    if (model.find_module(before) >= 0) {
        words.push_back({concat(before, ".out"), "what it gives"});
        words.push_back({concat(before, ".in"), "what it takes"});
    }
    if ((model.find_module(before) >= 0 || is_parameter(model, before)) && !query.is_gradient)
        words.push_back({concat(before, ".grad"), "its gradient"});
    if (!is_value || !query.field.empty()) return words;
    for (const ConditionWord& word : condition_words()) {
        if (word.text.find(' ') == std::string::npos && !word.meaning.empty())
            words.push_back({concat(before, ".", word.text), word.meaning});
    }
    return words;
}

}  // namespace loupe::session
