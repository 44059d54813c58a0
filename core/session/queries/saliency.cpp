// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/saliency.h"

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

Saliency answer(const SaliencyQuery& query, QueryContext& context) {
    const std::shared_ptr<Program> program = context.model_or_recorded();
    const std::string method = program->default_method();
    std::vector<InputSpec> inputs;
    try {
        inputs = context.text_model()->specs_of_ids(query.ids);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        inputs = inputs_with(context.inputs(), query.ids);
    }
    return token_saliency(program, method, program->make_arguments(inputs, method), query.ids, query.position,
                          query.token);
}

}  // namespace

const QueryRecord& SaliencyQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<SaliencyQuery, answer>({.name = "saliency", .not_while = NotWhile::ParkedOrRunning});
    return kRecord;
}

}  // namespace loupe::session
