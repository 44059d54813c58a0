// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/kept_answers.h"

#include "core/session/far_place.h"

namespace loupe::views {

KeptAnswers& KeptAnswers::of(SessionBridge& bridge) {
    auto* found = bridge.findChild<KeptAnswers*>(QString(), Qt::FindDirectChildrenOnly);
    return found != nullptr ? *found : *new KeptAnswers(bridge);
}

KeptAnswers::KeptAnswers(SessionBridge& bridge) : QObject(&bridge), bridge_(bridge) {
    connect(&bridge, &SessionBridge::recordingChanged, this, [this] {
        kept_.clear();
        order_.clear();
        bytes_ = 0;
        next_.clear();
        waiting_.clear();
    });
}

bool KeptAnswers::keeps() const {
    const auto& recording = bridge_.recording();
    return session::far_place() != nullptr && recording != nullptr && recording->is_complete();
}

// Empty: the answer may be another one later.
QByteArray KeptAnswers::keyOf(const session::QueryRecord& record, const void* query) const {
    if (!keeps()) return {};
    const std::string bytes = record.query_wire.write(query);
    const auto recording = reinterpret_cast<quintptr>(bridge_.recording().get());
    return QByteArray::number(static_cast<qulonglong>(recording)) + ' ' + QByteArray::fromStdString(bytes) +
           QByteArray(record.name.data(), static_cast<qsizetype>(record.name.size()));
}

// Of what was asked with that key, when the answer comes: another one when another run is shown.
QByteArray KeptAnswers::keyNow(const QByteArray& key) const {
    if (key.isEmpty() || !keeps()) return QByteArrayLiteral("none");
    const auto recording = reinterpret_cast<quintptr>(bridge_.recording().get());
    return QByteArray::number(static_cast<qulonglong>(recording)) + key.mid(key.indexOf(' '));
}

std::shared_ptr<const void> KeptAnswers::found(const QByteArray& key) {
    const auto at = key.isEmpty() ? kept_.end() : kept_.find(key);
    if (at == kept_.end()) return nullptr;
    order_.splice(order_.begin(), order_, at->second.place);
    return at->second.answer;
}

void KeptAnswers::put(const QByteArray& key, std::shared_ptr<const void> answer, std::size_t bytes) {
    if (kept_.contains(key) || bytes > kMostBytes / 4) return;
    order_.push_front(key);
    kept_[key] = {std::move(answer), bytes, order_.begin()};
    bytes_ += bytes;
    while (bytes_ > kMostBytes) {
        const auto last = kept_.find(order_.back());
        bytes_ -= last->second.bytes;
        kept_.erase(last);
        order_.pop_back();
    }
}

void KeptAnswers::fetchNext() {
    if (!waiting_.empty() || next_.empty()) return;
    const auto go = std::move(next_.front());
    next_.pop_front();
    go();
}

}  // namespace loupe::views
