// SPDX-License-Identifier: Apache-2.0
// compare: models and recordings held against the first of them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/imported.h"
#include "core/base/counted.h"
#include "core/base/cut_text.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/record/recording_file.h"
#include "core/study/device_check.h"
#include "core/study/reference_run.h"
#include "core/study/run_differences.h"

namespace loupe::cli {
namespace {

using nlohmann::json;
using session::ComparedRun;
using session::Difference;
using session::ModuleDifference;
using session::ParameterDifference;
using session::Presence;
using session::RunDifferences;

// What the first model ran on: the others get the same.
struct Given {
    std::shared_ptr<session::Program> program;  // null: the first is no model
    session::RunOptions options;
    std::optional<session::RunOptions> recorded;  // of a first that is a recording
};

std::string name_of(const std::string& path) {
    const std::string name = std::filesystem::path(path).filename().string();
    return name.empty() ? path : name;
}

ComparedRun open_recording(const std::string& path, Given& given) {
    const auto file = std::make_shared<session::RecordingFile>(path);
    if (!given.program && !given.recorded) given.recorded = file->run();
    return session::compared_file(file, name_of(path));
}

// The model's own example may be its input too: the others get its tensors.
std::function<std::vector<IValue>()> arguments_of(const std::shared_ptr<session::Program>& program,
                                                  const session::RunOptions& options) {
    return
        [program, inputs = options.inputs, method = options.method] { return program->make_arguments(inputs, method); };
}

ComparedRun run_first(const RunArguments& options, Given& given) {
    const PreparedRun run = prepare_model(options);
    given.program = run.program;
    given.options = run.options;
    session::ReferenceRequest request;
    request.program = run.program;
    request.options = run.options;
    request.arguments = arguments_of(run.program, run.options);
    request.label = name_of(options.model);
    return session::record_reference(request);
}

ComparedRun run_other(const CompareArguments& options, const std::string& model, const Given& given) {
    RunArguments own = options.run;
    // How a source is built says nothing of a file that holds its model.
    if (std::filesystem::path(model).extension() != ".py") {
        own.build.clear();
        own.arguments.clear();
    }
    own.model = model;
    if (!options.device.empty()) own.device = options.device;
    session::ReferenceRequest request;
    request.program = open_program(own);
    if (!request.program) throw Error(ErrorKind::File, "holds no model", {.file = model});
    request.label = name_of(model);
    request.dtype = options.dtype;
    if (given.program) {
        request.options = given.options;
        if (request.options.method != "forward") request.options.method = request.program->default_method();
        request.arguments = arguments_of(given.program, given.options);
    } else {
        request.options = given.recorded.value_or(session::RunOptions());
        if (!options.run.inputs_file.empty() || !options.run.input_specs.empty() || request.options.inputs.empty()) {
            own.method = own.method.empty() ? request.program->default_method() : own.method;
            const std::string method = own.method;
            request.arguments = [program = request.program, own, method] { return run_inputs(*program, own, method); };
            request.options.method = method;
        } else {
            request.arguments = arguments_of(request.program, request.options);
        }
    }
    request.options.pipeline = options.pipeline.empty() ? own.pipeline : options.pipeline;
    request.options.compile_mode.clear();
    request.options.device = own.device;
    request.options.threads = own.threads;
    if (!own.mode.empty()) request.options.training = own.mode == "train";
    return session::record_reference(request);
}

bool are_arrays(const std::string& path) { return std::filesystem::path(path).extension() == ".npz"; }

ComparedRun open_other(const CompareArguments& options, const std::string& path, const ComparedRun& first,
                       const Given& given) {
    Given ignored = given;
    if (session::is_recording(path)) return open_recording(path, ignored);
    const auto arrays = [&] {
        if (first.model == nullptr)
            throw Error(ErrorKind::Usage, "its arrays have names of modules, but the first file has no model",
                        {.file = path});
        return session::compared_arrays(session::read_reference_arrays(path), first.model, name_of(path));
    };
    if (are_arrays(path)) return arrays();
    try {
        return run_other(options, path, given);
    } catch (const Error& error) {
        const std::string extension = std::filesystem::path(path).extension().string();
        if (error.kind() == ErrorKind::Cancelled || (extension != ".pt" && extension != ".pth")) throw;
        try {
            return arrays();
        } catch (const Error&) {
        }
        throw;
    }
}

constexpr std::size_t kLongestNote = 500;

std::string scope_name(const std::string& path) { return path.empty() ? "(model)" : path; }

std::string number_text(const char* format, double value) {
    char out[32];
    std::snprintf(out, sizeof out, format, value);
    return out;
}

std::string columns_of(const std::optional<Difference>& numbers) {
    if (!numbers)
        return concat(std::string(9, ' '), std::string(10, ' '), std::string(12, ' '), std::string(11, ' '),
                      std::string(9, ' '));
    char out[96];
    const std::string ulp = numbers->max_ulp < 0 ? "-" : number_text("%.3g", numbers->max_ulp);
    const std::string snr = numbers->is_same() ? "equal" : number_text("%.1f", numbers->snr_db);
    std::snprintf(out, sizeof out, "%9.1e %9.1e %11s %10.6f %8s", numbers->max_abs, numbers->max_rel, ulp.c_str(),
                  numbers->cosine, snr.c_str());
    return out;
}

bool has_line(const ModuleDifference& module) { return module.has_events || module.presence != Presence::Both; }

// A module that only one model has may have made what another module made there.
const char* word_of(const ModuleDifference& module) {
    if (module.presence == Presence::OnlyThere) return "only in B";
    if (module.differs()) return "DIFFERS";
    if (module.numbers) return "ok";
    return module.presence == Presence::OnlyHere ? "only in A" : "-";
}

// Signal to noise of the gradient that leaves a module.
std::string backward_of(const ModuleDifference& module) {
    if (!module.backward) return module.backward_diverges ? "differs" : "-";
    return module.backward->is_same() ? "equal" : number_text("%.1f", module.backward->snr_db);
}

void print_modules(const RunDifferences& found) {
    std::size_t width = 6;
    bool has_backward = false;
    for (const ModuleDifference& module : found.modules) {
        has_backward = has_backward || module.backward || module.backward_diverges;
        if (has_line(module))
            width =
                std::max(width, scope_name(module.presence == Presence::OnlyThere ? module.there : module.here).size());
    }
    const int columns = static_cast<int>(std::min<std::size_t>(width, 60));
    std::printf("%-9s %-*s %9s %9s %11s %10s %8s  %s%s\n", "", columns, "module", "max abs", "relative", "ULP",
                "cosine", "SNR dB", has_backward ? "backward  " : "", "class");
    for (const ModuleDifference& module : found.modules) {
        if (!has_line(module)) continue;
        const std::string name = scope_name(module.presence == Presence::OnlyThere ? module.there : module.here);
        const bool is_renamed = module.presence == Presence::Both && module.there != module.here;
        std::printf("%-9s %-*s %s  ", word_of(module), columns, name.c_str(), columns_of(module.numbers).c_str());
        if (has_backward) std::printf("%8s  ", backward_of(module).c_str());
        std::printf("%s%s\n", module.class_name.c_str(),
                    is_renamed ? concat(" (B: ", scope_name(module.there), ")").c_str() : "");
    }
}

// Operators of one run alone, and parameters of one model alone or with other elements.
void print_rest(const RunDifferences& found, const ComparedRun& own) {
    constexpr std::size_t kMost = 20;
    std::size_t printed = 0;
    std::size_t all = 0;
    for (const auto& row : found.events) {
        if (row.here != 0 && row.there != 0) continue;
        if (row.there == 0 && found.aligned == 0) continue;
        ++all;
        if (++printed > kMost) continue;
        if (row.here != 0) {
            const session::Event& event = own.recording->event(row.here);
            std::printf("only in A  #%u %s in %s\n", row.here, std::string(event.op).c_str(),
                        scope_name(std::string(event.scope)).c_str());
        } else {
            const session::ReferenceEvent& event = found.reference_events[row.there - 1];
            std::printf("only in B  #%u %s in %s\n", row.there, event.op.c_str(), scope_name(event.scope).c_str());
        }
    }
    if (all > kMost) std::printf("... and %zu more events of one run alone\n", all - kMost);
    for (const ParameterDifference& row : found.parameters) {
        if (row.presence == Presence::OnlyHere)
            std::printf("only in A  parameter %s\n", row.here.c_str());
        else if (row.presence == Presence::OnlyThere)
            std::printf("only in B  parameter %s\n", row.there.c_str());
        else if (row.numbers && !row.numbers->is_close())
            std::printf("DIFFERS    parameter %s: %s\n", row.here.c_str(),
                        session::difference_text(*row.numbers).text().c_str());
        else if (row.why.text().starts_with("shape"))
            std::printf("DIFFERS    parameter %s: %s\n", row.here.c_str(), row.why.text().c_str());
    }
}

void print_costs(const RunDifferences& found) {
    if (found.seconds_there == 0 && found.peak_there == 0) return;  // arrays have neither
    std::printf("%s %s against %s, peak memory %s against %s\n", found.has_times() ? "time" : "time of a first run",
                format_seconds(found.seconds_here).c_str(), format_seconds(found.seconds_there).c_str(),
                format_bytes(static_cast<double>(found.peak_here)).c_str(),
                format_bytes(static_cast<double>(found.peak_there)).c_str());
}

// JSON has no infinity.
json number_json(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

json json_of(const std::optional<Difference>& numbers) {
    if (!numbers) return nullptr;
    return {{"max_abs", number_json(numbers->max_abs)},
            {"max_rel", number_json(numbers->max_rel)},
            {"max_ulp", numbers->max_ulp < 0 ? json() : json(numbers->max_ulp)},
            {"cosine", numbers->cosine},
            {"snr_db", number_json(numbers->snr_db)},
            {"beyond", numbers->beyond},
            {"count", numbers->count},
            {"not_finite", numbers->not_finite}};
}

json json_of(const std::optional<session::Divergence>& found) {
    if (!found) return nullptr;
    return {{"event", found->here}, {"other_event", found->there}, {"text", found->text.text()}};
}

json json_of(const RunDifferences& found) {
    constexpr const char* kPresence[] = {"both", "only A", "only B"};
    json modules = json::array();
    for (const ModuleDifference& module : found.modules) {
        modules.push_back({{"module", module.here},
                           {"other", module.there},
                           {"class", module.class_name},
                           {"presence", kPresence[static_cast<std::size_t>(module.presence)]},
                           {"diverges", module.differs()},
                           {"changed", module.changed},
                           {"output", json_of(module.numbers)},
                           {"gradient", json_of(module.backward)},
                           {"seconds", {module.seconds_here, module.seconds_there}},
                           {"bytes", {module.bytes_here, module.bytes_there}}});
    }
    json events = json::array();
    for (const auto& row : found.events) {
        events.push_back({{"event", row.here},
                          {"other", row.there},
                          {"diverges", row.diverges},
                          {"why", row.why.text()},
                          {"output", json_of(row.numbers)}});
    }
    json parameters = json::array();
    for (const ParameterDifference& row : found.parameters) {
        parameters.push_back({{"name", row.here},
                              {"other", row.there},
                              {"presence", kPresence[static_cast<std::size_t>(row.presence)]},
                              {"difference", json_of(row.numbers)},
                              {"gradient", json_of(row.gradient)},
                              {"why", row.why.text()}});
    }
    return {{"reference", found.label},
            {"headline", found.headline().text()},
            {"diverges", found.diverges()},
            {"forward", json_of(found.forward)},
            {"backward", json_of(found.backward)},
            {"aligned", found.aligned},
            {"compared", found.compared},
            {"only_a", found.only_here},
            {"only_b", found.only_there},
            {"modules", std::move(modules)},
            {"events", std::move(events)},
            {"parameters", std::move(parameters)},
            {"notes", std::vector<std::string>(found.notes.begin(), found.notes.end())}};
}

json json_of(const session::DeviceCheck& check) {
    json operators = json::array();
    for (const session::OperatorOnDevice& each : check.operators) {
        operators.push_back({{"event", each.event},
                             {"op", each.op},
                             {"module", each.scope},
                             {"differs", each.differs},
                             {"output", json_of(each.output)},
                             {"gradient", json_of(each.gradient)},
                             {"fell_back", each.fell_back},
                             {"why", each.why}});
    }
    return {{"device", check.device},       {"headline", check.headline()}, {"compared", check.compared},
            {"differing", check.differing}, {"fallbacks", check.fallbacks}, {"operators", std::move(operators)}};
}

// Max abs and signal to noise of each module's output, a column a run.
void print_table(const std::vector<RunDifferences>& all) {
    std::size_t width = 6;
    for (const ModuleDifference& module : all.front().modules) width = std::max(width, scope_name(module.here).size());
    const int columns = static_cast<int>(std::min<std::size_t>(width, 60));
    std::printf("%-*s", columns, "module");
    for (const RunDifferences& found : all) std::printf("  %20.20s", found.label.c_str());
    std::printf("\n");
    for (std::size_t i = 0; i < all.front().modules.size(); ++i) {
        const ModuleDifference& first = all.front().modules[i];
        if (first.presence == Presence::OnlyThere || !first.has_events) continue;
        std::printf("%-*s", columns, scope_name(first.here).c_str());
        for (const RunDifferences& found : all) {
            // Own modules come first, in the same order for every reference.
            const ModuleDifference& module = found.modules[i];
            std::string cell = "-";
            if (module.numbers)
                cell = module.numbers->is_same()
                           ? module.backward_diverges ? "equal, *backward" : "equal"
                           : concat(module.diverges ? "*" : "", number_text("%.1e", module.numbers->max_abs), " ",
                                    number_text("%.0f", module.numbers->snr_db), " dB");
            std::printf("  %20s", cell.c_str());
        }
        std::printf("\n");
    }
}

// Of a run on the CPU that is repeated on a device: each operator by itself.
std::optional<session::DeviceCheck> check_alone(const CompareArguments& options, const ComparedRun& own) {
    const bool is_on_cpu = options.run.device.empty() || options.run.device == "cpu";
    if (!options.others.empty() || options.device.empty() || options.device == "cpu" || !is_on_cpu) return std::nullopt;
    return session::check_device(*own.recording, own.elements, parse_device(options.device));
}

void print_alone(const session::DeviceCheck& check) {
    constexpr std::size_t kMost = 20;
    std::printf("%s\n", check.headline().c_str());
    std::size_t printed = 0;
    for (const session::OperatorOnDevice& each : check.operators) {
        if (!each.differs || ++printed > kMost) continue;
        std::printf("DIFFERS    #%u %s in %s: %s%s\n", each.event, std::string(each.op).c_str(),
                    scope_name(std::string(each.scope)).c_str(), each.text().c_str(),
                    each.fell_back ? " (it has no kernel there)" : "");
    }
    if (printed > kMost) std::printf("... and %zu more operators that differ\n", printed - kMost);
}

}  // namespace

int run_compare(const CompareArguments& options) {
    if (compare_imported(options.run.model, options.others, options.run.json)) return 0;
    if (options.others.empty() && options.pipeline.empty() && options.device.empty() && options.dtype.empty())
        throw Error(ErrorKind::Usage, "compare with what?",
                    {.hint = "give a second model or recording, or --with-pipeline, --with-device, --with-dtype"});
    Given given;
    ComparedRun own;
    if (session::is_recording(options.run.model))
        own = open_recording(options.run.model, given);
    else if (are_arrays(options.run.model))
        throw Error(ErrorKind::Usage, "give the model first, then the arrays to compare it with",
                    {.file = options.run.model});
    else
        own = run_first(options.run, given);
    session::CompareOptions how;
    how.rtol = options.rtol;
    how.atol = options.atol;
    std::vector<std::string> others = options.others;
    if (others.empty()) others.push_back(options.run.model);
    std::vector<RunDifferences> all;
    for (const std::string& other : others)
        all.push_back(session::compare_runs_by_value(own, open_other(options, other, own, given), how));
    const bool diverges = std::any_of(all.begin(), all.end(),
                                      [](const RunDifferences& each) { return each.diverges() || each.compared == 0; });
    for (const Said& note : own.notes) options.run.notice(cut_middle(note.text(), kLongestNote));
    const std::optional<session::DeviceCheck> alone = check_alone(options, own);
    if (options.run.json) {
        json out = json::array();
        for (const RunDifferences& found : all) out.push_back(json_of(found));
        if (alone) out.front()["alone"] = json_of(*alone);
        std::printf("%s\n", (all.size() == 1 ? out.front() : out).dump(2).c_str());
        return diverges || (alone && alone->differing > 0) ? 1 : 0;
    }
    for (const RunDifferences& found : all)
        std::printf("%s%s\n", all.size() > 1 ? concat(found.label, ": ").c_str() : "", found.headline().text().c_str());
    if (all.size() == 1) {
        const RunDifferences& found = all.front();
        if (found.forward && found.backward) std::printf("in backward: %s\n", found.backward->text.text().c_str());
        if (alone) print_alone(*alone);
        print_modules(found);
        print_rest(found, own);
        print_costs(found);
    } else {
        print_table(all);
    }
    std::fflush(stdout);
    for (const RunDifferences& found : all) {
        for (const Said& note : found.notes) options.run.notice(cut_middle(concat("note: ", note), kLongestNote));
    }
    return diverges || (alone && alone->differing > 0) ? 1 : 0;
}

}  // namespace loupe::cli
