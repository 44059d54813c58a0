// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A list that appears over the window and narrows while one types: the command palette and "go to".

#include <QDialog>
#include <QIcon>
#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace loupe::window {

class Chooser : public QDialog {
    Q_OBJECT

  public:
    struct Item {
        QString title;
        QString detail;  // shown faint at the right: a shortcut, a class
        QIcon icon;
        bool enabled = true;
        QString tip;
        std::function<void()> choose;
    };

    Chooser(const QString& prompt, std::vector<Item> items, QWidget* parent);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void filter(const QString& words);
    void chooseCurrent();

    std::vector<Item> items_;
    std::vector<QString> keys_;  // searched texts, in lower case
    QLineEdit* edit_;
    QListWidget* list_;
};

}  // namespace loupe::window
