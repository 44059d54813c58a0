// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes the record of a query of its types and of the functions that answer it. For the .cpp files of queries.

#include <string>
#include <type_traits>
#include <utility>

#include "core/base/error.h"
#include "core/session/check_answer.h"
#include "core/session/query.h"
#include "core/session/query_context.h"
#include "core/session/wire/wire.h"

namespace loupe::session {

// What a query says of itself.
struct QueryTerms {
    std::string_view name;
    bool needs_model = false;
    NotWhile not_while = NotWhile::Never;
};

// How an error is reported where a query says nothing else: as the text that the answer is, or as its `error`.
template <typename Query>
void carry_error(const Query&, const Error& error, std::string& answer) {
    answer = error.what();
}
template <typename Query, typename Answer>
requires requires(Answer& answer) { answer.error = std::string(); }
void carry_error(const Query&, const Error& error, Answer& answer) { answer.error = error.what(); }

template <typename T>
constexpr QueryWire query_wire() {
    return {[](const void* value) { return to_bytes(*static_cast<const T*>(value)); },
            [](std::string_view bytes) -> QueryValue { return std::make_shared<T>(from_bytes<T>(bytes)); }};
}

// An answer of another process is checked beyond its types.
template <typename Answer>
constexpr QueryWire answer_wire() {
    QueryWire wire = query_wire<Answer>();
    if constexpr (requires(const Answer& answer) { check_answer(answer); }) {
        wire.read = [](std::string_view bytes) -> QueryValue {
            auto answer = std::make_shared<Answer>(from_bytes<Answer>(bytes));
            check_answer(*answer);
            return answer;
        };
    }
    return wire;
}

// kAnswer: Answer(const Query&, QueryContext&), with a const std::function<void(Progress)>& behind for a query that has
// progress to tell; Answer(const Query&) for one that needs no engine. A query that writes a file names its field:
// static constexpr auto kWritten = &Query::file. kCarry: void(const Query&, const Error&, Answer&), for an answer that
// says more than the error.
template <typename Query, auto kAnswer, auto kCarry = nullptr>
constexpr QueryRecord query_record(const QueryTerms& terms) {
    using Answer = typename Query::Answer;
    constexpr bool kHasCarry = !std::is_null_pointer_v<decltype(kCarry)>;
    QueryRecord record;
    record.name = terms.name;
    record.needs_model = terms.needs_model;
    record.not_while = terms.not_while;
    record.query_wire = query_wire<Query>();
    record.answer_wire = answer_wire<Answer>();
    if constexpr (requires { typename Query::Progress; }) record.progress_wire = query_wire<typename Query::Progress>();
    record.answer = [](const void* query, QueryContext& context,
                       [[maybe_unused]] const std::function<void(QueryValue)>& progress) -> QueryValue {
        const Query& asked = *static_cast<const Query*>(query);
        if constexpr (requires { kAnswer(asked); }) {
            return std::make_shared<Answer>(kAnswer(asked));
        } else if constexpr (requires { typename Query::Progress; }) {
            using Progress = typename Query::Progress;
            std::function<void(Progress)> tell;
            if (progress) tell = [&](Progress step) { progress(std::make_shared<Progress>(std::move(step))); };
            return std::make_shared<Answer>(kAnswer(asked, context, tell));
        } else {
            return std::make_shared<Answer>(kAnswer(asked, context));
        }
    };
    if constexpr (requires(const Query& query) { kAnswer(query); })
        record.answer_apart = [](const void* query) -> QueryValue {
            return std::make_shared<Answer>(kAnswer(*static_cast<const Query*>(query)));
        };
    if constexpr (requires { Query::kWritten; }) {
        record.written = [](const void* query) -> const std::filesystem::path& {
            return static_cast<const Query*>(query)->*Query::kWritten;
        };
    }
    if constexpr (kHasCarry || requires(const Query& query, const Error& error, Answer& answer) {
                      carry_error(query, error, answer);
                  }) {
        record.refuse = [](const void* query, const Error& error) -> QueryValue {
            const Query& asked = *static_cast<const Query*>(query);
            const auto answer = std::make_shared<Answer>();
            if constexpr (kHasCarry)
                kCarry(asked, error, *answer);
            else
                carry_error(asked, error, *answer);
            return answer;
        };
    }
    return record;
}

}  // namespace loupe::session
