// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The connection to an engine far away, for the window: its state in the GUI thread, in words.

#include <QObject>
#include <QTimer>
#include <memory>

#include "core/session/far_place.h"

namespace loupe::window {

class FarConnection : public QObject {
    Q_OBJECT

  public:
    FarConnection(std::shared_ptr<session::FarPlace> place, QObject* parent);
    ~FarConnection() override;

    session::FarPlace& place() { return *place_; }
    QString host() const { return QString::fromStdString(place_->host()); }
    QString address() const { return QString::fromStdString(place_->options().address); }
    const session::FarState& state() const { return state_; }
    bool isConnected() const { return state_.kind == session::FarState::Kind::Connected; }
    // "host: 24 ms"; "host: lost, next try in 4 s".
    QString line() const;
    // With what went over the line.
    QString tip() const;
    void reconnectNow() { place_->reconnect_now(); }
    // Its engine gives way to those of so many ranks there, which have a connection of their own.
    void setRanks(int ranks);

    // Addresses that were reached, the last one first.
    static QStringList recent();
    static void remember(const QString& address);
    static void forget(const QString& address);

  signals:
    // Also each second while it is lost.
    void changed();
    // It was another kind of state before.
    void turned(session::FarState::Kind before);

  private:
    void take(const session::FarState& state);

    std::shared_ptr<session::FarPlace> place_;
    session::FarState state_;
    int ranks_ = 0;
    QTimer each_second_;
};

}  // namespace loupe::window
