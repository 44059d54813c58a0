// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_tokens.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/record/recording_file.h"
#include "core/tensor/element_walk.h"

namespace loupe::session {
namespace {

std::shared_ptr<const ModelInfo> model_of(const QueryContext& context) {
    if (context.program() != nullptr) return context.program()->info();
    return context.recording_file() != nullptr ? context.recording_file()->model() : nullptr;
}

std::vector<std::string> arguments_of(const ModelInfo& model, const std::string& method) {
    std::vector<std::string> out;
    for (const MethodInfo& each : model.methods) {
        if (each.name != method && model.methods.size() > 1) continue;
        for (const MethodInfo::Argument& argument : each.arguments) out.push_back(argument.name);
    }
    return out;
}

std::vector<std::int64_t> elements_of(const QueryContext& context, ValueId id) {
    std::vector<std::int64_t> out;
    const Tensor t = context.elements(id);
    if (!t.defined()) return out;
    Tensor row = t;
    while (row.dim() > 1) row = fn::select(row, 0, 0);
    row = fn::to_dtype(row, static_cast<std::int64_t>(ScalarType::Int64));
    walk_elements<std::int64_t>(row, true, [&](const std::int64_t* elements, std::int64_t n) {
        out.insert(out.end(), elements, elements + n);
    });
    return out;
}

// Rows of the table that the tokens are looked up in.
std::int64_t table_rows(const Recording& recording, ValueId ids) {
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (!event.op.ends_with("embedding") || event.inputs.size() < 2 || event.inputs[1] != ids) continue;
        const Shape& table = recording.value(event.inputs[0]).shape;
        return table.empty() ? 0 : table.front();
    }
    return 0;
}

ValueId logits_of(const Recording& recording, const TokenAxes& axes, std::int64_t vocabulary) {
    for (auto id = static_cast<EventId>(recording.event_count()); id > 0; --id) {
        const Event& event = recording.event(id);
        const bool is_of_loss = event.scope == "loss" || event.scope.starts_with("loss.");
        if (event.phase != RunPhase::Forward || is_of_loss) continue;
        for (const ValueId output : event.outputs) {
            const auto& own = axes.of(output);
            const Shape& shape = recording.value(output).shape;
            const bool is_scores = shape.size() >= 2 && own.size() == shape.size() && shape.back() == vocabulary &&
                                   own[shape.size() - 2].sequence >= 0 && own.back().sequence < 0;
            if (is_scores && recording.value(output).dtype.find("float") != std::string_view::npos) return output;
        }
    }
    return 0;
}

// Values of token ids, in the order of their first reading. Of a decoder that was given the cache of an earlier run,
// what its encoder read then stands before.
std::vector<ValueId> values_of_tokens(const Recording& recording, const std::vector<std::string>& arguments) {
    std::vector<ValueId> out = token_inputs(recording, arguments);
    if (out.empty() || recording.value(out.front()).name != "decoder_input_ids") return out;
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        const Value& value = recording.value(id);
        if (value.producer != 0 || value.name != "input_ids" || value.shape.size() != 2) continue;
        out.insert(out.begin(), id);
        break;
    }
    return out;
}

// The sequence of this argument, else the first.
int number_of(const std::vector<TokenSequence>& sequences, std::string_view argument) {
    const auto found = std::ranges::find(sequences, argument, &TokenSequence::argument);
    return found != sequences.end() ? static_cast<int>(found - sequences.begin()) : 0;
}

// Of a key or value of a cache, "past_key_values[0][2]", the sequence that its places are of; -1: of none.
int number_of_cached(const Value& value, const std::vector<TokenSequence>& sequences) {
    if (!value.name.starts_with("past_key_values[") || value.shape.size() != 4) return -1;
    const bool is_encoded = value.name.ends_with("[2]") || value.name.ends_with("[3]");
    const int number = number_of(sequences, is_encoded ? "input_ids" : "decoder_input_ids");
    const TokenSequence& sequence = sequences[static_cast<std::size_t>(number)];
    // What is heard has no tokens.
    if (is_encoded && sequence.argument != "input_ids") return -1;
    return value.shape[2] == (is_encoded ? std::ssize(sequence.ids) : sequence.held) ? number : -1;
}

}  // namespace

RunTokens tokens_of_run(const QueryContext& context) {
    const auto recording = context.recording();
    const auto model = model_of(context);
    if (recording == nullptr || model == nullptr)
        throw Error(ErrorKind::Usage, "nothing was recorded", {.hint = "run the model first"});
    const auto inputs = values_of_tokens(*recording, arguments_of(*model, context.ran().method));
    std::vector<TokenSequence> sequences;
    for (const ValueId id : inputs) sequences.push_back({recording->value(id).name, elements_of(context, id), 0});
    std::map<ValueId, TokenAxes::Axes> starts;
    std::int64_t vocabulary = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const int number = static_cast<int>(i);
        TokenSequence& sequence = sequences[i];
        if (number == number_of(sequences, "decoder_input_ids")) {
            const auto& held = context.held_ids();
            sequence.ids.insert(sequence.ids.begin(), held.begin(), held.end());
            sequence.held = std::ssize(held);
        }
        if (vocabulary == 0) vocabulary = table_rows(*recording, inputs[i]);
        starts[inputs[i]] = TokenAxes::Axes(recording->value(inputs[i]).shape.size());
        starts[inputs[i]].back() = {number, sequence.held, 0};
    }
    const int number_of_text = number_of(sequences, "input_ids");
    // What stands beside them: masks and the cache.
    for (ValueId id = 1; !sequences.empty() && id <= recording->value_count(); ++id) {
        const Value& value = recording->value(id);
        if (value.producer != 0 || starts.contains(id)) continue;
        const auto& text = sequences[static_cast<std::size_t>(number_of_text)];
        const std::int64_t count = std::ssize(text.ids), held = text.held;
        if (value.name == "attention_mask" && value.shape.size() == 2 && value.shape.back() == count)
            starts[id] = {{}, {number_of_text, 0, 0}};
        else if ((value.name == "token_type_ids" || value.name == "position_ids") && value.shape.size() == 2 &&
                 value.shape.back() == count - held)
            starts[id] = {{}, {number_of_text, held, 0}};
        else if (const int number = number_of_cached(value, sequences); number >= 0)
            starts[id] = {{}, {}, {number, 0, 0}, {}};
    }
    std::shared_ptr<const TextModel> text;
    try {
        if (!sequences.empty()) text = context.text_model();
        if (text != nullptr && text->vocabulary_size() > 0) vocabulary = text->vocabulary_size();
    } catch (const Error&) {
        text = nullptr;  // ids have no names
    }
    TokenAxes axes(*recording, std::move(starts));
    const ValueId logits = logits_of(*recording, axes, vocabulary);
    return {recording, std::move(sequences), std::move(axes), TokenNames(text, vocabulary), logits};
}

std::vector<TokenInfo> tokens_along(const RunTokens& run, const TokenAxis& axis, std::int64_t places) {
    std::vector<TokenInfo> out;
    if (axis.sequence < 0 || axis.sequence >= static_cast<int>(run.sequences.size())) return out;
    const auto& ids = run.sequences[static_cast<std::size_t>(axis.sequence)].ids;
    out.resize(static_cast<std::size_t>(std::max<std::int64_t>(places, 0)));
    for (std::int64_t i = 0; i < places; ++i) {
        const std::int64_t at = axis.token_at(i);
        if (at >= 0 && at < std::ssize(ids))
            out[static_cast<std::size_t>(i)] = run.names(ids[static_cast<std::size_t>(at)]);
    }
    return out;
}

}  // namespace loupe::session
