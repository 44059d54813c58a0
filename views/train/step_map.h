// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tensors over the steps of a training: histograms of recorded ones, and norms of every parameter at
// every step, on an even axis of steps.

#include <QComboBox>
#include <QLabel>
#include <QWidget>

#include "core/train/training.h"
#include "views/common/step_axis.h"

class QCustomPlot;
class QCPColorMap;
class QCPGraph;
class QCPItemStraightLine;
class QMouseEvent;

namespace loupe::views {

class StepMap : public QWidget {
    Q_OBJECT

  public:
    enum Kind { Weights, Gradients, Activations, GradientNorms, UpdateNorms, UpdateRatios, WeightNorms };

    explicit StepMap(QWidget* parent);

    void show(const std::shared_ptr<const session::TrainingLog>& log);
    void setLogarithmic(bool on);
    // 0: none.
    void mark(std::int64_t step);
    // Why a step cannot be run again now; empty: a click does it.
    void setWhyNotLookedAt(const QString& why) { why_not_ = why; }
    QCustomPlot* plot() { return plot_; }
    QComboBox* kinds() { return kind_; }
    QComboBox* tensors() { return tensors_; }
    QLabel* numbers() { return numbers_; }

  signals:
    void stepActivated(qint64 step);

  protected:
    // As many names as there is room for.
    void resizeEvent(QResizeEvent* event) override;

  private:
    bool showsNorms() const { return kind_->currentIndex() >= GradientNorms; }
    void restyle();
    void fillTensors();
    void draw();
    // Of one tensor, of the steps where one was taken; null where it was not.
    struct Histograms {
        std::vector<std::int64_t> steps;
        std::vector<const session::Statistics*> statistics;
        std::size_t low = 63, high = 0;  // bins that are not empty

        void add(std::int64_t step, const session::Statistics* found);
        int height() const { return std::max<int>(2, static_cast<int>(high) - static_cast<int>(low) + 1); }
    };
    void drawHistograms();
    void drawColumns(const Histograms& found);
    int linesThatFit() const;
    void drawExponents(const Histograms& found);
    QString wordsOf(const Histograms& found) const;
    void drawNorms();
    void setSteps(const StepAxis& axis);
    void hover(QMouseEvent* event);
    std::int64_t stepAt(QPoint position) const;
    QString sampleTip(std::int64_t step) const;
    QString normTip(std::int64_t step, int row) const;
    const std::vector<session::TrainingSample::Row>& rowsOf(const session::TrainingSample& sample) const;

    QComboBox* kind_;
    QComboBox* tensors_;
    QLabel* numbers_;
    QCustomPlot* plot_;
    QCPColorMap* map_;
    QCPGraph* samples_;  // where the histograms were taken
    QCPItemStraightLine* mark_;
    std::shared_ptr<const session::TrainingLog> log_;
    StepAxis axis_;
    std::int64_t marked_ = 0;
    std::int64_t drawn_ = 0;  // steps there were
    QPoint pressed_;
    QString why_not_;
};

}  // namespace loupe::views
