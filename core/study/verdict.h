// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a run came to, in one sentence: the cause first, where it is, what to do. Computed from the recording.

#include <memory>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/said.h"
#include "core/model/model_info.h"
#include "core/record/gradient_row.h"
#include "core/record/recording.h"
#include "core/record/run_options.h"

namespace loupe::session {

struct Verdict {
    enum class Severity : std::uint8_t {
        Good,
        Note,     // nothing is wrong with the numbers; something was not looked at, or not reached
        Warning,  // outputs and gradients are finite, but other numbers were not, or a dead layer stops the gradients
        Error,    // outputs, gradients or parameters are not finite, or the run failed
    };
    Severity severity = Severity::Good;
    Said text;                    // one sentence without its full stop
    Said advice;                  // what to do; empty where there is nothing to do
    bool answers_search = false;  // the run was a search for the next NaN or Inf that met none
    // The place it speaks of, as far as there is one.
    EventId event = 0;
    int graph_node = -1;
    std::string module;
    SourcePlace source;

    // Text and advice as one line.
    Said line() const;
};
constexpr Verdict::Severity last_of(Verdict::Severity) { return Verdict::Severity::Error; }
auto fields(Like<Verdict> auto& it) {
    return std::tie(it.severity, it.text, it.advice, it.answers_search, it.event, it.graph_node, it.module, it.source);
}

// What a recording does not say of its run.
struct RunFacts {
    bool has_statistics = true;  // else NaN and Inf were not looked for
    bool has_backward = false;
    bool searched = false;                     // the run was to stop at the next NaN or Inf, and met none
    std::vector<std::string> left_out = {};    // modules that are not recorded
    std::vector<int> missed_breakpoints = {};  // ids of those that are enabled and were not met
    // It failed: the first line of the error, and what its hint says.
    Said error = {};
    std::string hint = {};
    SourcePlace error_source = {};
    // What opening the source had made of its model already; else null.
    std::shared_ptr<const Verdict> opening = nullptr;
    // Of the parameters, after a backward that started from a loss: see starts_from_loss().
    std::vector<GradientRow> gradients = {};
};
// Did backward start from a loss? Only then a gradient of zero tells of the model.
bool starts_from_loss(const Recording& recording);
Verdict conclude(const Recording& recording, const RunFacts& facts);
// Statistics, backward and what is left out are as the options say.
Verdict conclude(const Recording& recording, const RunOptions& options, RunFacts facts);

// What an event that makes or turns a NaN or Inf does: "sqrt at 0 in length, net.py:9, makes the first NaN in
// backward".
Verdict explain(const Recording& recording, EventId origin);
// The event to blame when the end of a run is not finite: the origin of the first value that nothing has read, or has
// accumulated, and that holds NaN (else Inf). 0 when all ends are finite.
EventId blamed_event(const Recording& recording);
// The first event that makes or turns a NaN or Inf, whether it reaches an end or not; 0.
EventId first_origin(const Recording& recording);
// A parameter, buffer or input that was not finite before the run, and is not meant so: "the input x holds 3 NaN";
// empty.
Said bad_before(const Recording& recording);

// What ended a training. wrong: "the loss is nan at step 12 (epoch 1)"; recording: of that step.
Verdict conclude_training(const Said& wrong, const Recording& recording);

}  // namespace loupe::session
