// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tensor/tensor_source.h"

#include <algorithm>

#include "core/session/far_place.h"
#include "views/common/kept_answers.h"

namespace loupe::views {

namespace {

// Who goes on at once to another tensor needs no more of this one than the first picture.
constexpr int kSoon = 80;

}  // namespace

TensorSource::TensorSource(SessionBridge& bridge, QObject* parent)
    : QObject(parent), bridge_(bridge), tag_(QStringLiteral("tensor-%1").arg(reinterpret_cast<quintptr>(this))) {
    soon_.setSingleShot(true);
    soon_.setInterval(kSoon);
    connect(&soon_, &QTimer::timeout, this, &TensorSource::askMany);
}

void TensorSource::ask(const session::TensorRequest& request) {
    request_ = request;
    is_waiting_ = true;
    has_come_ = false;
    next_.clear();
    soon_.stop();
    if (session::far_place() == nullptr) {
        bridge_.ask(tag_, session::TensorQuery{request}, this, [this](const session::TensorSlice& slice) {
            is_waiting_ = false;
            emit came(slice);
        });
        return;
    }
    KeptAnswers& answers = KeptAnswers::of(bridge_);
    if (const auto kept = answers.find(many(tile_))) return takeMany(*kept);
    answers.ask(tag_ + QStringLiteral(" first"), few(request), this,
                [this](const session::TensorSlice& slice) { takeFew(slice); });
}

session::TensorQuery TensorSource::few(const session::TensorRequest& request) const {
    session::TensorQuery query{request};
    query.detail.max_elements = kFewElements;
    return query;
}

session::TensorQuery TensorSource::many(int tile) const {
    session::TensorQuery query{request_};
    query.detail = {tile, kManyElements};
    return query;
}

void TensorSource::takeFew(const session::TensorSlice& slice) {
    shown_ = slice;
    has_come_ = true;
    is_waiting_ = slice.error.empty() && !isWhole(slice);
    emit came(slice);  // which may say that something else of it is shown
    is_waiting_ = slice.error.empty() && !isWhole(slice);
    if (is_waiting_)
        soon_.start();
    else
        fetch();
}

void TensorSource::takeMany(const session::TensorSlice& slice) {
    shown_ = slice;
    has_come_ = true;
    is_waiting_ = false;
    const int tile = tile_;
    emit came(slice);
    if (tile_ == tile) fetch();
}

// As many elements as a panel shows of what it shows.
bool TensorSource::isWhole(const session::TensorSlice& slice) const {
    const auto isFine = [&](const session::TensorTile& tile) {
        return tile.rows >= std::min<std::int64_t>(slice.rows, request_.max_rows) &&
               tile.columns >= std::min<std::int64_t>(slice.columns, request_.max_columns);
    };
    if (tile_ < 0) return std::ranges::all_of(slice.data, isFine);
    const auto at = static_cast<std::size_t>(tile_);
    return at >= slice.data.size() || isFine(slice.data[at]);
}

void TensorSource::show(int tile) {
    if (tile_ == tile) return;
    tile_ = tile;
    if (session::far_place() == nullptr || !has_come_ || !shown_.error.empty()) return;
    if (isWhole(shown_)) return;
    is_waiting_ = true;
    soon_.start();
}

void TensorSource::askMany() {
    KeptAnswers::of(bridge_).ask(tag_, many(tile_), this, [this, tile = tile_](const session::TensorSlice& slice) {
        if (tile == tile_) takeMany(slice);
    });
}

void TensorSource::setNext(const std::vector<session::TensorRequest>& next) {
    next_ = next;
    if (has_come_ && !is_waiting_) fetch();
}

void TensorSource::fetch() {
    if (session::far_place() == nullptr) return;
    std::vector<session::TensorQuery> all;
    for (const session::TensorRequest& request : next_) all.push_back(few(request));
    const int count = static_cast<int>(shown_.data.size());
    for (const int tile : {tile_ + 1, tile_ - 1}) {
        if (tile_ >= 0 && tile >= 0 && tile < count) all.push_back(many(tile));
    }
    KeptAnswers::of(bridge_).fetch(tag_, all);
}

}  // namespace loupe::views
