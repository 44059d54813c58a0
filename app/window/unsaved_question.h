// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Save, Discard or Cancel, before unsaved changes are lost. Not modal: the answer is a signal.

#include <QDialog>
#include <functional>
#include <vector>

class QCheckBox;

namespace loupe::window {

// Kinds of unsaved changes.
enum class Unsaved { Source, Training, Run };

class UnsavedQuestion : public QDialog {
    Q_OBJECT

  public:
    struct Item {
        Unsaved what;
        QString text;  // "net.py was edited"
        QString tip;
    };
    // title: the pending action: "Quit".
    UnsavedQuestion(const QString& title, const std::vector<Item>& items, QWidget* parent);

    // The ticked ones.
    std::vector<Unsaved> chosen() const;

  signals:
    void save(std::vector<Unsaved> chosen);
    void discard();

  private:
    std::vector<std::pair<Unsaved, QCheckBox*>> boxes_;
};

}  // namespace loupe::window
