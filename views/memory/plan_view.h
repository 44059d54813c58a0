// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Memory plan panel: the buffers of a planned program in its block, over its steps; graph breaks; and forecasts of
// memory and time under changes.

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>

#include "core/study/what_if.h"
#include "views/common/empty_hint.h"
#include "views/common/view.h"

namespace loupe::views {

// Buffers as boxes: steps to the right, the block's bytes upwards.
class PlanPicture : public QWidget {
    Q_OBJECT

  public:
    explicit PlanPicture(QWidget* parent);

    void setPart(const session::PlannedPart* part);
    // The buffer under a point; -1: none.
    int bufferAt(const QPoint& point) const;
    QRect boxOf(int buffer) const;

  signals:
    void stepChosen(int step);

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

  private:
    QRect area() const;

    session::PlannedPart part_;
    bool has_part_ = false;
};

class PlanView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    PlanView(SessionBridge& bridge, QWidget* parent);

    void addActions(QMenu& menu) override;
    bool isSettled() const override { return !waiting_ && !measuring_; }

    void plan();
    // Replaces a reply of the session, for tests.
    void show(const session::MemoryPlanReport& report);
    PlanPicture* picture() { return picture_; }
    QTreeWidget* breaks() { return breaks_; }
    QComboBox* pipeline() { return pipeline_; }
    QComboBox* change() { return change_; }
    QString forecast() const { return forecast_->text(); }
    QToolButton* measureButton() { return measure_; }
    // Runs the model with and without the change, and shows the measurements beside the forecast.
    void measure();
    void predict();
    void showForecast(const session::MemoryForecast& found);

  private:
    QLayout* makeBar();
    QLayout* makeChanges();
    QWidget* makePicture();
    void showPart();
    void showState();
    void fillChanges();
    bool isChosen(int index, int filled) const;
    void forecastChange();
    void showMeasured(const session::WhatIfMeasurement& measured);

    QComboBox* pipeline_;
    QToolButton* run_;
    QLabel* summary_;
    QComboBox* parts_;
    PlanPicture* picture_;
    EmptyHint* hint_;
    QTreeWidget* breaks_;
    QComboBox* change_;
    QLabel* forecast_;
    QToolButton* measure_;
    QToolButton* predict_;
    QString forecast_text_;  // of the change as it was predicted with time, or measured
    session::MemoryPlanReport report_;
    std::vector<session::WhatIf> changes_;
    int filled_ = 0;  // how often changes_ was: an answer may be of those before
    bool waiting_ = false;
    bool measuring_ = false;
};

}  // namespace loupe::views
