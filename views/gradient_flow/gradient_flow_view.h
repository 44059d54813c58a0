// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Gradient flow panel.

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <map>

#include "core/study/gradient_health.h"
#include "views/common/empty_hint.h"
#include "views/common/view.h"
#include "views/gradient_flow/gradient_columns.h"

class QCustomPlot;
class QCPBars;
class QCPColorMap;
class QCPItemText;
class QCPItemStraightLine;

namespace loupe::views {

class FlowLayout;

class GradientFlowView : public View {
    Q_OBJECT

  public:
    enum class Measure { MeanAndMax, Norm, Ratio, Zeros, Runs, Steps, RankNorms, RankMeans, RankBad };

    static ViewDescription describe();
    GradientFlowView(SessionBridge& bridge, QWidget* parent);

    void find() override;
    void fit() override;
    void addActions(QMenu& menu) override;
    bool isSettled() const override { return !waiting_; }

    void setMeasure(Measure measure);
    // Replaces a reply of the session, for tests.
    void showRows(const std::vector<session::GradientRow>& rows);
    QListWidget* health() { return health_; }
    QCustomPlot* plot() { return plot_; }
    const GradientColumns& columns() const { return columns_; }
    // Of each rank of the run, by seat; empty: there is one, or they were not asked for.
    const std::vector<std::vector<session::GradientRow>>& rankRows() const { return rank_rows_; }
    // Labels of the current axis, by column; overlapping ones are omitted.
    const std::map<int, QString>& shownLabels() const { return labels_; }
    void setGrouping(GradientGrouping grouping) { grouping_->setCurrentIndex(static_cast<int>(grouping)); }
    // Opens a group of the plot, or closes the one around a parameter.
    void toggle(int column);
    // Runs of this model with gradients, the first first: mean of the absolute gradient by parameter, -1 without one.
    const std::vector<std::vector<double>>& runs() const { return runs_; }
    const std::vector<session::StepGradients>& steps() const { return steps_; }
    void comeIntoSight() override { takeTraining(); }

  private:
    FlowLayout* makeBar();
    void makePlot(QWidget* parent);
    void makeHealth(QWidget* parent);
    void listen();
    void ask();
    void draw();
    void arrange();
    void drawBars(const QVector<double>& keys, const QVector<double>& first, const QVector<double>& second);
    void hatchNotFinite(const QVector<double>& keys, const QVector<double>& first, const QVector<double>& second);
    void drawReference();
    double measured(const session::GradientRow& row, std::optional<double> ratio) const;
    void drawNames();
    // A row a run or step, in it a number a column: NaN red, negative nothing. labels: of the rows, empty for numbers
    // from 1.
    void drawMap(const std::vector<std::vector<double>>& cells, const std::vector<std::int64_t>& labels);
    void drawRuns();
    void drawSteps();
    bool isByRank() const { return measure() >= Measure::RankNorms; }
    void offerRanks();
    void askRanks();
    void drawRanks();
    void selectOnRank(int seat, const GradientColumn& column);
    QString tipOfRank(int seat, int column) const;
    int seatAt(const QPointF& position) const;
    void takeTraining();
    void showFindings(const std::vector<session::GradientFinding>& findings, const QString& healthy);
    void showStart();
    void follow(QListWidgetItem* item);
    Measure measure() const { return static_cast<Measure>(measure_->currentIndex()); }
    void noteRun();
    void fillHealth();
    void markCurrent();
    void click(QMouseEvent* event);
    void doubleClick(QMouseEvent* event);
    void hover(QMouseEvent* event);
    void select(int row);
    int columnAt(const QPoint& position) const;

    QComboBox* measure_ = nullptr;
    QLabel* start_ = nullptr;  // the start of backward; a link to choose it
    QComboBox* grouping_ = nullptr;
    QLineEdit* search_ = nullptr;
    QLabel* summary_ = nullptr;
    QCustomPlot* plot_ = nullptr;
    QCPBars* back_ = nullptr;  // the greater of two, behind
    QCPBars* front_ = nullptr;
    QCPBars* reference_ = nullptr;   // beside, of the run that this one is compared with
    QCPBars* not_finite_ = nullptr;  // hatched, over gradients with NaN or Inf
    QCPItemStraightLine* mark_ = nullptr;
    EmptyHint* hint_ = nullptr;
    QListWidget* health_ = nullptr;
    std::vector<session::GradientRow> rows_;
    GradientColumns columns_;
    std::vector<session::GradientRow> shown_;  // of columns_
    std::map<int, QString> labels_;
    QCPColorMap* map_ = nullptr;
    std::vector<std::vector<double>> runs_;
    std::weak_ptr<const session::Recording> noted_;
    std::vector<session::StepGradients> steps_;  // of the training, those that were shown
    std::int64_t drawn_step_ = 0;                // of the training, the last in the map
    std::vector<std::vector<session::GradientRow>> rank_rows_;
    bool waiting_ = false;
    bool logarithmic_ = true;
};

}  // namespace loupe::views
