// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Detects changes by other programs to a source that the open model is evaluated from.

#include <QFileSystemWatcher>
#include <QMap>
#include <QObject>
#include <QSet>
#include <QTimer>
#include <map>

#include "views/common/session_bridge.h"

namespace loupe::window {

class SourceWatch : public QObject {
    Q_OBJECT

  public:
    SourceWatch(views::SessionBridge& bridge, QObject* parent);

  signals:
    // The file differs from the text of the model.
    void changed(const QString& file);

  private:
    void follow();
    void look();
    void noteFailure();

    // Of an engine far away no system tells of changes: its files are looked at now and then.
    void lookFar();
    void compare(const QString& name, const QByteArray& now);

    views::SessionBridge& bridge_;
    QTimer now_and_then_;
    QSet<QString> far_;
    std::map<QString, qint64> seen_;  // when a far file was changed
    QFileSystemWatcher files_;
    QTimer soon_;  // editors write a file in several steps
    QSet<QString> touched_;
    QMap<QString, QByteArray> tried_;  // contents that failed to open, which is reported elsewhere
    bool was_opening_ = false;
};

}  // namespace loupe::window
