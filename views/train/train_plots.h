// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Progress of a training: loss, accuracy, learning rate and gradient norm over steps, beside those of other trainings;
// tensors over steps, findings, and the list of trainings.

#include <QLabel>
#include <QListWidget>
#include <QSlider>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QWidget>

#include "core/train/training.h"
#include "views/common/empty_hint.h"
#include "views/train/reported_plot.h"
#include "views/train/step_map.h"
#include "views/train/training_list.h"

class QCustomPlot;
class QCPAxisRect;
class QCPGraph;
class QCPItemStraightLine;
class QCPLayoutGrid;

namespace loupe::views {

class TrainPlots : public QWidget {
    Q_OBJECT

  public:
    enum Page { OverSteps, Found, Trainings, Reported };

    explicit TrainPlots(QWidget* parent);
    ~TrainPlots() override;

    using Log = std::shared_ptr<const session::TrainingLog>;
    // Adds new steps; another log starts empty.
    void show(const Log& log);
    // All of the model, for comparison.
    void showTrainings(const QString& model, const std::vector<Log>& trainings);
    // The step that is looked at; 0: none.
    void mark(std::int64_t step);
    QCustomPlot* curves() { return curves_; }
    StepMap& map() { return *map_; }
    QComboBox* tensors() { return map_->tensors(); }
    TrainingList& trainings() { return *trainings_; }
    ReportedPlot& reported() { return *reported_; }
    QListWidget* findings() { return findings_; }
    QTabBar* pages() { return pages_; }
    QToolButton* logSteps() { return log_steps_; }
    QToolButton* logLoss() { return log_loss_; }
    void setSmoothing(int percent) { smoothing_->setValue(percent); }
    QCPGraph* lossGraph() { return smooth_; }
    QCPGraph* accuracyGraph() { return accuracy_; }
    // Curves of other trainings.
    const QList<QCPGraph*>& overlays() const { return overlays_; }
    std::int64_t marked() const { return marked_; }
    // Why a step cannot be run again now; empty: a click does it.
    void setWhyNotLookedAt(const QString& why);
    // The numbers of a step, and what a click on it does.
    QString tipOf(std::int64_t step) const;
    // Of a place in the curves; 0 outside.
    std::int64_t stepAt(QPoint position) const;
    // Two columns of plots, or one where there is little room.
    void arrange();

  signals:
    // A step was clicked: it shall be run again.
    void stepActivated(qint64 step);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void makeBar(class QVBoxLayout* layout);
    void makeCurves();
    void makePages(QWidget* parent);
    void restyle();
    void add(const session::TrainingStep& step);
    void smoothAll();
    void showEpochs();
    void showReportedAccuracy();
    void showFindings();
    void showLast(const session::TrainingStep& step);
    void drawOverlays();
    void setScales();
    void setTickCounts();
    void fitAxes();
    void hover(class QMouseEvent* event);
    void markLines();

    QSlider* smoothing_;
    QLabel* last_;
    QToolButton* log_steps_;
    QToolButton* log_loss_;
    QCustomPlot* curves_;
    QCPGraph* loss_;
    QCPGraph* smooth_;
    QCPGraph* held_out_;
    QCPGraph* accuracy_;
    QCPGraph* held_out_accuracy_;
    QCPGraph* rate_;
    QCPGraph* norm_;
    QCPGraph* found_;  // findings, on the loss
    QList<QCPGraph*> overlays_;
    QList<QCPAxisRect*> rects_;
    QList<QCPLayoutGrid*> boxes_;
    QList<QCPItemStraightLine*> marks_;
    QTabBar* pages_;
    QStackedWidget* stack_;
    StepMap* map_;
    QListWidget* findings_;
    TrainingList* trainings_;
    ReportedPlot* reported_;
    EmptyHint* hint_;
    Log log_;
    std::size_t shown_ = 0;
    std::int64_t last_step_ = 0;
    std::int64_t first_step_ = 1;
    std::int64_t marked_ = 0;
    std::size_t shown_findings_ = 0;
    QSize shape_ = {2, 2};  // of the grid of curves, in plots
    bool follows_ = true;   // the axes show all steps
    bool is_scale_chosen_ = false;
    QPoint pressed_;
    QString why_not_;
    double average_ = 0;
    bool has_average_ = false;
    bool measures_accuracy_ = false;  // its steps have it; else it may be reported
};

}  // namespace loupe::views
