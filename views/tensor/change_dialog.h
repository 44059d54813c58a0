// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Changing a value by hand: in the run that is parked, which goes on with it, or in a new run.

#include <QDialog>

#include "core/record/value_change.h"
#include "views/common/session_bridge.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace loupe::views {

// A slice and a formula; what is wrong with them stands below, before anything is changed.
class ChangeDialog : public QDialog {
    Q_OBJECT

  public:
    ChangeDialog(SessionBridge& bridge, session::ValueId value, const QString& slice, QWidget* parent);

    QLineEdit* slice() { return slice_; }
    QLineEdit* formula() { return formula_; }
    const QLabel* problem() const { return problem_; }
    // Checked by the engine first: closes when it is made.
    void accept() override;

  private:
    void chooseFile();
    session::ValueChange change() const;

    SessionBridge& bridge_;
    session::ValueId value_;
    QLineEdit* slice_;
    QLineEdit* formula_;
    QLabel* problem_;
    QPushButton* apply_ = nullptr;
};

// Opens the dialog.
void changeValue(SessionBridge& bridge, QWidget* window, session::ValueId value, const QString& slice);
// A change that could not be made, in the log.
void tellRefused(SessionBridge& bridge, const QString& why);
// Makes a change so that it can be undone: where a run is parked in it, else in a new one. done: gets the reason why it
// was refused, in one line, or nothing; without it the log does.
void makeChange(SessionBridge& bridge, session::ValueChange change, std::function<void(const QString&)> done = {});

}  // namespace loupe::views
