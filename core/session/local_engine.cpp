// SPDX-License-Identifier: Apache-2.0
#include "core/session/local_engine.h"

#include <utility>

#include "core/session/query_context.h"

namespace loupe::session {

void LocalEngine::perform(const VerbRecord& verb, std::shared_ptr<const void> value, VerbDone done) {
    verb.perform(value.get(), engine_, std::move(done));
}

void LocalEngine::ask(const std::string& tag, const QueryRecord& record, std::shared_ptr<const void> query,
                      std::function<void(QueryValue)> reply, std::function<void(QueryValue)> progress) {
    engine_.request(
        tag, [this, &record, query = std::move(query), reply = std::move(reply), progress = std::move(progress)] {
            QueryContext context(engine_);
            reply(context.answer(record, query.get(), progress));
        });
}

}  // namespace loupe::session
