// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a training goes: loss, accuracy, learning rate and gradient norm over steps, and what tensors held.

#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QWidget>

#include "core/session/training.h"
#include "views/common/empty_hint.h"

class QCustomPlot;
class QCPAxisRect;
class QCPColorMap;
class QCPGraph;

namespace loupe::views {

class TrainPlots : public QWidget {
    Q_OBJECT

  public:
    explicit TrainPlots(QWidget* parent);

    // Takes what is new; another log begins from nothing.
    void show(const std::shared_ptr<const session::TrainingLog>& log);
    QCustomPlot* curves() { return curves_; }
    QCustomPlot* map() { return map_plot_; }
    QComboBox* tensors() { return tensors_; }
    void setSmoothing(int percent) { smoothing_->setValue(percent); }
    QCPGraph* lossGraph() { return smooth_; }

  private:
    void makeCurves();
    void makeMap();
    void restyle();
    void add(const session::TrainingStep& step);
    void smoothAll();
    void showEpochs();
    void fillTensors();
    void drawMap();
    const std::vector<session::TrainingSample::Row>& rowsOf(const session::TrainingSample& sample) const;

    QSlider* smoothing_;
    QLabel* last_;
    QCustomPlot* curves_;
    QCPGraph* loss_;
    QCPGraph* smooth_;
    QCPGraph* held_out_;
    QCPGraph* accuracy_;
    QCPGraph* held_out_accuracy_;
    QCPGraph* rate_;
    QCPGraph* norm_;
    QList<QCPAxisRect*> rects_;
    QList<QLabel*> titles_;
    QComboBox* kind_;
    QComboBox* tensors_;
    QLabel* numbers_;
    QCustomPlot* map_plot_;
    QCPColorMap* map_;
    EmptyHint* hint_;
    std::shared_ptr<const session::TrainingLog> log_;
    std::size_t shown_ = 0;
    std::size_t shown_samples_ = 0;
    std::int64_t last_sample_ = 0;
    double average_ = 0;
    bool has_average_ = false;
};

}  // namespace loupe::views
