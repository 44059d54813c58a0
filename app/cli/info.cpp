// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "app/cli/attach.h"
#include "app/cli/commands.h"
#include "app/cli/imported.h"
#include "core/base/counted.h"
#include "core/base/strings.h"
#include "core/record/recording_file.h"

namespace loupe::cli {
namespace {

// A text without the quotes of its repr.
std::string unquoted(const std::string& repr) {
    return repr.size() > 1 && (repr.front() == '\'' || repr.front() == '"') ? repr.substr(1, repr.size() - 2) : repr;
}

void print_module(const session::ModelInfo& model, int index, int depth) {
    const session::ModuleInfo& module = model.modules[static_cast<std::size_t>(index)];
    const auto dot = module.path.rfind('.');
    const std::string name = dot == std::string::npos ? module.path : module.path.substr(dot + 1);
    const std::string label = module.path.empty() ? module.class_name : concat("(", name, ") ", module.class_name);
    std::printf("%*s%-*s %12lld parameters%s\n", depth * 2, "", 48 - depth * 2, label.c_str(),
                static_cast<long long>(module.parameter_count), module.training ? "  training" : "");
    const int indent = depth * 2 + 2;
    if (const auto guess = module.attributes.find("guessed"); guess != module.attributes.end())
        std::printf("%*sguessed %s\n", indent, "", unquoted(guess->second).c_str());
    for (int note = 1; module.attributes.contains(concat("note", note)); ++note)
        std::printf("%*s%s\n", indent, "", unquoted(module.attributes.at(concat("note", note))).c_str());
    const auto print_tensor = [&](const session::TensorInfo& t, const char* kind) {
        const auto last = t.name.rfind('.');
        std::printf("%*s%s %s: %s %s\n", depth * 2 + 2, "", kind,
                    t.name.substr(last == std::string::npos ? 0 : last + 1).c_str(), t.dtype.c_str(),
                    session::shape_text(t.shape).c_str());
    };
    for (const auto& t : module.parameters) print_tensor(t, "parameter");
    for (const auto& t : module.buffers) print_tensor(t, "buffer");
    for (const int child : module.children) print_module(model, child, depth + 1);
}

void print_recording(const session::RecordingFile& file) {
    const session::Recording& recording = *file.recording();
    std::size_t forward = 0;
    std::size_t failed = 0;
    std::size_t kept = 0;
    for (session::EventId id = 1; id <= recording.event_count(); ++id) {
        forward += recording.event(id).phase == session::RunPhase::Forward ? 1 : 0;
        failed += recording.event(id).failed ? 1 : 0;
    }
    for (session::ValueId id = 1; id <= recording.value_count(); ++id) kept += file.has_elements(id) ? 1 : 0;
    std::printf(
        "%s\na recorded run: %s (%zu forward, %zu backward), %s (%zu with elements), peak memory "
        "%s%s\nof ",
        file.model()->recorded_in.c_str(), counted(recording.event_count(), "event").c_str(), forward,
        recording.event_count() - forward, counted(recording.value_count(), "value").c_str(), kept,
        format_bytes(static_cast<double>(recording.peak_bytes())).c_str(), failed > 0 ? ", failed" : "");
}

// What else a source can build.
void print_constructors(const session::ModelInfo& model) {
    if (model.constructors.size() < 2 && model.guessed_from.empty()) return;
    std::printf("\ncan be built (--build)\n");
    for (const auto& constructor : model.constructors) {
        std::vector<std::string> parameters;
        for (const auto& parameter : constructor.parameters)
            parameters.push_back(concat(parameter.name, parameter.annotation.empty() ? "" : ": ", parameter.annotation,
                                        parameter.default_value ? "=" : "", parameter.default_value.value_or("")));
        std::printf("  %s(%s)\n", constructor.class_name.c_str(), join(parameters, ", ").c_str());
    }
}

void print_model(const session::ModelInfo& model) {
    std::printf("%s\n%s\n", model.path.c_str(), model.format.c_str());
    std::printf("%s, %s; buffers %s\n\nmethods\n", counted(model.parameter_count, "parameter").c_str(),
                format_bytes(static_cast<double>(model.parameter_bytes)).c_str(),
                format_bytes(static_cast<double>(model.buffer_bytes)).c_str());
    for (const auto& method : model.methods) std::printf("  %s\n", method.schema.c_str());
    print_constructors(model);
    std::printf("\nmodules\n");
    print_module(model, 0, 1);
    if (!model.cannot_run.empty()) std::printf("\ncannot run: %s\n", model.cannot_run.c_str());
    for (const std::string& line : model.missing_operators) std::printf("\ncannot run: %s\n", line.c_str());
}

}  // namespace

int run_info(const std::string& path, const std::string& build, const FilePermissions& permissions) {
    if (print_imported(path) || print_watched(path)) return 0;
    if (session::is_recording(path)) {
        const session::RecordingFile file(path);
        print_recording(file);
        print_model(*file.model());
    } else {
        confine_source(path, permissions, {});
        // Never freed: the process ends here, and of a large model that takes as long as a third of the opening.
        static const auto* const program =
            new std::shared_ptr<session::Program>(session::Program::open(path, {}, build, permissions));
        print_model(*(*program)->info());
    }
    return 0;
}

}  // namespace loupe::cli
