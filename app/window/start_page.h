// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What one sees before a model is open: the shipped models, recent files, what to try.

#include <QScrollArea>
#include <optional>

#include "app/window/session_keeper.h"

namespace loupe::window {

class StartPage : public QScrollArea {
    Q_OBJECT

  public:
    explicit StartPage(QWidget* parent);

    void setRecentFiles(const QStringList& files);
    // Nothing: there is none to come back to.
    void setLastSession(std::optional<EndedSession> session);
    // Puts the keyboard on the card that is most likely wanted.
    void focusFirst();

  signals:
    void openFile(const QString& file);
    void openDialog();
    void restoreSession(const QString& folder);

  private:
    void rebuild();

    QStringList recent_;
    std::optional<EndedSession> last_;
};

}  // namespace loupe::window
