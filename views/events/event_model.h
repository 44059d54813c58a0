// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The events of a recording as a tree (phase, then nested module calls) or as a flat list. It grows with the recording;
// events are taken in portions, so that a million of them do not hold up the window.

#include <QAbstractItemModel>
#include <QTimer>
#include <deque>
#include <memory>
#include <vector>

#include "views/common/comparison.h"
#include "views/common/ranks.h"
#include "views/events/event_filter.h"

namespace loupe::views {

class EventModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column {
        Operator,
        Number,
        Output,
        Time,
        Warm,
        Spread,
        Bytes,
        Min,
        Max,
        Mean,
        Std,
        Distribution,
        Flags,
        Peer,
        Module,
        Backend,
        OnRanks,  // while there are several
        Partner,  // in the reference; from here on hidden without one
        FirstDifference,
        LastDifference = FirstDifference + kDifferenceColumns - 1,
        ColumnCount
    };
    enum Role {
        EventRole = Qt::UserRole,  // id; of a group the first event's
        IsGroupRole,
        FractionRole,  // of the longest event's, or of the phase's time
        SetupRole,     // set-up of its kernel, as a fraction likewise
        PhaseRole,
        ReachedRole,    // the engine is parked here
        HistogramRole,  // exponents of the output's elements: QList<quint32>
        EditRole,       // the first event that ran with an edited source
        NotFiniteRole,  // part of the output's elements that is NaN or Inf
    };

    explicit EventModel(QObject* parent = nullptr);

    void setRecording(std::shared_ptr<const session::Recording> recording);
    void setFlat(bool flat);
    void setFilter(const EventFilter& filter);
    void setReached(session::EventId event);
    // What the user marked, as it stands among the flags.
    void setMarks(std::map<session::EventId, QString> marks);
    session::EventId reached() const { return reached_; }
    // Warm times of the recording; null where there are none.
    void setTimes(std::shared_ptr<const session::OperatorTimes> times);
    bool hasTimes() const { return times_ != nullptr; }
    // What the output is like on each rank; empty: there is one process. They are the same function until it is set
    // again.
    using CellsOf = std::function<RankCells(session::EventId)>;
    void setRanks(CellsOf cells, std::function<QString(const RankCells&)> tip);
    // With a reference; it outlives the model.
    void setComparison(const Comparison* comparison);
    bool isFlat() const { return flat_; }
    // Events that pass the filter, of those taken so far.
    std::size_t acceptedCount() const { return accepted_.size(); }
    std::size_t takenCount() const { return taken_; }
    bool isCaughtUp() const { return !recording_ || taken_ == recording_->event_count(); }

    // Takes new events; returns at once, further portions follow from the event loop.
    void grow();

    QModelIndex indexOf(session::EventId event) const;
    // The accepted event `offset` places after it (before, when negative); 0 past the ends.
    session::EventId neighbour(session::EventId event, int offset) const;
    bool contains(const QModelIndex& group, session::EventId event) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  signals:
    // After a portion was taken.
    void grown();

  private:
    std::map<session::EventId, QString> marks_;
    struct Row {
        int parent = -1;
        int place = 0;               // among the parent's children
        session::EventId event = 0;  // 0: a group
        std::string_view scope;      // of a group: its module path
        session::RunPhase phase = session::RunPhase::Forward;
        session::EventId first = 0;  // of a group: its range
        session::EventId last = 0;
        double seconds = 0;
        double setup = 0;
        double warm = 0;  // medians
        bool is_cold = false;
        bool has_nan = false;
        bool has_inf = false;
        session::NotFinite not_finite = session::NotFinite::None;  // of a group the gravest in it
        bool failed = false;
        std::vector<int> children;
    };

    void rebuild();
    void take(std::size_t count);
    int groupFor(const session::Event& event);
    int openGroup(int parent, const session::Event& event, std::string_view scope);
    void flush();
    void touchGroups();
    const Row& row(const QModelIndex& index) const { return rows_[static_cast<std::size_t>(index.internalId())]; }
    QModelIndex indexOfRow(int row, int column = 0) const;
    QVariant groupText(const Row& row, int column) const;
    bool isLeftOut(const session::Event& event) const;
    const session::Statistics* statisticsOf(const session::Event& event) const;  // of the first output; null: none
    QVariant eventText(const session::Event& event, int column) const;
    QString originTip(session::EventId event) const;
    QVariant tipOf(const Row& row, int column) const;
    // Of a group: it begins in there.
    bool beginsEdit(const Row& row) const;
    QVariant colourOf(const Row& row, int column) const;

    QString timeTip(const Row& row) const;
    QVariant differenceOf(const Row& row, int column) const;
    bool diverges(const Row& row) const;

    std::shared_ptr<const session::Recording> recording_;
    std::shared_ptr<const session::OperatorTimes> times_;
    std::shared_ptr<const session::EditStart> edit_;  // of the recording; null: none
    const Comparison* comparison_ = nullptr;
    CellsOf cells_of_;
    std::function<QString(const RankCells&)> tip_of_cells_;
    EventFilter filter_;
    bool flat_ = false;
    session::EventId reached_ = 0;
    std::size_t taken_ = 0;
    double longest_ = 0;
    double phase_seconds_[3] = {};
    std::deque<Row> rows_;
    std::vector<int> top_;
    std::vector<int> open_;  // groups that the next event may join, outermost first
    std::vector<session::EventId> accepted_;
    std::vector<int> row_of_event_;  // by event id; -1: filtered out
    // Leaves of one parent to be inserted together.
    int pending_parent_ = -2;
    std::vector<int> pending_;
    QTimer timer_;
};

}  // namespace loupe::views
