// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a report shows before it is drawn: the model is opened and run, its operators are timed, references are pinned
// and compared. Every step waits for its end.

#include <functional>

#include "views/common/comparison.h"
#include "views/report/report_options.h"

namespace loupe::views {

// Lets events run until it is so; false when the time is up.
bool waitUntil(const std::function<bool()>& done, int milliseconds);

// Ends a report: its exit status and a line with the reason.
struct ReportFailure {
    int status = 0;
    QString line;
};

class ReportRun {
  public:
    using Say = std::function<void(const QString&)>;

    ReportRun(SessionBridge& bridge, const ReportOptions& options, const Say& say)
        : bridge_(bridge), options_(options), say_(say) {}

    // Throws ReportFailure when it cannot be opened.
    void open();
    // A recording has run. False when the run failed: what it did until then is there. Throws ReportFailure for inputs
    // that cannot be had.
    bool run();
    // Does nothing for a run without events. Throws ReportFailure for a reference that cannot be had.
    void compare();
    // All of them, once they are compared: none is beyond tolerance.
    bool isClose() const;

  private:
    // The answer to a query, once it is there.
    template <typename Query>
    typename Query::Answer ask(Query query);
    bool isRecorded() const { return !bridge_.model()->recorded_in.empty(); }
    void permit(const QString& file);
    void loadWeights();
    void script();
    void prepare();
    bool runOnce();
    void pin(session::ReferenceSource source);

    SessionBridge& bridge_;
    const ReportOptions& options_;
    const Say& say_;
    bool is_timed_ = false;
};

}  // namespace loupe::views
