// SPDX-License-Identifier: Apache-2.0
#pragma once
// A question to the engine is a value that knows the type of its answer:
//
//     struct PassTraceQuery {
//         using Answer = PassTrace;
//         static const QueryRecord& record();
//
//         std::string pipeline = {};
//         std::string method = {};
//     };
//     auto fields(Like<PassTraceQuery> auto& it) { return std::tie(it.pipeline, it.method); }
//
// Session::ask() puts it. Its record says when it is answered and by what; see queries/list.h.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/fields.h"

namespace loupe {
class Error;
}

namespace loupe::session {

class QueryContext;

// When a query is refused: "a run is under way; stop it first".
enum class NotWhile { Never, Parked, ParkedOrTraining, ParkedOrRunning };

// A query, an answer or a piece of progress, whose type the record knows.
using QueryValue = std::shared_ptr<void>;

// How one of them is written to bytes and read back (see wire/wire.h). Reading throws Error (File).
struct QueryWire {
    std::string (*write)(const void* value) = nullptr;
    QueryValue (*read)(std::string_view bytes) = nullptr;
};

// What there is to know of a query but its types; query_record.h makes it of them.
struct QueryRecord {
    std::string_view name;     // "pass trace"
    bool needs_model = false;  // else: "no model is open"
    NotWhile not_while = NotWhile::Never;
    QueryValue (*answer)(const void* query, QueryContext& context,
                         const std::function<void(QueryValue)>& progress) = nullptr;
    // The answer that carries an error; null: none does, the log has it.
    QueryValue (*refuse)(const void* query, const Error& error) = nullptr;
    // The file that it writes; an empty path: this time none. Null: it never does.
    const std::filesystem::path& (*written)(const void* query) = nullptr;
    // The same without an engine, for what only its user may do; null: it needs one.
    QueryValue (*answer_apart)(const void* query) = nullptr;
    QueryWire query_wire;
    QueryWire answer_wire;
    QueryWire progress_wire;  // null: it reports none
};

// Of queries that tell nothing before their answer.
struct NoProgress {};

template <typename Query>
struct ProgressType {
    using Type = NoProgress;
};
template <typename Query>
requires requires { typename Query::Progress; }
struct ProgressType<Query> {
    using Type = typename Query::Progress;
};
template <typename Query>
using ProgressOf = typename ProgressType<Query>::Type;

}  // namespace loupe::session
