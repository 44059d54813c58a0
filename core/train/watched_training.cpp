// SPDX-License-Identifier: Apache-2.0
#include "core/train/watched_training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/record/recording_json.h"
#include "core/tensor/quantizer.h"
#include "core/tensor/tensor.h"

namespace loupe::session {
namespace {

constexpr int kFormat = 1;
constexpr std::int64_t kLastStep = std::int64_t{1} << 60;
constexpr std::size_t kMostPending = 64;  // samples whose steps did not come
constexpr std::size_t kMostNotes = 1000;
constexpr std::size_t kMostUnits = 1 << 16;
constexpr std::string_view kBeginning = "{\"kind\":\"hello\"";

[[noreturn]] void fail(std::string message) { throw Error(ErrorKind::File, std::move(message)); }

std::string text_of(const Json& row, const char* name) {
    constexpr std::size_t kLongest = 4096;
    const auto found = row.find(name);
    if (found == row.end() || !found->is_string()) return {};
    return found->get_ref<const std::string&>().substr(0, kLongest);
}

std::int64_t integer_of(const Json& row, const char* name, std::int64_t low, std::int64_t high,
                        std::int64_t otherwise) {
    const auto found = row.find(name);
    if (found == row.end() || !found->is_number_integer()) return otherwise;
    const auto value = found->get<std::int64_t>();
    const bool is_huge = found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(high);
    return is_huge ? high : std::clamp(value, low, high);
}

std::int64_t step_of(const Json& row) {
    const std::int64_t step = integer_of(row, "step", 0, kLastStep, -1);
    if (step < 0) fail("a row without its step");
    return step;
}

// nullopt: null, or beyond the end.
std::optional<double> number_at(const Json& row, const char* name, std::size_t at) {
    const auto found = row.find(name);
    if (found == row.end() || !found->is_array() || at >= found->size() || (*found)[at].is_null()) return std::nullopt;
    return json_number((*found)[at]);
}

float narrow(std::optional<double> value, float otherwise) { return value ? static_cast<float>(*value) : otherwise; }

int sixtyfour(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::vector<std::byte> bytes_of(std::string_view text) {
    while (text.ends_with('=')) text.remove_suffix(1);
    std::vector<std::byte> out;
    out.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t held = 0;
    int bits = 0;
    for (const char c : text) {
        const int value = sixtyfour(c);
        if (value < 0) fail("elements that are no base64");
        held = held << 6 | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        out.push_back(static_cast<std::byte>(held >> bits & 0xff));
    }
    return out;
}

std::vector<TrainingSample::Row> sample_rows(const Json& row, const char* name) {
    std::vector<TrainingSample::Row> out;
    const auto found = row.find(name);
    if (found == row.end()) return out;
    for (const Json& each : *found) out.push_back({each.at(0).get<std::string>(), each.at(1).get<Statistics>()});
    return out;
}

Tensor tensor_of(const std::vector<std::byte>& bytes, const Value& value) {
    const auto dtype = elements_dtype(value.dtype);
    if (!dtype) return {};
    std::size_t count = 1;
    for (const std::int64_t size : value.shape) {
        if (size < 0 || (size > 0 && count > WatchedTraining::kLongestLine / static_cast<std::size_t>(size)))
            fail("elements of an impossible shape");
        count *= static_cast<std::size_t>(size);
    }
    const Tensor out = loupe::empty(value.shape, *dtype);
    if (out.bytes() != bytes.size() || count != static_cast<std::size_t>(out.numel()))
        fail("elements of another size than their value");
    if (!bytes.empty()) std::memcpy(out.raw_data(), bytes.data(), bytes.size());
    return out;
}

}  // namespace

WatchedTraining::WatchedTraining(std::string_view hello) {
    try {
        const Json row = Json::parse(hello);
        if (!row.is_object() || text_of(row, "kind") != "hello") fail("these are no rows of a training");
        const std::int64_t format = integer_of(row, "format", 0, 1 << 20, 0);
        if (format > kFormat)
            throw Error(ErrorKind::Unsupported,
                        concat("rows of a training in format ", format, "; this program reads format ", kFormat));
        read_hello(row);
    } catch (const nlohmann::json::exception&) {
        fail("these are no rows of a training");
    }
    log_ = std::make_shared<TrainingLog>(TrainOptions(), 0);
    publish_program();
}

void WatchedTraining::read_hello(const Json& row) {
    program_.name = text_of(row, "program");
    if (program_.name.empty()) program_.name = "a program";
    program_.host = text_of(row, "host");
    program_.torch = text_of(row, "torch");
    program_.optimizer = text_of(row, "optimizer");
    program_.process = integer_of(row, "pid", 0, kLastStep, 0);
    program_.ranks = static_cast<int>(integer_of(row, "ranks", 1, kMostRanks, 1));
    program_.every = integer_of(row, "every", 1, kLastStep, 1);
    step_ = integer_of(row, "step", 0, kLastStep, 0);
    const auto parked = row.find("parked");
    if (parked != row.end() && parked->is_boolean() && parked->get<bool>()) parked_[0] = step_;
}

void WatchedTraining::publish_program() {
    if (!log_) return;
    TrainingOrigin origin = log_->origin();
    origin.program = program_;
    log_->set_origin(std::move(origin));
}

void WatchedTraining::set_live(bool is_live) {
    program_.is_live = is_live;
    publish_program();
}

void WatchedTraining::add(std::string_view line) {
    if (line.empty()) return;
    try {
        const Json row = Json::parse(line);
        if (!row.is_object()) fail("no row");
        return add_row(row);
    } catch (const nlohmann::json::exception&) {
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::File && error.kind() != ErrorKind::Unsupported) throw;
    }
    if (++damaged_ > kMostDamaged) fail(concat(damaged_, " lines that are no rows of a training"));
}

void WatchedTraining::add_row(const Json& row) {
    const std::string kind = text_of(row, "kind");
    const int rank = static_cast<int>(integer_of(row, "rank", 0, kMostRanks, 0));
    if (kind == "model" && rank == 0) return add_model(row);
    if (kind == "steps") return add_steps(row, rank);
    if (kind == "sample") return add_sample(row, rank);
    if (kind == "tensors" && rank == 0) return add_tensors(row);
    if (kind == "values" && rank == 0) return add_values(row);
    if (kind == "curves") return add_curves(row, rank);
    if (kind == "memory") return add_memory(row, rank);
    const std::string who = rank == 0 ? std::string() : concat("rank ", rank, ": ");
    const auto note = [&](std::string text) {
        if (notes_.size() < kMostNotes) notes_.push_back(concat(who, text));
    };
    if (kind == "parked") {
        parked_[rank] = step_of(row);
    } else if (kind == "running") {
        parked_.erase(rank);
    } else if (kind == "every" && rank == 0) {
        program_.every = integer_of(row, "every", 1, kLastStep, program_.every);
        publish_program();
    } else if (kind == "optimizer" && rank == 0) {
        program_.optimizer = text_of(row, "text");
        publish_program();
    } else if (kind == "recorded") {
        note(concat("step ", step_of(row), " is recorded in ", text_of(row, "path")));
        if (rank != 0) return;
        program_.recorded_step = step_of(row);
        program_.recorded_in = text_of(row, "path");
        publish_program();
    } else if (kind == "note") {
        note(text_of(row, "text"));
    } else if (kind == "dropped") {
        note(concat(counted(static_cast<std::size_t>(integer_of(row, "rows", 0, kLastStep, 0)), "row"),
                    " of the training came faster than they could be taken, and are missing"));
    } else if (kind == "end") {
        parked_.erase(rank);
        if (const std::string why = text_of(row, "why"); !why.empty()) note(why);
        if (rank == 0) has_ended_ = true;
    }
}

// Steps before it are of a program that says its model late: none are.
void WatchedTraining::add_model(const Json& row) {
    if (model_) return;
    const auto model = model_of_rows(row.at("model"));
    auto names = row.at("parameters").get<std::vector<std::string>>();
    if (names.size() > kMostParameters) fail(concat(names.size(), " parameters are too many"));
    model_ = model;
    if (log_->step_count() != 0) return;
    parameters_ = std::move(names);
    log_ = std::make_shared<TrainingLog>(TrainOptions(), 0, parameters_);
    publish_program();
}

void WatchedTraining::report(std::string tag, int rank, std::int64_t step, double value) {
    if (program_.ranks > 1 || rank != 0) tag += concat("/rank ", rank);
    log_->report({std::move(tag), {value}, step}, step);
}

void WatchedTraining::add_steps(const Json& row, int rank) {
    const Json& steps = row.at("step");
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!steps[i].is_number_integer()) fail("a step without its number");
        const auto number = steps[i].get<std::int64_t>();
        if (number <= 0 || number > kLastStep) fail("a step without its number");
        const auto loss = number_at(row, "loss", i);
        const auto seconds = number_at(row, "seconds", i);
        if (program_.ranks > 1 && loss) report("loss", rank, number, *loss);
        if (seconds) report("step time (ms)", rank, number, 1e3 * *seconds);
        if (const auto wait = number_at(row, "wait", i)) report("wait for data (ms)", rank, number, 1e3 * *wait);
        if (rank != 0) continue;
        rate_ = number_at(row, "rate", i).value_or(rate_);
        if (!loss || number <= step_logged_) continue;
        TrainingStep step;
        step.step = number;
        step.loss = *loss;
        step.learning_rate = rate_;
        step.seconds = seconds.value_or(0);
        step.gradient_norm = -1;
        std::vector<ParameterNorms> norms;
        if (const auto found = norms_.find(number); found != norms_.end()) {
            step.gradient_norm = found->second.all;
            step.is_recorded = true;
            norms = std::move(found->second.parameters);
        }
        norms_.erase(norms_.begin(), norms_.upper_bound(number));
        const auto found = log_->add(step, norms);
        findings_.insert(findings_.end(), found.begin(), found.end());
        step_logged_ = number;
        step_ = std::max(step_, number);
    }
}

