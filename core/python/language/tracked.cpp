// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/tracked.h"

#include <utility>
#include <vector>

#include "core/python/language/thread_state.h"

namespace loupe::python {

void TrackedList::add(Tracked& tracked) {
    tracked.next_ = first_;
    if (first_ != nullptr) first_->previous_ = &tracked;
    first_ = &tracked;
    tracked.list_ = this;
}

void TrackedList::remove(Tracked& tracked) {
    if (!tracked.list_) return;
    auto& list = static_cast<TrackedList&>(*tracked.list_);
    (tracked.previous_ != nullptr ? tracked.previous_->next_ : list.first_) = tracked.next_;
    if (tracked.next_ != nullptr) tracked.next_->previous_ = tracked.previous_;
}

void TrackedList::clear_all() {
    std::vector<std::pair<Ptr<RefCounted>, Tracked*>> alive;
    for (Tracked* tracked = first_; tracked != nullptr; tracked = tracked->next_) {
        alive.emplace_back(Ptr<RefCounted>(tracked->tracked_object()), tracked);
    }
    for (auto& [keep, tracked] : alive) tracked->clear_references();
}

Tracked::Tracked() {
    if (TrackedList* const list = thread_state().tracked) list->add(*this);
}

Tracked::~Tracked() { TrackedList::remove(*this); }

TrackingScope::TrackingScope(TrackedList* list) : before_(std::exchange(thread_state().tracked, list)) {}
TrackingScope::~TrackingScope() { thread_state().tracked = before_; }

}  // namespace loupe::python
