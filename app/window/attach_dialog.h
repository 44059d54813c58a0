// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The programs whose training can be watched, where the engine is: one is chosen to attach to.

#include <QDialog>
#include <QTimer>

#include "core/session/watched_programs.h"

class QLabel;
class QPushButton;
class QTreeWidget;

namespace loupe::views {
class SessionBridge;
}

namespace loupe::window {

class AttachDialog : public QDialog {
    Q_OBJECT

  public:
    AttachDialog(views::SessionBridge& bridge, QWidget* parent);
    QTreeWidget* list() { return list_; }

  signals:
    void chosen(const QString& socket);

  private:
    void look();
    void show(const std::vector<session::WatchedProgram>& programs);
    void choose();

    views::SessionBridge& bridge_;
    QTreeWidget* list_;
    QLabel* note_;
    QPushButton* attach_;
    QTimer timer_;
};

}  // namespace loupe::window
