// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the log and the status say of a training: where it resumed, what it came to, where its numbers went wrong.

#include <memory>
#include <string>

#include "core/base/said.h"
#include "core/session/session_listener.h"
#include "core/study/verdict.h"
#include "core/train/trainer.h"

namespace loupe::session {

Said resumed_text(const Trainer& trainer, const std::string& checkpoint);
// In one line: the step at which it ended, the verdict, and the last epoch's numbers.
Said concluded_text(const Trainer& trainer, const TrainingVerdict& verdict);

struct TrainingFailure {
    Said text;
    std::shared_ptr<const Verdict> verdict;
    SessionListener::LogEntry entry;  // entry.event: the origin; 0 when the failure did not come again
};
// wrong: "the loss is nan at step 12 (epoch 1)"; recording: of that step, run again.
TrainingFailure explain_failure(const Said& wrong, const Recording& recording);

// Empty when the step came out as it was logged, to the last bit.
Said difference(const TrainingStep& now, const TrainingStep& logged);

}  // namespace loupe::session
