// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The start of backward, as fields: a choice, and below it its target, element or file. The choice is wherever kind()
// is placed; this widget has its fields, and is hidden when there are none.

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

    // The number of arguments of the source's `loss`, as in ModelInfo; 0: it has none.
    void setOwnLoss(int arguments);
    // For the target `labels`.
    void setData(const session::DataSpec& data) { data_ = data; }
    void setChoice(const session::BackwardFrom& from);
    const session::BackwardFrom& choice() const { return choice_; }
    // Replaces the note: why backward could not start, or why the text is invalid.
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