void WatchedTraining::add_sample(const Json& row, int rank) {
    const std::int64_t step = step_of(row);
    const auto all = row.find("gradient_norm");
    const double norm = all == row.end() || all->is_null() ? -1 : json_number(*all);
    if (program_.ranks > 1 && norm != -1) report("gradient norm", rank, step, norm);
    if (rank != 0 || row.at("gradient").size() != parameters_.size()) return;
    Norms norms;
    norms.all = norm;
    norms.parameters.resize(parameters_.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        ParameterNorms& each = norms.parameters[i];
        each.gradient = narrow(number_at(row, "gradient", i), ParameterNorms::kNone);
        each.update = narrow(number_at(row, "update", i), 0);
        each.weight = narrow(number_at(row, "weight", i), 0);
    }
    norms_[step] = std::move(norms);
    if (norms_.size() > kMostPending) norms_.erase(norms_.begin());
}

void WatchedTraining::add_tensors(const Json& row) {
    auto sample = std::make_shared<TrainingSample>();
    sample->step = step_of(row);
    sample->weights = sample_rows(row, "weights");
    sample->gradients = sample_rows(row, "gradients");
    sample->activations = sample_rows(row, "activations");
    if (const auto units = row.find("units"); units != row.end()) {
        for (const Json& each : *units) {
            UnitActivity activity;
            activity.scope = each.at(0).get<std::string>();
            const auto& bits = each.at(1).get_ref<const std::string&>();
            if (bits.size() > kMostUnits) fail("too many units");
            for (const char bit : bits) activity.is_zero.push_back(bit == '1');
            sample->units.push_back(std::move(activity));
        }
    }
    if (sample->step <= sampled_) return;
    sampled_ = sample->step;
    const auto found = log_->add(std::move(sample));
    findings_.insert(findings_.end(), found.begin(), found.end());
}

