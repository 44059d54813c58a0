// SPDX-License-Identifier: Apache-2.0
#pragma once
// Steps of a training: what is kept of them (test_training_steps.cpp), what is named while they go on
// (test_training_watch.cpp), and running one of them again (test_training_past.cpp).
#include <QObject>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <string>
#include <vector>

#include "core/session/session.h"

class Log : public loupe::session::SessionListener {
  public:
    void on_log(const LogEntry& entry) override { entries.push_back(entry); }
    std::vector<LogEntry> entries;
    int count(LogEntry::Level level, const std::string& words) const {
        return static_cast<int>(std::count_if(entries.begin(), entries.end(), [&](const LogEntry& entry) {
            return entry.level == level && entry.text.find(words) != std::string::npos;
        }));
    }
    QString text() const {
        QString all;
        for (const LogEntry& entry : entries) all += QString::fromStdString(entry.text) + QLatin1Char('\n');
        return all;
    }
};

// Of a tensor by its name; none when there is no such tensor.
std::vector<double> elements(loupe::session::Session& session, const std::string& name);

class TestTrainingSteps : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void every_step_has_norms();
    void norms_are_those_of_the_tensors();
    void old_norms_are_merged();
    void a_jump_and_its_end_are_named();
    void a_loss_near_0_may_go_up_and_down_data();
    void a_loss_near_0_may_go_up_and_down();
    void noise_with_a_long_tail_is_no_jump();
    void divergence_is_named_once();
    void a_plateau_is_named();
    void parameters_without_gradient_are_named();
    void dead_units_are_named();
    void a_good_training_has_nothing_named();
    void a_training_that_diverges_does_not_only_finish();
    void states_are_thinned_and_spilled();
    void a_step_comes_out_as_it_was_data();
    void a_step_comes_out_as_it_was();
    void looking_changes_no_number();
    void dropout_follows_the_seed();
    void what_drifts_has_no_gradient();
    void the_end_is_returned_to();
    void another_training_does_not_lose_the_end();
    void an_optimiser_that_runs_the_model_leaves_whole_steps();
    void stopping_inside_a_recorded_step_keeps_the_place_in_the_data();
    void goes_on_from_an_earlier_step();
    void another_step_from_inside_one();
    void steps_of_a_session_before_run_again();
    void a_step_that_is_stopped_did_not_fail();
    void what_cannot_be_run_again_is_said();
    void what_is_not_the_same_is_said();
    void trainings_are_listed();
    void final_loss_and_resuming_are_logged();
    void findings_are_kept_in_checkpoints();

  private:
    std::string file(const char* name) const { return dir_.filePath(QString::fromLatin1(name)).toStdString(); }
    loupe::session::TrainOptions options() const;
    void open(loupe::session::Session& session, const std::string& path) {
        session.open(path);
        session.wait_idle();
        QVERIFY2(session.status().state == loupe::session::RunState::Ready, session.status().error.c_str());
    }
    void train(loupe::session::Session& session, const loupe::session::TrainOptions& how) {
        session.train(how);
        session.wait_idle();
        QVERIFY2(session.status().state == loupe::session::RunState::Finished, session.status().error.c_str());
    }

    QTemporaryDir dir_;
};
