// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Train panel: what to train with, and how it goes.

#include <QLabel>
#include <QToolButton>

#include "views/common/view.h"
#include "views/train/train_form.h"
#include "views/train/train_plots.h"

namespace loupe::views {

class TrainView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    TrainView(SessionBridge& bridge, QWidget* parent);

    void addActions(QMenu& menu) override;
    TrainForm& form() { return *form_; }
    TrainPlots& plots() { return *plots_; }
    QToolButton* start() { return start_; }
    QToolButton* pause() { return pause_; }
    QToolButton* stop() { return stop_; }
    // From the beginning.
    void train();
    // The engine stops inside the next step, or goes on from there.
    void pauseOrGoOn();
    void saveWeights(const QString& file);

  private:
    void goOn();
    void showState();
    void showModel();
    void chooseFile();

    TrainForm* form_;
    TrainPlots* plots_;
    QToolButton* start_;
    QToolButton* more_;
    QToolButton* pause_;
    QToolButton* stop_;
    QToolButton* save_;
    QLabel* state_;
};

}  // namespace loupe::views
