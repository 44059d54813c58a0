// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Curves that the model's own program reports: a list of their tags, and those that are ticked.

#include <QListWidget>
#include <QWidget>

#include "core/train/training.h"

class QCustomPlot;

namespace loupe::views {

class ReportedPlot : public QWidget {
    Q_OBJECT

  public:
    explicit ReportedPlot(QWidget* parent);

    void show(const std::shared_ptr<const session::TrainingLog>& log);
    QListWidget& tags() { return *tags_; }
    QCustomPlot& plot() { return *plot_; }
    int count() const { return tags_->count(); }

  private:
    void draw();

    std::vector<session::ReportedCurve> curves_;
    const session::TrainingLog* log_ = nullptr;
    QListWidget* tags_;
    QCustomPlot* plot_;
};

}  // namespace loupe::views
