// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The trainings of the model since the program was started: what differs in their settings, what they came to, and
// which are drawn.

#include <QHash>
#include <QSet>
#include <QTreeWidget>

#include "core/train/training.h"

namespace loupe::views {

class TrainingList : public QTreeWidget {
    Q_OBJECT

  public:
    explicit TrainingList(QWidget* parent);

    using Log = std::shared_ptr<const session::TrainingLog>;
    // model: the key of stored ticks. now: the one whose curves are always drawn.
    void show(const QString& model, const std::vector<Log>& trainings, const Log& now);
    // The ticked ones, except for the current one.
    std::vector<Log> chosen() const;
    static QColor colourOf(const session::TrainingLog& log);

  signals:
    void chosenChanged();

  private:
    QString model_;
    std::vector<Log> trainings_;
    Log now_;
    QHash<QString, QSet<int>> ticked_;  // numbers of trainings by model
    QHash<QString, QSet<int>> known_;
    QString shown_;  // the rows' text
};

}  // namespace loupe::views
