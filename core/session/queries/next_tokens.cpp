// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/next_tokens.h"

#include <algorithm>

#include "core/base/cancel.h"
#include "core/base/parallel.h"
#include "core/dispatch/functions.h"
#include "core/model/next_token.h"
#include "core/session/query_record.h"
#include "core/session/run_tokens.h"

namespace loupe::session {
namespace {

constexpr std::int64_t kMostPlaces = 4096;
constexpr int kMostChoices = 1000;

// [count, vocabulary] of float32 on the host: a view where the logits are that already.
Tensor rows_of(const Tensor& logits, std::int64_t first, std::int64_t count) {
    Tensor rows = logits;
    while (rows.dim() > 2) rows = fn::select(rows, 0, 0);
    rows = fn::to_dtype(fn::narrow(rows, 0, first, count), static_cast<std::int64_t>(ScalarType::Float32));
    if (rows.device() != Device()) rows = fn::to_copy(rows, IValue(), IValue(), Device(), IValue(), false, IValue());
    return fn::contiguous(rows, 0);
}

NextTokens next_tokens_answer(const NextTokensQuery& query, QueryContext& context) {
    const RunTokens run = tokens_of_run(context);
    if (run.logits == 0) throw Error(ErrorKind::Usage, "the run gives no scores of tokens");
    NextTokens out;
    out.logits = run.logits;
    const Shape& shape = run.recording->value(run.logits).shape;
    const TokenAxis axis = run.axes.of(run.logits)[shape.size() - 2];
    out.vocabulary = shape.back();
    out.places = shape[shape.size() - 2];
    out.first_place = axis.first;
    const std::int64_t first =
        std::clamp<std::int64_t>(query.first < 0 ? query.first + out.places : query.first, 0, out.places);
    const std::int64_t count = std::clamp<std::int64_t>(query.count, 0, std::min(kMostPlaces, out.places - first));
    if (count == 0) return out;
    const Tensor logits = context.elements(run.logits);
    if (!logits.defined())
        throw Error(ErrorKind::Usage, "the logits were not kept", {.hint = "run again with values recorded"});
    const Tensor rows = rows_of(logits, first, count);
    const auto& ids = run.sequences[static_cast<std::size_t>(axis.sequence)].ids;
    const bool fills_gaps = run.names.model() != nullptr && run.names.model()->fills_gaps();
    const auto id_at = [&](std::int64_t place) {
        return place >= 0 && place < std::ssize(ids) ? ids[static_cast<std::size_t>(place)] : -1;
    };
    const auto top = static_cast<std::size_t>(std::clamp(query.top, 0, kMostChoices));
    std::vector<TokenOdds> odds(static_cast<std::size_t>(count));
    parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::span<const float> row(rows.data<float>() + i * out.vocabulary,
                                             static_cast<std::size_t>(out.vocabulary));
            odds[static_cast<std::size_t>(i)] =
                odds_of(row, top, id_at(axis.token_at(first + i) + (fills_gaps ? 0 : 1)));
        }
    });
    check_cancelled();
    for (std::int64_t i = 0; i < count; ++i) {
        const TokenOdds& own = odds[static_cast<std::size_t>(i)];
        PlaceOdds& place = out.odds.emplace_back();
        place.place = axis.token_at(first + i);
        place.entropy = own.entropy;
        if (const std::int64_t id = id_at(place.place); id >= 0) place.token = run.names(id);
        for (const LikelyToken& each : own.top)
            place.top.push_back({run.names(each.id), static_cast<double>(each.probability)});
        place.has_actual = own.rank > 0;
        if (!place.has_actual) continue;
        place.actual = run.names(id_at(place.place + (fills_gaps ? 0 : 1)));
        place.rank = own.rank;
        place.probability = own.probability;
        place.log_probability = own.log_probability;
    }
    return out;
}

}  // namespace

const QueryRecord& NextTokensQuery::record() {
    static constexpr QueryRecord kRecord = query_record<NextTokensQuery, next_tokens_answer>({.name = "next tokens"});
    return kRecord;
}

}  // namespace loupe::session
