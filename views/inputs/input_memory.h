// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The last inputs and options of a model, stored in the program's settings.

#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

#include "core/model/input_spec.h"
#include "core/model/model_info.h"
#include "core/record/run_options.h"

namespace loupe::views {

// model: the path of its file. Of `options` only inputs and the panel's options are stored.
void rememberInputs(const QString& model, const std::vector<session::InputSpec>& inputs,
                    const session::RunOptions& options);

struct RememberedInputs {
    std::vector<session::InputSpec> inputs;
    session::RunOptions options;
};
// The same as JSON, for storing elsewhere. None when an input file no longer exists, or it is no such object.
QJsonObject inputsJson(const std::vector<session::InputSpec>& inputs, const session::RunOptions& options);
std::optional<RememberedInputs> inputsFromJson(const QJsonObject& object, session::RunOptions options);
// None for a new model, or when an input file no longer exists. options: the values that are not stored.
std::optional<RememberedInputs> recallInputs(const QString& model, session::RunOptions options);

// Are these what the engine tries, of a source that says nothing of its inputs, and of which none are remembered?
bool areGuessed(const session::ModelInfo& model, const std::vector<session::InputSpec>& inputs);

// What makes the model of a source, as its user chose it last; empty: nothing was chosen.
void rememberConstructor(const QString& model, const QString& expression);
QString recallConstructor(const QString& model);

}  // namespace loupe::views
