// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page before a model is open: shipped models, recent files, suggestions.

#include <QScrollArea>
#include <optional>

#include "app/window/session_keeper.h"

class QVBoxLayout;

namespace loupe::window {

class StartPage : public QScrollArea {
    Q_OBJECT

  public:
    explicit StartPage(QWidget* parent);

    void setRecentFiles(const QStringList& files);
    // None: there is no session to restore.
    void setLastSession(std::optional<EndedSession> session);
    // Focuses the most likely card.
    void focusFirst();

  signals:
    void openFile(const QString& file);
    void openDialog();
    // Empty: it is asked for.
    void connectWanted(const QString& address);
    void attachWanted();
    // A page of the help, at a heading or its beginning.
    void pageWanted(const QString& page, const QString& heading);
    void restoreSession(const QString& folder);
    void startTour(const QString& name);

  private:
    void rebuild();
    void addTitle(QVBoxLayout* column, QWidget* page);
    void addLastSession(QVBoxLayout* column, QWidget* page);
    void addShippedModels(QVBoxLayout* column, QWidget* page);
    void addTours(QVBoxLayout* column, QWidget* page);
    void addPyTorch(QVBoxLayout* column, QWidget* page);
    void addHosts(QVBoxLayout* column, QWidget* page);
    void addRecentFiles(QVBoxLayout* column, QWidget* page);

    QStringList recent_;
    std::optional<EndedSession> last_;
};

}  // namespace loupe::window
