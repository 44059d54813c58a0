// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/tokenize.h"

#include "core/base/strings.h"
#include "core/model/generate.h"
#include "core/model/token_names.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

TokenizedText tokenize_answer(const TokenizeQuery& query, QueryContext& context) {
    const auto model = context.text_model();
    TokenizedText out;
    const TokenNames names(model);
    if (query.ids.empty()) {
        const text::Encoding tokens = model->encode(query.text);
        for (const text::EncodedToken& token : tokens) {
            out.tokens.push_back(names(token.id));
            out.tokens.back().is_added = token.is_added;
        }
        out.inputs = model->input_specs(tokens, context.inputs());
    } else {
        for (const std::int64_t id : query.ids)
            if (id < 0 || (model->vocabulary_size() > 0 && id >= model->vocabulary_size()))
                throw Error(ErrorKind::Usage, concat("no token ", id, ": vocab_size is ", model->vocabulary_size()));
        out.tokens = names(query.ids);
        out.inputs = model->specs_of_ids(query.ids, context.inputs());
    }
    out.vocabulary = model->vocabulary_size();
    out.most_tokens = model->most_tokens();
    out.can_generate = model->can_generate();
    out.sampling = generate_options(*model).sampling;
    return out;
}

}  // namespace

const QueryRecord& TokenizeQuery::record() {
    static constexpr QueryRecord kRecord = query_record<TokenizeQuery, tokenize_answer>({.name = "tokenize"});
    return kRecord;
}

}  // namespace loupe::session
