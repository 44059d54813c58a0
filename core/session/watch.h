// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/model_info.h"
#include "core/record/recording.h"
#include "core/session/condition.h"

namespace loupe::session {

// The value of a watch expression at an event: a module path or value name, then "out", "in", "out[1]" or "grad" (of
// the module's output), then a field of value_field; "layer3.1.conv2.out.absmax", "%x.3.mean", "fc.weight.norm". Text
// of a number, a description of the tensor when no field is named, or why there is none. Never throws.
std::string evaluate_watch(const Recording& recording, const std::string& expression, EventId at);

// What is wrong with a watch expression that is typed: brackets, or a name that neither the model nor the recording
// has. Without a model names are not checked; recording may be null.
ConditionProblem check_watch(const std::string& expression, const ModelInfo* model, const Recording* recording);

// What a watch expression that begins so can go on with, as whole expressions: modules, parameters, then out, in, grad
// and fields.
struct WatchWord {
    std::string text;
    std::string meaning;
};
std::vector<WatchWord> watch_words(const ModelInfo& model, const std::string& typed);

}  // namespace loupe::session
