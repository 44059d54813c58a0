// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Save, Discard or Cancel, asked before what is not saved goes. It does not block: the answer comes when it comes.

#include <QDialog>
#include <functional>
#include <vector>

class QCheckBox;

namespace loupe::window {

// What a window can lose.
enum class Unsaved { Source, Training, Run };

class UnsavedQuestion : public QDialog {
    Q_OBJECT

  public:
    struct Item {
        Unsaved what;
        QString text;  // "net.py was edited"
        QString tip;
    };
    // title: what is about to happen: "Quit".
    UnsavedQuestion(const QString& title, const std::vector<Item>& items, QWidget* parent);

    // Those that are ticked.
    std::vector<Unsaved> chosen() const;

  signals:
    void save(std::vector<Unsaved> chosen);
    void discard();

  private:
    std::vector<std::pair<Unsaved, QCheckBox*>> boxes_;
};

}  // namespace loupe::window
