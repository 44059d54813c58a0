// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What one sees before a model is open: the shipped models, recent files, what to try.

#include <QScrollArea>

namespace loupe::window {

class StartPage : public QScrollArea {
    Q_OBJECT

  public:
    explicit StartPage(QWidget* parent);

    void setRecentFiles(const QStringList& files);

  signals:
    void openFile(const QString& file);
    void openDialog();

  private:
    void rebuild();

    QStringList recent_;
};

}  // namespace loupe::window
