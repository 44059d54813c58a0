// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/far_connection.h"

#include <QSettings>
#include <chrono>

#include "views/common/format.h"

namespace loupe::window {

using Kind = session::FarState::Kind;

namespace {

constexpr int kMostRecent = 12;

}  // namespace

FarConnection::FarConnection(std::shared_ptr<session::FarPlace> place, QObject* parent)
    : QObject(parent), place_(std::move(place)) {
    each_second_.setInterval(1000);
    connect(&each_second_, &QTimer::timeout, this, &FarConnection::changed);
    place_->set_listener([this](const session::FarState& state) {
        QMetaObject::invokeMethod(
            this, [this, state] { take(state); }, Qt::QueuedConnection);
    });
    // It may have been reached before anybody listened.
    QMetaObject::invokeMethod(
        this, [this] { take(place_->state()); }, Qt::QueuedConnection);
}

FarConnection::~FarConnection() { place_->set_listener({}); }

void FarConnection::take(const session::FarState& state) {
    const Kind before = state_.kind;
    state_ = state;
    if (state.kind == Kind::Lost)
        each_second_.start();
    else
        each_second_.stop();
    if (state.kind == Kind::Connected && before != Kind::Connected) remember(address());
    emit changed();
    if (state.kind != before) emit turned(before);
}

void FarConnection::setRanks(int ranks) {
    ranks_ = ranks;
    emit changed();
}

QString FarConnection::line() const {
    if (ranks_ > 0) return tr("%1: %2 ranks").arg(host()).arg(ranks_);
    switch (state_.kind) {
        case Kind::Connecting:
            return tr("%1: connecting\u2026").arg(host());
        case Kind::Connected:
            return state_.round_trip ? tr("%1: %2 ms").arg(host()).arg(state_.round_trip->count())
                                     : tr("%1: connected").arg(host());
        case Kind::Lost: {
            if (state_.next_try == std::chrono::steady_clock::time_point::max())
                return tr("%1: lost, click to connect").arg(host());
            const auto left =
                std::chrono::ceil<std::chrono::seconds>(state_.next_try - std::chrono::steady_clock::now());
            return left.count() > 0 ? tr("%1: lost, next try in %2 s").arg(host()).arg(left.count())
                                    : tr("%1: lost, trying\u2026").arg(host());
        }
        case Kind::Over:
            return tr("%1: not connected").arg(host());
    }
    return {};
}

QString FarConnection::tip() const {
    QString tip = tr("The engine is on %1").arg(address());
    if (!state_.text.empty()) tip += QLatin1Char('\n') + views::text(state_.text);
    tip += tr("\nSent %1, received %2")
               .arg(views::bytesText(static_cast<double>(state_.bytes_sent)),
                    views::bytesText(static_cast<double>(state_.bytes_received)));
    if (state_.kind == Kind::Lost) tip += tr("\nClick to try now. What runs there goes on");
    return tip;
}

QStringList FarConnection::recent() { return QSettings().value(QStringLiteral("far/recent")).toStringList(); }

void FarConnection::remember(const QString& address) {
    QStringList all = recent();
    all.removeAll(address);
    all.prepend(address);
    while (all.size() > kMostRecent) all.removeLast();
    QSettings().setValue(QStringLiteral("far/recent"), all);
}

void FarConnection::forget(const QString& address) {
    QStringList all = recent();
    all.removeAll(address);
    QSettings().setValue(QStringLiteral("far/recent"), all);
}

}  // namespace loupe::window
