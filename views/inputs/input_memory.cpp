// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/inputs/input_memory.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <algorithm>

#include "core/session/limits.h"
#include "views/common/engine_files.h"
#include "views/common/model_key.h"

namespace loupe::views {

using session::InputSpec;
using session::RunOptions;

namespace {

QString keyOf(const QString& model) { return modelKey(model, "inputs"); }

QJsonObject toJson(const InputSpec& spec) {
    QJsonObject object;
    if (spec.literal) object[QStringLiteral("literal")] = QString::fromStdString(*spec.literal);
    QJsonArray shape;
    for (const auto size : spec.shape) shape.append(static_cast<qint64>(size));
    object[QStringLiteral("source")] = static_cast<int>(spec.source);
    object[QStringLiteral("shape")] = shape;
    object[QStringLiteral("dtype")] = QString::fromStdString(spec.dtype);
    object[QStringLiteral("seed")] = static_cast<qint64>(spec.seed);
    object[QStringLiteral("low")] = static_cast<qint64>(spec.low);
    object[QStringLiteral("high")] = static_cast<qint64>(spec.high);
    object[QStringLiteral("file")] = QString::fromStdString(spec.file);
    object[QStringLiteral("key")] = QString::fromStdString(spec.key);
    QJsonArray elements;
    for (const InputSpec& element : spec.elements) elements.append(toJson(element));
    object[QStringLiteral("elements")] = elements;
    return object;
}

InputSpec fromJson(const QJsonObject& object) {  // QJsonDocument limits how deep it nests
    InputSpec spec;
    if (object.contains(QStringLiteral("literal")))
        spec.literal = object[QStringLiteral("literal")].toString().toStdString();
    const int source = object[QStringLiteral("source")].toInt();
    spec.source = static_cast<InputSpec::Source>(std::clamp(source, 0, static_cast<int>(InputSpec::Source::Example)));
    for (const auto& size : object[QStringLiteral("shape")].toArray()) spec.shape.push_back(size.toInteger());
    spec.dtype = object[QStringLiteral("dtype")].toString().toStdString();
    spec.seed = static_cast<std::uint64_t>(object[QStringLiteral("seed")].toInteger());
    spec.low = object[QStringLiteral("low")].toInteger();
    spec.high = object[QStringLiteral("high")].toInteger();
    spec.file = object[QStringLiteral("file")].toString().toStdString();
    spec.key = object[QStringLiteral("key")].toString().toStdString();
    for (const auto& element : object[QStringLiteral("elements")].toArray())
        spec.elements.push_back(fromJson(element.toObject()));
    return spec;
}

bool filesAreThere(const InputSpec& spec) {
    if (spec.source == InputSpec::Source::File && !spec.literal && spec.elements.empty())
        return EngineFiles::areFar() || QFileInfo::exists(QString::fromStdString(spec.file));  // a run there says it
    return std::all_of(spec.elements.begin(), spec.elements.end(), filesAreThere);
}

}  // namespace

QJsonObject inputsJson(const std::vector<InputSpec>& inputs, const RunOptions& options) {
    QJsonArray specs;
    for (const InputSpec& spec : inputs) specs.append(toJson(spec));
    QJsonObject object{{QStringLiteral("inputs"), specs},
                       {QStringLiteral("backward"), options.backward},
                       {QStringLiteral("statistics"), options.statistics},
                       {QStringLiteral("pipeline"), QString::fromStdString(options.pipeline)},
                       {QStringLiteral("compile_mode"), QString::fromStdString(options.compile_mode)},
                       {QStringLiteral("threads"), options.threads},
                       {QStringLiteral("seed"), static_cast<qint64>(options.seed)}};
    if (!options.left_out.empty()) {
        QJsonArray names;
        for (const std::string& name : options.left_out) names.append(QString::fromStdString(name));
        object[QStringLiteral("left_out")] = names;
    }
    if (options.opens_operators) object[QStringLiteral("parts")] = true;
    object[QStringLiteral("loss")] = QString::fromStdString(session::loss_text(options.backward_from));
    object[QStringLiteral("target")] = QString::fromStdString(session::target_text(options.backward_from.target));
    if (options.training) object[QStringLiteral("training")] = *options.training;
    return object;
}

void rememberInputs(const QString& model, const std::vector<InputSpec>& inputs, const RunOptions& options) {
    QSettings().setValue(keyOf(model), QJsonDocument(inputsJson(inputs, options)).toJson(QJsonDocument::Compact));
}

std::optional<RememberedInputs> recallInputs(const QString& model, RunOptions options) {
    return inputsFromJson(QJsonDocument::fromJson(QSettings().value(keyOf(model)).toByteArray()).object(),
                          std::move(options));
}

std::optional<RememberedInputs> inputsFromJson(const QJsonObject& object, RunOptions options) {
    if (object.isEmpty()) return std::nullopt;
    RememberedInputs all;
    for (const auto& spec : object[QStringLiteral("inputs")].toArray()) all.inputs.push_back(fromJson(spec.toObject()));
    if (!std::all_of(all.inputs.begin(), all.inputs.end(), filesAreThere)) return std::nullopt;
    options.backward = object[QStringLiteral("backward")].toBool();
    options.statistics = object[QStringLiteral("statistics")].toBool(true);
    options.pipeline = object[QStringLiteral("pipeline")].toString(QStringLiteral("none")).toStdString();
    options.compile_mode = object[QStringLiteral("compile_mode")].toString().toStdString();
    options.threads = std::clamp(object[QStringLiteral("threads")].toInt(), 0, session::most_threads());
    options.seed = static_cast<std::uint64_t>(object[QStringLiteral("seed")].toInteger());
    options.opens_operators = object[QStringLiteral("parts")].toBool();
    options.left_out.clear();
    for (const auto& name : object[QStringLiteral("left_out")].toArray())
        options.left_out.insert(name.toString().toStdString());
    options.backward_from = {};
    try {
        options.backward_from = session::parse_backward_from(object[QStringLiteral("loss")].toString().toStdString(),
                                                             object[QStringLiteral("target")].toString().toStdString());
    } catch (const std::exception&) {
        // A loss that this version lacks: as for a new model.
    }
    options.training.reset();
    if (object.contains(QStringLiteral("training"))) options.training = object[QStringLiteral("training")].toBool();
    all.options = options;
    return all;
}

bool areGuessed(const session::ModelInfo& model, const std::vector<InputSpec>& inputs) {
    const auto isGiven = [](const InputSpec& spec) {
        return spec.source == InputSpec::Source::Example || spec.source == InputSpec::Source::File;
    };
    return model.form == session::ModelForm::Evaluated && !inputs.empty() &&
           std::none_of(inputs.begin(), inputs.end(), isGiven) && !recallInputs(QString::fromStdString(model.path), {});
}

void rememberConstructor(const QString& model, const QString& expression) {
    QSettings settings;
    if (expression.isEmpty())
        settings.remove(modelKey(model, "constructors"));
    else
        settings.setValue(modelKey(model, "constructors"), expression);
}

QString recallConstructor(const QString& model) {
    return QSettings().value(modelKey(model, "constructors")).toString();
}

}  // namespace loupe::views