void WatchedTraining::add_values(const Json& row) {
    auto elements = std::make_shared<std::map<ValueId, std::vector<std::byte>>>();
    if (const auto found = row.find("elements"); found != row.end()) {
        for (const auto& [number, text] : found->items()) {
            const auto id = static_cast<ValueId>(std::strtoul(number.c_str(), nullptr, 10));
            if (id != 0) (*elements)[id] = bytes_of(text.get_ref<const std::string&>());
        }
    }
    // The recording asks with the number of a value of its own; it lives as long as what it is asked by.
    auto recorded = std::make_shared<std::weak_ptr<const Recording>>();
    auto file = std::make_unique<RecordingFile>(
        row.at("rows"),
        [elements, recorded](ValueId id) {
            const auto recording = recorded->lock();
            const auto found = elements->find(id);
            return recording == nullptr || found == elements->end() ? Tensor()
                                                                    : tensor_of(found->second, recording->value(id));
        },
        model_);
    *recorded = file->recording();
    recording_ = std::move(file);
}

void WatchedTraining::add_curves(const Json& row, int rank) {
    for (const Json& point : row.at("points")) {
        const auto& tag = point.at(0).get_ref<const std::string&>();
        const auto step = point.at(1).get<std::int64_t>();
        if (tag.empty() || tag.size() > 200 || step < 0 || step > kLastStep || point.at(2).is_null()) continue;
        report(tag, rank, step, json_number(point.at(2)));
    }
}

void WatchedTraining::add_memory(const Json& row, int rank) {
    const std::int64_t step = step_of(row);
    std::size_t most = 64;
    for (const auto& [name, bytes] : row.at("bytes").items()) {
        if (most-- == 0 || name.size() > 100) break;
        report(concat("memory (MiB)/", name), rank, step, json_number(bytes) / (1 << 20));
    }
}

// --- files ---

bool is_watched_file(const std::filesystem::path& path) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) return false;
    try {
        const auto file = MappedFile::open(path);
        const auto bytes = file->bytes();
        return bytes.size() > kBeginning.size() && std::memcmp(bytes.data(), kBeginning.data(), kBeginning.size()) == 0;
    } catch (const Error&) {
        return false;
    }
}

std::unique_ptr<WatchedTraining> read_watched_file(const std::filesystem::path& path) {
    const auto file = MappedFile::open(path);
    std::string_view left(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
    std::unique_ptr<WatchedTraining> out;
    try {
        while (!left.empty()) {
            const auto end = left.find('\n');
            if (end == std::string_view::npos) break;  // the program was ended while it wrote it
            const std::string_view line = left.substr(0, end);
            left.remove_prefix(end + 1);
            if (line.size() > WatchedTraining::kLongestLine) fail("a line that is too long");
            if (!out)
                out = std::make_unique<WatchedTraining>(line);
            else
                out->add(line);
        }
        if (!out) fail("these are no rows of a training");
    } catch (Error& error) {
        error.add_context({.file = path.string()});
        throw;
    }
    return out;
}

}  // namespace loupe::session
