// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The mode in which panels show the run beside a reference: what is pinned, which one panels compare with, and the
// differences. One for a bridge; GUI thread only.

#include <QColor>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/study/reference.h"
#include "views/common/session_bridge.h"

namespace loupe::views {

class Comparison : public QObject {
    Q_OBJECT

  public:
    // That of the bridge, made when it is asked for first.
    static Comparison& of(SessionBridge& bridge);

    void pin(session::ReferenceSource source);
    void unpin(int id);  // 0: all
    // A run that the session pinned: panels compare with it.
    void adopt(const session::PinnedReference& reference);
    // Panels compare with this one.
    void choose(int id);
    const std::vector<session::PinnedReference>& references() const { return references_; }
    // Null: none is pinned.
    const session::PinnedReference* current() const;
    bool isOn() const { return current() != nullptr; }
    bool isPinning() const { return is_pinning_; }
    // Why the last could not be pinned; empty: it could.
    const QString& failure() const { return failure_; }
    // Of that: see error_kind_name.
    const std::string& failureKind() const { return failure_kind_; }

    // Of the run with the current reference; null while there are none.
    const std::shared_ptr<const session::RunDifferences>& differences() const { return differences_; }
    // With each reference, by its id.
    const std::map<int, std::shared_ptr<const session::RunDifferences>>& all() const { return all_; }
    const session::EventDifference* ofEvent(session::EventId event) const;
    const session::ModuleDifference* ofModule(const std::string& path) const;
    const session::ParameterDifference* ofParameter(const std::string& name) const;
    // What the event is aligned with; null: nothing.
    const session::ReferenceEvent* partnerOf(session::EventId event) const;
    // The first event that is aligned with one like that; 0: none.
    session::EventId ownOf(const std::function<bool(const session::ReferenceEvent&)>& is_wanted) const;
    // Empty: none was compared.
    QString headline() const;

    const session::CompareOptions& options() const { return options_; }
    void setTolerance(std::optional<double> rtol, std::optional<double> atol);
    // Can be undone. Remembered with the model's file.
    void setMends(std::vector<session::AlignmentMend> mends);

    // Selects the first event that diverges.
    void goToDivergence(session::RunPhase phase);
    QString whyNoDivergence(session::RunPhase phase) const;

    // Shows what an event of the current reference made, one that this run has nothing for.
    void showReferenceEvent(session::EventId there) { emit referenceEventWanted(there); }

    // Replaces replies of the session, for tests.
    void show(const session::PinnedReference& reference, const session::RunDifferences& differences);

  signals:
    // References, or which is current.
    void referencesChanged();
    // What was to be pinned cannot be; the Compare panel says why.
    void pinFailed();
    void differencesChanged();
    // Panels with texts are to show them beside the reference's.
    void textsWanted();
    void referenceEventWanted(session::EventId there);

  private:
    explicit Comparison(SessionBridge& bridge);
    void takeStatus();
    void compare();
    void compareWith(int id);
    void take(int id, const session::RunDifferences& found);
    void index();
    void useMends(std::vector<session::AlignmentMend> mends);
    QString mendsKey() const;
    friend class MendsEdit;

    SessionBridge& bridge_;
    std::vector<session::PinnedReference> references_;
    int current_ = 0;
    bool is_pinning_ = false;
    QString failure_;
    std::string failure_kind_;
    session::CompareOptions options_;
    std::map<int, std::shared_ptr<const session::RunDifferences>> all_;
    std::shared_ptr<const session::RunDifferences> differences_;
    std::vector<const session::EventDifference*> by_event_;
    std::unordered_map<std::string, const session::ModuleDifference*> by_module_;
    std::unordered_map<std::string, const session::ParameterDifference*> by_parameter_;
    std::shared_ptr<const session::Recording> compared_;  // the run, and how much of it
    std::size_t compared_events_ = 0;
};

// Columns that panels show of a difference, in this order.
enum class DifferenceColumn { MaxAbs, Relative, Ulp, Cosine, Snr };
inline constexpr int kDifferenceColumns = 5;
QString differenceHeader(DifferenceColumn column);
QString differenceTip(DifferenceColumn column);
QString differenceText(const session::Difference& numbers, DifferenceColumn column);
// Of a signal to noise in dB: from grey, which is equal, over yellow to red, where noise is as great as the signal.
QColor differenceColour(double snr_db);
// "equal", "max abs 3.1e-02, relative 4.0e-01, 21.4 dB", "shape 1x8, there 2x8".
QString differenceText(const session::EventDifference& row);

}  // namespace loupe::views
