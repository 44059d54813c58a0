// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the inputs of a model were the last time, and how it ran: kept with the program's settings.

#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

#include "core/model/input_spec.h"
#include "core/record/run_options.h"

namespace loupe::views {

// model: the path of its file. Only inputs and the options that the panel offers are kept of `options`.
void rememberInputs(const QString& model, const std::vector<session::InputSpec>& inputs, const session::RunOptions& options);

struct RememberedInputs {
    std::vector<session::InputSpec> inputs;
    session::RunOptions options;
};
// The same as JSON, for who keeps it elsewhere. Nothing when a file that fed the model is gone, or it is no such object.
QJsonObject inputsJson(const std::vector<session::InputSpec>& inputs, const session::RunOptions& options);
std::optional<RememberedInputs> inputsFromJson(const QJsonObject& object, session::RunOptions options);
// Nothing when the model was not seen before, or a file that fed it is gone. options: what is not remembered.
std::optional<RememberedInputs> recallInputs(const QString& model, session::RunOptions options);

}  // namespace loupe::views
