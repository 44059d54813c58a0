// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parts of a recording as JSON, for those who write and read the file.

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/model/model_info.h"
#include "core/record/gradient_row.h"
#include "core/record/recording.h"
#include "core/record/run_options.h"

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
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModuleInfo, path, class_name, qualified_name, parent, parameters, buffers,
                                   attributes, training, hooks, parameter_count, parameter_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MethodInfo::Argument, name, type, has_default)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MethodInfo, name, schema, arguments, returns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceFile, name, text, is_original)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GraphNode, parent, is_group, is_plumbing, kind, label, scope, source, blocks,
                                   attributes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GraphEdge, from, to, from_port, to_port, value, type)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GraphModel, method, nodes, edges, inputs, outputs, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModelInfo, path, title, format, file_bytes, modules, methods, sources,
                                   parameter_count, parameter_bytes, buffer_bytes, missing_operators)

// Inputs in folders are given by their absolute paths.
inline void to_json(Json& json, const InputSpec& spec) {
    json = Json{{"source", static_cast<int>(spec.source)},
                {"shape", spec.shape},
                {"dtype", spec.dtype},
                {"seed", spec.seed},
                {"low", spec.low},
                {"high", spec.high},
                {"file", spec.file.empty() ? "" : std::filesystem::absolute(spec.file).string()},
                {"key", spec.key},
                {"elements", Json::array()}};
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

inline void to_json(Json& json, const DataSpec& data) {
    json = Json{{"path", data.path},   {"source", data.source},   {"options", data.options}, {"shape", data.shape},
                {"dtype", data.dtype}, {"classes", data.classes}, {"count", data.count}};
}
inline void from_json(const Json& json, DataSpec& data) {
    data.path = json.at("path").get<std::string>();
    data.source = json.at("source").get<std::string>();
    data.options = json.at("options").get<std::map<std::string, std::string>>();
    data.shape = json.at("shape").get<Shape>();
    data.dtype = json.at("dtype").get<std::string>();
    data.classes = json.at("classes").get<int>();
    data.count = json.at("count").get<std::int64_t>();
}

// Files by their absolute paths, as inputs.
inline void to_json(Json& json, BackwardFrom from) {
    const auto absolute = [](std::string& path) {
        if (!path.empty()) path = std::filesystem::absolute(path).string();
    };
    absolute(from.file);
    absolute(from.target.data.path);
    if (from.target.source == LossTarget::Source::File) absolute(from.target.text);
    json = Json{{"loss", loss_text(from)}, {"target", target_text(from.target)}};
    if (from.target.source == LossTarget::Source::Data) json["data"] = from.target.data;
}
inline void from_json(const Json& json, BackwardFrom& from) {
    const auto loss = json.at("loss").get<std::string>();
    const auto target = json.at("target").get<std::string>();
    try {
        from = parse_backward_from(loss, target);
    } catch (const Error&) {
        from = {};  // a loss of another version: what was recorded can be looked at all the same
        return;
    }
    if (json.contains("data")) from.target.data = json["data"].get<DataSpec>();
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ValueChange, behind, value, slice, formula)

// What was asked for; how it was kept is no matter afterwards.
inline void to_json(Json& json, const RunOptions& run) {
    json =
        Json{{"method", run.method},   {"inputs", run.inputs}, {"backward", run.backward}, {"pipeline", run.pipeline},
             {"threads", run.threads}, {"seed", run.seed},     {"device", run.device}};
    if (run.training) json["training"] = *run.training;
    if (run.backward) json["backward_from"] = run.backward_from;
    if (!run.compile_mode.empty()) json["compile_mode"] = run.compile_mode;
    if (run.opens_operators) json["opens_operators"] = true;
    if (!run.changes.empty()) json["changes"] = run.changes;
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
    if (json.contains("backward_from")) run.backward_from = json["backward_from"].get<BackwardFrom>();
    if (json.contains("opens_operators")) run.opens_operators = json["opens_operators"].get<bool>();
    if (json.contains("changes")) run.changes = json["changes"].get<std::vector<ValueChange>>();
    if (json.contains("training")) run.training = json["training"].get<bool>();
}

inline void to_json(Json& json, const RankFacts& rank) {
    json = Json{
        {"rank", rank.rank}, {"world_size", rank.world_size}, {"local_rank", rank.local_rank},   {"host", rank.host},
        {"pid", rank.pid},   {"program", rank.program},       {"began", number_json(rank.began)}};
}
inline void from_json(const Json& json, RankFacts& rank) {
    rank.rank = json.at("rank").get<int>();
    rank.world_size = json.at("world_size").get<int>();
    rank.local_rank = json.value("local_rank", 0);
    rank.host = json.value("host", "");
    rank.pid = json.value("pid", std::int64_t{0});
    rank.program = json.value("program", "");
    rank.began = json.contains("began") ? json_number(json["began"]) : 0;
}

// With its index: of two rows with the same the later one counts.
inline Json collective_json(std::size_t index, const Collective& c) {
    Json json{{"index", index},           {"group", c.group},
              {"sequence", c.sequence},   {"operation", c.operation},
              {"reduction", c.reduction}, {"dtype", c.dtype},
              {"shapes", c.shapes},       {"bytes", c.bytes},
              {"ranks", c.ranks},         {"peer", c.peer},
              {"event", c.event},         {"waited_by", c.waited_by},
              {"scope", c.scope},         {"file", c.place.file},
              {"line", c.place.line},     {"launched", number_json(c.launched)},
              {"error", c.error}};
    if (c.completed) json["completed"] = number_json(*c.completed);
    if (c.waited_from) json["waited_from"] = number_json(*c.waited_from);
    if (c.waited_until) json["waited_until"] = number_json(*c.waited_until);
    return json;
}
inline void from_json(const Json& json, Collective& c) {
    const auto time = [&json](const char* name) -> std::optional<double> {
        if (!json.contains(name) || json[name].is_null()) return std::nullopt;
        return json_number(json[name]);
    };
    c.group = json.at("group").get<std::string>();
    c.sequence = json.at("sequence").get<std::uint64_t>();
    c.operation = json.at("operation").get<std::string>();
    c.reduction = json.value("reduction", "");
    c.dtype = json.value("dtype", "");
    c.shapes = json.value("shapes", std::vector<Shape>());
    c.bytes = json.value("bytes", std::int64_t{0});
    c.ranks = json.at("ranks").get<std::vector<int>>();
    c.peer = json.value("peer", -1);
    c.event = json.at("event").get<EventId>();
    c.waited_by = json.value("waited_by", EventId{0});
    c.scope = json.value("scope", "");
    c.place = {json.value("file", ""), json.value("line", 0), 0};
    c.launched = time("launched").value_or(0);
    c.completed = time("completed");
    c.waited_from = time("waited_from");
    c.waited_until = time("waited_until");
    c.error = json.value("error", "");
}

inline void to_json(Json& json, const OperatorTimes& times) {
    json = Json{{"warmup", times.warmup},
                {"repeats", times.repeats},
                {"unmatched", times.unmatched},
                {"seconds", times.seconds},
                {"events", Json::array()}};
    for (const OperatorTime& time : times.events)
        json["events"].push_back(Json::array({time.start, time.median, time.low, time.high}));
}
inline void from_json(const Json& json, OperatorTimes& times) {
    times.warmup = json.at("warmup").get<int>();
    times.repeats = json.at("repeats").get<int>();
    times.unmatched = json.at("unmatched").get<std::size_t>();
    times.seconds = json_number(json.at("seconds"));
    for (const Json& row : json.at("events")) {
        times.events.push_back(
            {json_number(row.at(0)), json_number(row.at(1)), json_number(row.at(2)), json_number(row.at(3))});
    }
}

inline void to_json(Json& json, const GradientRow& row) {
    const GradientRow::Magnitudes finite = row.finite.value_or(GradientRow::Magnitudes());
    json = Json::array({row.parameter, row.module, row.shape, row.has_gradient, number_json(finite.mean_abs),
                        number_json(finite.max_abs), number_json(finite.norm),
                        number_json(row.weight_norm.value_or(std::nan(""))), number_json(row.zero_fraction),
                        row.nan_count, row.inf_count, row.event, row.value, static_cast<int>(row.role), row.is_frozen});
}
inline void from_json(const Json& json, GradientRow& row) {
    row.parameter = json.at(0).get<std::string>();
    row.module = json.at(1).get<std::string>();
    row.shape = json.at(2).get<Shape>();
    row.has_gradient = json.at(3).get<bool>();
    const GradientRow::Magnitudes finite{json_number(json.at(4)), json_number(json.at(5)), json_number(json.at(6))};
    if (const double norm = json_number(json.at(7)); !std::isnan(norm)) row.weight_norm = norm;
    row.zero_fraction = json_number(json.at(8));
    row.nan_count = json.at(9).get<std::int64_t>();
    row.inf_count = json.at(10).get<std::int64_t>();
    row.event = json.at(11).get<EventId>();
    row.value = json.at(12).get<ValueId>();
    // Older files end here.
    const int role = json.size() > 13 ? json.at(13).get<int>() : 0;
    row.role = role >= 0 && role <= static_cast<int>(GradientRow::Role::Normalization)
                   ? static_cast<GradientRow::Role>(role)
                   : GradientRow::Role::Weight;
    row.is_frozen = json.size() > 14 && json.at(14).get<bool>();
    const bool is_sane = row.nan_count >= 0 && row.inf_count >= 0 && row.nan_count <= row.count() &&
                         row.inf_count <= row.count() - row.nan_count;
    if (!is_sane) throw Error(ErrorKind::File, "damaged recording: more elements are NaN or Inf than there are");
    if (row.has_gradient && row.nan_count + row.inf_count < row.count()) row.finite = finite;
}

// Numbers of finite elements are zeros where there is none, as older files have them.
inline void to_json(Json& json, const Statistics& s) {
    const FiniteStatistics f = s.finite.value_or(FiniteStatistics());
    json = Json::array({s.count, s.nan_count, s.inf_count, s.zero_count, number_json(f.min), number_json(f.max),
                        number_json(f.mean), number_json(f.variance), number_json(f.abs_max), number_json(f.abs_mean),
                        number_json(f.norm), s.exponents});
}
inline void from_json(const Json& json, Statistics& s) {
    s.count = json.at(0).get<std::int64_t>();
    s.nan_count = json.at(1).get<std::int64_t>();
    s.inf_count = json.at(2).get<std::int64_t>();
    s.zero_count = json.at(3).get<std::int64_t>();
    const bool is_sane = s.count >= 0 && s.nan_count >= 0 && s.inf_count >= 0 && s.nan_count <= s.count &&
                         s.inf_count <= s.count - s.nan_count;
    if (!is_sane) throw Error(ErrorKind::File, "damaged recording: more elements are NaN or Inf than there are");
    FiniteStatistics f;
    double* const fields[] = {&f.min, &f.max, &f.mean, &f.variance, &f.abs_max, &f.abs_mean, &f.norm};
    for (std::size_t i = 0; i < std::size(fields); ++i) *fields[i] = json_number(json.at(4 + i));
    if (s.finite_count() > 0) s.finite = f;
    s.exponents = json.at(11).get<decltype(s.exponents)>();
}

}  // namespace loupe::session
