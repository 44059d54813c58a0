// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Train panel: settings and progress.

#include <QLabel>
#include <QTimer>
#include <QToolButton>

#include "views/common/view.h"
#include "views/train/train_form.h"
#include "views/train/train_plots.h"
#include "views/train/watched_bar.h"

namespace loupe::views {

class PanelBar;
class TrainView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    TrainView(SessionBridge& bridge, QWidget* parent);

    void addActions(QMenu& menu) override;
    QString emptyNote() const override { return bridge().training() ? QString() : tr("The model was not trained."); }
    bool isSettled() const override { return !data_timer_.isActive(); }
    TrainForm& form() { return *form_; }
    TrainPlots& plots() { return *plots_; }
    QToolButton* start() { return start_; }
    QToolButton* pause() { return pause_; }
    QToolButton* stop() { return stop_; }
    // From the beginning.
    void train();
    // The same from new first values of all layers, drawn from the form's seed.
    void trainAnew();
    // The engine stops inside the next step, or continues from there.
    void pauseOrGoOn();
    // Runs a step of the training again and parks inside it. While the training runs it only shows the step's numbers.
    void lookAt(std::int64_t step);
    // From a step that is looked at: on from there, or back to where the training ended.
    void goOnFromHere();
    void backToEnd();
    QWidget* pastBar() { return past_; }
    WatchedBar& watchedBar() { return *watched_; }
    QToolButton* settings() { return settings_; }
    void saveWeights(const QString& file);
    // The training with its optimiser, schedule and random numbers, for torch.load and for resume().
    void saveCheckpoint(const QString& file);
    // Continues the training of a checkpoint, with its options.
    void resume(const QString& file);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void makeMenus();
    PanelBar* makeBar();
    QWidget* makePastBar();
    WatchedBar* makeWatchedBar();
    // Another program trains.
    bool isWatched() const;
    void showWatched();
    void arrange();
    void showPast();
    QString whyNotLookedAt() const;
    void tellOf(const std::string& failure, const QString& done);
    void tellOfSaved(const std::string& failure, const QString& file, const QString& done);
    void lookAtData();
    void goOn();
    // The form's options for the training that goes on.
    session::TrainOptions optionsToGoOn() const;
    // "7 of 10 epochs are done (70 steps). Go on: 3 more, to epoch 10"; empty when nothing was trained.
    QString doneText() const;
    std::int64_t stepsDone() const;
    void showState();
    void showModel();
    void chooseWeights();
    void chooseCheckpoint();
    void chooseResume();

    TrainForm* form_;
    std::weak_ptr<const session::TrainingLog> known_;  // the training whose options the form has
    TrainPlots* plots_;
    QToolButton* start_;
    QToolButton* more_;
    QToolButton* pause_;
    QToolButton* stop_;
    QToolButton* save_;
    QAction* anew_;
    QAction* resume_;
    QAction* save_checkpoint_;
    QLabel* state_;
    QToolButton* settings_;  // shows the form where there is no room for it beside the plots
    QWidget* scroll_;
    bool is_narrow_ = false;
    QWidget* past_;  // while an earlier step is looked at
    QLabel* past_text_;
    QToolButton* past_on_;
    QToolButton* past_back_;
    WatchedBar* watched_;
    QTimer data_timer_;
};

}  // namespace loupe::views
