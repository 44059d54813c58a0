// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The ranks of the run that is shown: what is to be said of all of them, found in the background, and the way from one
// to another. One for a bridge; GUI thread only.

#include <QColor>
#include <QStringList>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/session/rank_steps.h"
#include "core/study/ranks/rank_events.h"
#include "core/study/ranks/rank_layers.h"
#include "core/study/ranks/rank_report.h"
#include "views/common/session_bridge.h"

namespace loupe::views {

// One number on one rank, for a strip of cells.
struct RankCell {
    enum class Kind { None, Number, NotFinite };  // None: the rank has nothing there, or no number of it
    Kind kind = Kind::None;
    double number = 0;  // NotFinite: the share of the elements
    session::EventId event = 0;
    session::ValueId value = 0;
};
using RankCells = std::vector<RankCell>;  // by seat; empty: there is one process

class Ranks : public QObject {
    Q_OBJECT

  public:
    // That of the bridge, made when it is asked for first.
    static Ranks& of(SessionBridge& bridge);

    bool isOn() const { return bridge_.seatCount() > 1; }
    // "Rank 2".
    QString nameOf(std::size_t seat) const;
    // -1: there is none.
    int seatOf(int rank) const;
    QColor colourOf(std::size_t seat) const;

    // All that was found; null until then. Its places are seats as they were: see placeOf().
    const std::shared_ptr<const session::RankReport>& report() const { return report_; }
    // -1: it was not there.
    int placeOf(std::size_t seat) const;
    // Why there is no report: a set that cannot be joined; empty: there is one, or it is being made.
    const QString& problem() const { return problem_; }
    bool isSettled() const { return !is_studying_ && !waiting_.isActive(); }

    // How ranks that run are stepped together; null: none do.
    session::RankSteps* steps() const { return steps_.get(); }
    // Is one parked, or does one run, whichever is current?
    bool hasParked() const;
    bool hasRunning() const;
    // The first rank whose engine has died, or ended by itself; -1: none.
    int deadSeat() const;
    // Where a rank of a program that runs is, and what it waits for, now: "parked before linear (net.py:12)", "waits in
    // all_reduce ...: rank 1 computes"; empty: nothing runs there.
    QString whereIs(std::size_t seat) const;

    // Another rank becomes current, at the same event where it has it.
    void goTo(std::size_t seat);
    void step(int by);
    // Rank, event and value; its line is current then.
    void goTo(const session::RankDifference::Spot& spot);

    // Writes the runs of all ranks: file of rank 0, and "step.rank1.loupe" beside "step.loupe" of rank 1. attached:
    // text that is kept with each. The reply has a line for each rank whose run was not written.
    void saveAll(const QString& file, const QString& attached, QObject* receiver,
                 std::function<void(const QStringList& failures)> reply);
    // Empty: they can be saved; else why not.
    QString whyNotSaved() const;

    // Of the first output of an event of the current rank, on all: by the same event of each.
    RankCells cellsOf(session::EventId event) const;
    // Of the last output of a module.
    RankCells cellsOfModule(const std::string& path) const;
    session::LayerMeasure measure() const { return measure_; }
    void setMeasure(session::LayerMeasure measure);
    // "rank 0: 1.23", a line each.
    QString tipOf(const RankCells& cells) const;

  signals:
    // Which ranks there are, which is current, or the measure of cells.
    void changed();
    // report() is new.
    void studied();
    // Where ranks are that run.
    void moved();

  private:
    explicit Ranks(SessionBridge& bridge);
    void makeSteps();
    void takeStatus(std::size_t seat);
    void studySoon();
    void study();
    RankCell cellOf(const session::Recording& recording, session::ValueId value, session::EventId event) const;

    struct Found {
        session::RankReport report;
        std::unique_ptr<session::RankEvents> events;
        std::vector<session::LayerRow> modules;
    };
    void take(const std::shared_ptr<const Found>& found, const QString& problem);

    SessionBridge& bridge_;
    std::unique_ptr<session::RankSteps> steps_;
    std::vector<session::Status> said_;  // by seat: what steps_ has heard
    session::LayerMeasure measure_ = session::LayerMeasure::Norm;
    QTimer waiting_;
    bool is_studying_ = false;
    bool is_stale_ = false;
    std::shared_ptr<const Found> found_;
    std::shared_ptr<const session::RankReport> report_;  // of found_
    std::vector<std::shared_ptr<const session::Recording>> studied_;
    QString problem_;
};

// Of a program that runs, while orders go to all of its ranks; null: they go to one engine.
session::RankSteps* stepsOfAll(SessionBridge& bridge);

// Cells side by side, coloured by how far each is from the middle of them: darker blue below, brown above; hatched
// where it is NaN or Inf, an empty frame where the rank has nothing. current: framed; -1: none.
void paintRankCells(QPainter& painter, const QRectF& room, const RankCells& cells, int current);
// The cell at a place of that room; -1: none.
int rankCellAt(const QRectF& room, const RankCells& cells, double x);

}  // namespace loupe::views

Q_DECLARE_METATYPE(loupe::views::RankCells)
