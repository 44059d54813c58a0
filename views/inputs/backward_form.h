// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What backward starts from, as fields: a choice, and below it the target, the element or the file that it needs. The choice
// stands wherever kind() is put; this widget is what it needs, and hidden when that is nothing.

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QWidget>

#include "core/model/backward_from.h"
#include "core/model/data_sources.h"

namespace loupe::views {

class BackwardForm : public QWidget {
    Q_OBJECT

  public:
    explicit BackwardForm(QWidget* parent);

    // What the `loss` of the model's source takes, as ModelInfo has it; 0: it has none.
    void setOwnLoss(int arguments);
    // For the target `labels`.
    void setData(const session::DataSpec& data) { data_ = data; }
    void setChoice(const session::BackwardFrom& from);
    const session::BackwardFrom& choice() const { return choice_; }
    // Why the run could not start backward, or what was typed is none; in place of what was there.
    void showError(const QString& error);
    QString error() const;
    bool isChosen() const { return error().isEmpty(); }

    QComboBox* kind() { return kind_; }
    QLineEdit* detail() { return detail_; }
    QLabel* note() { return note_; }

  signals:
    void changed();

  private:
    void fillKinds();
    void kindChosen();
    void take();
    void showDetail();
    void chooseFile();
    QString kindText() const;

    session::BackwardFrom choice_;
    session::DataSpec data_;
    int own_loss_ = 0;
    bool showing_ = false;
    QComboBox* kind_;
    QWidget* detail_row_;
    QLineEdit* detail_;
    QToolButton* file_;
    QLabel* note_;
};

}  // namespace loupe::views
