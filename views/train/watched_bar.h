// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Of a training that another program does: which, and what it can be asked for.

#include <QLabel>
#include <QSpinBox>
#include <QToolButton>
#include <QWidget>

#include "core/train/training.h"

namespace loupe::views {

class WatchedBar : public QWidget {
    Q_OBJECT

  public:
    explicit WatchedBar(QWidget* parent);

    void show(const session::TrainingProgram& program);
    QLabel* words() { return words_; }
    QSpinBox* every() { return every_; }
    QToolButton* record() { return record_; }
    QToolButton* opener() { return open_; }
    QToolButton* leave() { return end_; }

  signals:
    void everyChosen(qint64 steps);
    void recordWanted();
    void openWanted(const QString& file);
    void endWanted();

  private:
    void showAsked();

    QLabel* words_;
    QLabel* every_words_;
    QSpinBox* every_;
    QToolButton* record_;
    QToolButton* open_;
    QToolButton* end_;
    QString file_;
    QString waits_for_;  // another file than this
    bool is_asked_ = false;
};

}  // namespace loupe::views
