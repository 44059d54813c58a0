// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a model source was refused and what it wrote: says so with the way to permit it, or to keep what was written.

#include <QObject>
#include <QString>
#include <vector>

#include "app/window/banner.h"
#include "views/common/session_bridge.h"

namespace loupe::window {

class SourcePermissions : public QObject {
    Q_OBJECT

  public:
    SourcePermissions(views::SessionBridge& bridge, Banner& banner, QWidget* window);

    // For a banner that tells why a source could not be opened: permits what it was refused, when that is anything.
    std::vector<Banner::Link> links();
    // The folder that the source has written into; empty: it has written nothing.
    QString folder() const { return folder_; }
    void showFolder() const;
    // Asks where to, and copies what the source has written there.
    void keepWritten();
    void copyWritten(const QString& to);

  signals:
    void openWanted(const QString& file);
    void lineWanted(const loupe::session::SourcePlace& place);

  private:
    using Entry = views::SessionBridge::LogEntry;

    void onLog();
    void onStatus();
    void tell();
    void allow();
    QString source() const;

    views::SessionBridge& bridge_;
    Banner& banner_;
    QWidget* window_;
    std::vector<Entry> refused_;  // since the source was opened
    bool is_shown_ = true;
    QString folder_;
    QString folder_of_;  // the source whose folder was told
    bool is_folder_shown_ = true;
    session::RunState state_ = session::RunState::Empty;
};

}  // namespace loupe::window
