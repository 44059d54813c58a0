// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shows refused file access of a model source, and files that it wrote, with links to permit or to save them.

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

    // For the banner of a failure: permits what the source was refused and no banner has shown yet. Shown from then on.
    std::vector<Banner::Link> linksOfFailure();
    // The folder that the source has written into; empty: it has written nothing.
    QString folder() const { return folder_; }
    void showFolder() const;
    // Asks for a folder, and copies the files that the source has written there.
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
    std::vector<Banner::Link> allowLink();
    std::vector<Banner::Link> lineLink();
    void allow();
    QString source() const;

    views::SessionBridge& bridge_;
    Banner& banner_;
    QWidget* window_;
    std::vector<Entry> refused_;  // since the source was opened
    bool is_shown_ = true;
    QString folder_;
    QString folder_of_;  // the source whose folder was shown
    bool is_folder_shown_ = true;
    session::RunState state_ = session::RunState::Empty;
};

}  // namespace loupe::window
