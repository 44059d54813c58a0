// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/saliency.h"

#include <optional>

#include "core/base/strings.h"
#include "core/model/program.h"
#include "core/model/text_model.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

// The inputs as they are, with these ids in place of the only tensor of integers, where the model has no tokenizer.
std::vector<InputSpec> inputs_with(std::vector<InputSpec> inputs, const std::vector<std::int64_t>& ids) {
    for (InputSpec& input : inputs) {
        const bool is_row = !input.elements.size() && (input.dtype == "int64" || input.dtype == "int32") &&
                            !input.shape.empty() && input.shape.size() <= 2;
        if (!is_row) continue;
        input.shape = input.shape.size() == 2 ? Shape{1, std::ssize(ids)} : Shape{std::ssize(ids)};
        input.source = InputSpec::Source::Normal;
        input.literal = concat("[", join(ids, ", "), "]");
        break;
    }
    return inputs;
}

// Where the decoder's tokens stand among the arguments; nothing of models without one, or without a tokenizer.
std::optional<std::size_t> decoder_place(QueryContext& context) {
    try {
        const auto model = context.text_model();
        return model->hears() ? std::nullopt : model->place_of("decoder_input_ids");
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return std::nullopt;
    }
}

Saliency saliency_answer(const SaliencyQuery& query, QueryContext& context) {
    const std::shared_ptr<Program> program = context.model_or_recorded();
    const std::string method = program->default_method();
    std::vector<InputSpec> inputs;
    try {
        inputs = context.text_model()->specs_of_ids(query.ids, context.inputs());
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        inputs = inputs_with(context.inputs(), query.ids);
    }
    std::vector<IValue> arguments = program->make_arguments(inputs, method);
    std::vector<std::int64_t> decoder_ids = query.decoder_ids;
    if (const auto place = decoder_place(context); place && *place < arguments.size()) {
        if (decoder_ids.empty()) decoder_ids.push_back(context.text_model()->decoder_start());
        arguments[*place] = IValue(row_of_ids(decoder_ids, program->device()));
    }
    return token_saliency(program, method, std::move(arguments), query.ids, decoder_ids, query.position, query.token);
}

}  // namespace

const QueryRecord& SaliencyQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<SaliencyQuery, saliency_answer>({.name = "saliency", .not_while = NotWhile::ParkedOrRunning});
    return kRecord;
}

}  // namespace loupe::session
