// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Answers of an engine far away about a run that is over: they cannot change, and are asked for once. What is likely to
// be asked next is fetched while nothing else is.

#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/session/queries/tensor.h"
#include "views/common/session_bridge.h"

namespace loupe::views {

// About how many bytes an answer takes.
template <typename Answer>
std::size_t keptBytes(const Answer&) {
    return 1000;
}
inline std::size_t keptBytes(const session::TensorSlice& slice) {
    std::size_t bytes = 2000;
    for (const session::TensorTile& tile : slice.data) bytes += 100 + tile.elements.size() * sizeof(double);
    return bytes;
}

// Is the question one about the run, and not about the model as it is now?
template <typename Query>
bool isOfRun(const Query&) {
    return true;
}
inline bool isOfRun(const session::TensorQuery& query) { return query.request.value != 0; }

class KeptAnswers : public QObject {
    Q_OBJECT

  public:
    static constexpr std::size_t kMostBytes = std::size_t{128} << 20;

    // That of the bridge.
    static KeptAnswers& of(SessionBridge& bridge);

    // Null: it is not kept.
    template <typename Query>
    std::shared_ptr<const typename Query::Answer> find(const Query& query) {
        return std::static_pointer_cast<const typename Query::Answer>(found(keyOf(query)));
    }
    // As SessionBridge::ask(). A kept answer is there in this call.
    template <typename Query>
    void ask(const QString& tag, const Query& query, QObject* receiver,
             const std::function<void(const typename Query::Answer&)>& reply) {
        next_.clear();
        if (const auto kept = find(query)) return reply(*kept);
        waiting_.insert(tag);
        askNow<Query>(tag, query, [this, tag, receiver = QPointer<QObject>(receiver), reply](const auto& answer) {
            waiting_.erase(tag);
            if (receiver) reply(answer);
            fetchNext();
        });
    }
    // When nothing that was asked waits for its answer, one after another; forgotten when something is asked. A later
    // question with the tag takes the line from one that is on its way.
    template <typename Query>
    void fetch(const QString& tag, const std::vector<Query>& next) {
        next_.clear();
        if (!keeps()) return;
        for (const Query& query : next) {
            if (find(query)) continue;
            next_.push_back([this, tag, query] { askNow<Query>(tag, query, [this](const auto&) { fetchNext(); }); });
        }
        fetchNext();
    }

  private:
    explicit KeptAnswers(SessionBridge& bridge);

    template <typename Query>
    void askNow(const QString& tag, const Query& query,
                const std::function<void(const typename Query::Answer&)>& reply) {
        bridge_.ask(tag, query, this, [this, reply, key = keyOf(query)](const typename Query::Answer& answer) {
            if (answer.error.empty() && key == keyNow(key))
                put(key, std::make_shared<const typename Query::Answer>(answer), keptBytes(answer));
            reply(answer);
        });
    }
    template <typename Query>
    QByteArray keyOf(const Query& query) const {
        return isOfRun(query) ? keyOf(Query::record(), &query) : QByteArray();
    }
    bool keeps() const;
    QByteArray keyOf(const session::QueryRecord& record, const void* query) const;
    QByteArray keyNow(const QByteArray& key) const;
    std::shared_ptr<const void> found(const QByteArray& key);
    void put(const QByteArray& key, std::shared_ptr<const void> answer, std::size_t bytes);
    void fetchNext();

    struct Kept {
        std::shared_ptr<const void> answer;
        std::size_t bytes = 0;
        std::list<QByteArray>::iterator place;
    };
    SessionBridge& bridge_;
    std::map<QByteArray, Kept> kept_;
    std::list<QByteArray> order_;  // what was used last first
    std::size_t bytes_ = 0;
    std::set<QString> waiting_;
    std::deque<std::function<void()>> next_;
};

}  // namespace loupe::views
