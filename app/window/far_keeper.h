// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the user has set up for a model of an engine far away is kept on this machine, by the host and the path:
// breakpoints, watches, the layout, and of the run that is there bookmarks and notes. The engine keeps all else.

#include <QJsonObject>
#include <QObject>
#include <QTimer>

#include "views/common/session_bridge.h"

namespace loupe::window {

class SessionKeeper;

class FarKeeper : public QObject {
    Q_OBJECT

  public:
    // address: of the engine.
    FarKeeper(views::SessionBridge& bridge, SessionKeeper& keeper, const QString& address, QObject* parent);

    // At once, when the window is closed.
    void write();

    // A folder in the user's state directory.
    static QString root();

  private:
    void takeModel();
    void takeSetup();
    void takeRun();
    QString runId() const;
    void markDirty();
    static void clean();

    views::SessionBridge& bridge_;
    SessionKeeper& keeper_;
    const QString address_;
    QTimer timer_;
    QString path_;      // of the model that is open; empty: none
    QJsonObject kept_;  // as it was read or written last
};

}  // namespace loupe::window
