// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every command of the window and of its panels with its keys, generated from the actions; typing filters it.

#include <QDialog>

class QLineEdit;
class QMainWindow;
class QTreeWidget;

namespace loupe::window {

class KeysDialog : public QDialog {
    Q_OBJECT

  public:
    explicit KeysDialog(QMainWindow* window);

    QLineEdit* search() { return search_; }
    QTreeWidget* list() { return list_; }

  private:
    void fill(QMainWindow& window);
    void filter(const QString& words);

    QLineEdit* search_;
    QTreeWidget* list_;
};

}  // namespace loupe::window
