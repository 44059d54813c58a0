// SPDX-License-Identifier: Apache-2.0
#include "core/session/model_opener.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/model/load_weights.h"
#include "core/ops/random/generator.h"
#include "core/python/model_source.h"
#include "core/runtime/interpreter/curve.h"
#include "core/session/kept_files.h"
#include "core/session/verdict_entry.h"
#include "core/study/source_verdict.h"
#include "core/train/training.h"

namespace loupe::session {

using Level = Publisher::Level;
using LogEntry = Publisher::LogEntry;

// A source that was edited is built as it was before.
std::string ModelOpener::built_before(const std::filesystem::path& file) const {
    const auto before = publisher_.model();
    return before != nullptr && before->path == file.string() && before->recorded_in.empty() ? before->built_with
                                                                                             : std::string();
}

void ModelOpener::open(const std::filesystem::path& file, const std::string& given, const std::filesystem::path& kept) {
    const std::string build = given.empty() ? built_before(file) : given;
    model_.origin().verdict.reset();
    publisher_.change_status([&](Status& status) {
        status = Status{};
        status.state = RunState::Opening;
        status.progress = engine::said("opening %1", file.filename().string());
    });
    if (is_recording(file)) return open_recording(file);
    try {
        open_program(file, build, kept);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Cancelled) show_source_of(file, build, error);
        throw;
    }
    publisher_.change_status([this](Status& status) {
        status.state = RunState::Ready;
        status.verdict = model_.origin().verdict;
        status.progress.clear();
    });
}

void ModelOpener::open_program(const std::filesystem::path& file, const std::string& build,
                               const std::filesystem::path& folder) {
    const auto before = publisher_.model();
    const bool is_again = before != nullptr && before->path == file.string() && before->form != ModelForm::AsRead;
    const FilePermissions permissions = settings_.permissions_of(file);
    if (const auto release = settings_.release_of(file)) set_torch_release(*release);
    ModelOrigin& origin = model_.origin();
    origin.other_model.clear();
    const std::optional<KeptModel> kept = read_kept(folder);
    // With the seed of its runs: opened again, and by another program, the same source has the same weights.
    if (kept)
        set_random_state(kept->random);
    else
        seed_generators(settings_.options().seed);
    const RandomState random = random_state();
    // What a source reports while it runs, as a training of its own.
    std::shared_ptr<TrainingLog> reported;
    const runtime::CurveScope reports([&](const runtime::CurvePoint& point) {
        TrainOptions own;
        own.loss = "own";
        own.optimizer = "of the source";
        if (!reported) reported = std::make_shared<TrainingLog>(std::move(own), 0);
        reported->report(point, std::nullopt);
    });
    auto opened =
        is_again ? Program::open_edited(file, build, permissions) : Program::open(file, {}, build, permissions);
    if (!opened->unfitting().empty())
        publisher_.log(Level::Warning, engine::said("of the checkpoint beside %1 not all fits: %2",
                                                    file.filename().string(), differences_text(opened->unfitting())));
    // A source that was edited runs in the form it had.
    if (is_again && opened->source() != nullptr) model_.change_form(*opened, before->form);
    // What it wrote before it has written again.
    const std::shared_ptr<Program>& now = model_.program();
    if (is_again && now && now->file().files != nullptr) now->file().files->discard();
    if (kept)
        origin.other_model = give_back(*opened, *kept);
    else if (!folder.empty() && opened->source() != nullptr && origin.other_model.empty())
        origin.other_model =
            engine::said("the session kept no weights, and the source made them anew: they may be other ones");
    if (!folder.empty()) origin.weights_from.clear();  // those of the session count, not those that are there
    model_.use(std::move(opened));                     // the model there is stays when this fails
    if (reported) {
        publisher_.add_training(reported, file.string());
        publisher_.notify_training(reported);
    }
    origin.random = random;
    if (kept) origin.weights_from = kept->weights_from;
    if (!origin.other_model.empty())
        publisher_.log(Level::Warning, engine::said("the recorded run is of another model: %1", origin.other_model));
    if (const ModelInfo& info = *model_.program()->info(); !info.guessed_from.empty())
        publisher_.log(Level::Info, engine::said("built as %1: guessed (%2); change it in Inputs > Constructor",
                                                 info.built_as, engine::listed(info.guessed_from)));
    if (const auto verdict = conclude_opening(*model_.program())) origin.verdict = std::make_shared<Verdict>(*verdict);
    if (origin.verdict != nullptr) publisher_.log(entry_of(*origin.verdict));
}

std::optional<KeptModel> ModelOpener::read_kept(const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    std::error_code failure;
    if (folder.empty() || !fs::is_regular_file(fs::symlink_status(kept_model_in(folder), failure))) return std::nullopt;
    try {
        return read_kept_model(kept_model_in(folder));
    } catch (const Error& error) {
        model_.origin().other_model =
            engine::said("the session's weights cannot be read (%1) and were made anew", error.message());
        return std::nullopt;
    }
}

void ModelOpener::show_source_of(const std::filesystem::path& file, const std::string& build, const Error& why) {
    std::error_code ignored;
    const auto* needed = dynamic_cast<const python::ModelNeeded*>(&why);
    const bool is_source = file.extension() == ".py" && std::filesystem::is_regular_file(file, ignored);
    const auto shown = publisher_.model();
    const bool is_there = shown != nullptr && shown->path == file.string() && needed == nullptr;
    if (!is_source || is_there) return;
    auto info = std::make_shared<ModelInfo>();
    info->path = file.string();
    info->title = file.filename().string();
    info->format = "Python source";
    info->modules.emplace_back().class_name = "no model";
    info->sources.push_back({file.string(), read_text_file(file), true, true});
    info->cannot_run = why.what();
    info->built_with = build;
    if (needed != nullptr) info->constructors = describe_constructors(needed->constructors);
    model_.drop();
    model_.show(info);
}

void ModelOpener::open_recording(const std::filesystem::path& path) {
    model_.use(std::make_unique<RecordingFile>(path));
    const RecordingFile& file = *model_.file();
    log_recorded(file);
    const Recording& recorded = *file.recording();
    const auto last = static_cast<EventId>(recorded.event_count());
    const auto has_statistics = [&] {
        for (ValueId id = 1; id <= recorded.value_count(); ++id) {
            if (recorded.value(id).statistics) return true;
        }
        return recorded.value_count() == 0;
    };
    RunOptions options = file.run();
    options.statistics = has_statistics();
    const std::string error = last != 0 && recorded.event(last).failed ? recorded.event(last).error : std::string();
    const auto verdict =
        std::make_shared<Verdict>(conclude(recorded, options, {.error = error, .opening = model_.origin().verdict}));
    if (error.empty()) publisher_.log(entry_of(*verdict));
    publisher_.change_status([&](Status& status) {
        status.verdict = verdict;
        status.state = RunState::Finished;
        status.reached = last;
    });
}

void ModelOpener::log_recorded(const RecordingFile& file) const {
    const Recording& recording = *file.recording();
    const auto count = static_cast<EventId>(recording.event_count());
    LogEntry entry;
    entry.text =
        engine::said("a recorded run of %2: %1 events", "a recorded run of %2: %1 event", count, file.model()->path);
    publisher_.log(entry);
    if (count == 0 || !recording.event(count).failed) return;
    const Event& event = recording.event(count);
    entry.level = Level::Error;
    entry.text = event.error;
    entry.event = count;
    entry.graph_node = event.graph_node;
    entry.scope = std::string(event.scope);
    entry.source = {std::string(event.source_file), event.source_line};
    publisher_.log(std::move(entry));
}

}  // namespace loupe::session
