// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parts of a recording as JSON, for those who write and read the file.

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/session/model_info.h"
#include "core/session/requests.h"

namespace loupe::session {

using Json = nlohmann::json;

// JSON has neither infinities nor NaN.
inline Json number_json(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}
inline double json_number(const Json& json) {
    if (!json.is_string()) return json.get<double>();
    const auto& text = json.get_ref<const std::string&>();
    return text == "nan" ? std::nan("") : text == "inf" ? HUGE_VAL : -HUGE_VAL;
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourcePlace, file, line, column)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TensorInfo, name, dtype, shape, bytes, requires_grad, storage_id)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModuleInfo, path, class_name, qualified_name, parent, parameters, buffers, attributes, training,
                                   hooks, parameter_count, parameter_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MethodInfo::Argument, name, type, has_default)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MethodInfo, name, schema, arguments, returns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceFile, name, text, is_original)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GraphNode, parent, is_group, is_plumbing, kind, label, scope, source, blocks, attributes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GraphEdge, from, to, from_port, to_port, value, type)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GraphModel, method, nodes, edges, inputs, outputs, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModelInfo, path, title, format, file_bytes, modules, methods, sources, parameter_count,
                                   parameter_bytes, buffer_bytes, missing_operators)

// Inputs in folders are given by their absolute paths.
inline void to_json(Json& json, const InputSpec& spec) {
    json = Json{{"source", static_cast<int>(spec.source)}, {"shape", spec.shape}, {"dtype", spec.dtype}, {"seed", spec.seed},
                {"low", spec.low}, {"high", spec.high}, {"file", spec.file.empty() ? "" : std::filesystem::absolute(spec.file).string()},
                {"key", spec.key}, {"elements", Json::array()}};
    for (const InputSpec& element : spec.elements) json["elements"].push_back(element);
    if (spec.literal) json["literal"] = *spec.literal;
}
inline InputSpec json_input(const Json& json, int depth = 0) {
    constexpr int kDeepest = 32;
    if (depth > kDeepest) throw Error(ErrorKind::File, "has inputs that nest too deep");
    InputSpec spec;
    const int source = json.at("source").get<int>();
    const bool is_known = source >= 0 && source <= static_cast<int>(InputSpec::Source::Example);
    spec.source = is_known ? static_cast<InputSpec::Source>(source) : InputSpec::Source::Normal;
    spec.shape = json.at("shape").get<Shape>();
    spec.dtype = json.at("dtype").get<std::string>();
    spec.seed = json.at("seed").get<std::uint64_t>();
    spec.low = json.at("low").get<std::int64_t>();
    spec.high = json.at("high").get<std::int64_t>();
    spec.file = json.at("file").get<std::string>();
    spec.key = json.at("key").get<std::string>();
    for (const Json& element : json.at("elements")) spec.elements.push_back(json_input(element, depth + 1));
    if (json.contains("literal")) spec.literal = json["literal"].get<std::string>();
    return spec;
}

// What was asked for; how it was kept is no matter afterwards.
inline void to_json(Json& json, const RunOptions& run) {
    json = Json{{"method", run.method}, {"inputs", run.inputs}, {"backward", run.backward}, {"pipeline", run.pipeline},
                {"threads", run.threads}, {"seed", run.seed}, {"device", run.device}};
    if (run.training) json["training"] = *run.training;
    if (!run.compile_mode.empty()) json["compile_mode"] = run.compile_mode;
}
inline void from_json(const Json& json, RunOptions& run) {
    run.method = json.at("method").get<std::string>();
    for (const Json& input : json.at("inputs")) run.inputs.push_back(json_input(input));
    run.backward = json.at("backward").get<bool>();
    run.pipeline = json.at("pipeline").get<std::string>();
    run.threads = json.at("threads").get<int>();
    run.seed = json.at("seed").get<std::uint64_t>();
    run.device = json.at("device").get<std::string>();
    if (json.contains("compile_mode")) run.compile_mode = json["compile_mode"].get<std::string>();
    if (json.contains("training")) run.training = json["training"].get<bool>();
}

inline void to_json(Json& json, const GradientRow& row) {
    json = Json::array({row.parameter, row.module, row.shape, row.has_gradient, number_json(row.mean_abs), number_json(row.max_abs),
                        number_json(row.norm), number_json(row.weight_norm), number_json(row.zero_fraction), row.nan_count,
                        row.inf_count, row.event, row.value});
}
inline void from_json(const Json& json, GradientRow& row) {
    row.parameter = json.at(0).get<std::string>();
    row.module = json.at(1).get<std::string>();
    row.shape = json.at(2).get<Shape>();
    row.has_gradient = json.at(3).get<bool>();
    row.mean_abs = json_number(json.at(4));
    row.max_abs = json_number(json.at(5));
    row.norm = json_number(json.at(6));
    row.weight_norm = json_number(json.at(7));
    row.zero_fraction = json_number(json.at(8));
    row.nan_count = json.at(9).get<std::int64_t>();
    row.inf_count = json.at(10).get<std::int64_t>();
    row.event = json.at(11).get<EventId>();
    row.value = json.at(12).get<ValueId>();
}

inline void to_json(Json& json, const Statistics& s) {
    json = Json::array({s.count, s.nan_count, s.inf_count, s.zero_count, number_json(s.min), number_json(s.max), number_json(s.mean),
                        number_json(s.variance), number_json(s.abs_max), number_json(s.abs_mean), number_json(s.norm), s.exponents});
}
inline void from_json(const Json& json, Statistics& s) {
    s.count = json.at(0).get<std::int64_t>();
    s.nan_count = json.at(1).get<std::int64_t>();
    s.inf_count = json.at(2).get<std::int64_t>();
    s.zero_count = json.at(3).get<std::int64_t>();
    double* const fields[] = {&s.min, &s.max, &s.mean, &s.variance, &s.abs_max, &s.abs_mean, &s.norm};
    for (std::size_t i = 0; i < std::size(fields); ++i) *fields[i] = json_number(json.at(4 + i));
    s.exponents = json.at(11).get<decltype(s.exponents)>();
}

}  // namespace loupe::session
