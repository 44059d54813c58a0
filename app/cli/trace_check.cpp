// SPDX-License-Identifier: Apache-2.0
#include "core/study/trace_check.h"

#include <cstdio>

#include "app/cli/commands.h"
#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::cli {

int run_trace_check(const RunArguments& options) {
    const auto program = open_program(options);
    if (!program) return 0;
    if (program->source() == nullptr)
        throw Error(ErrorKind::Usage, "only a model source is traced", {.file = options.model});
    trace_program(*program, options);
    const session::TraceCheck check =
        session::check_on_other_inputs(*program, run_inputs(*program, options, "forward"));
    for (const session::TraceCheckCase& each : check.cases) {
        const char* result = !each.refused.empty() ? "refused" : each.differences.empty() ? "same" : "DIFFERS";
        std::printf("%-8s %s: %s%s%s\n", result, each.what.c_str(), each.inputs.c_str(),
                    each.refused.empty() ? "" : ": ", each.refused.c_str());
        for (const session::SourceNote& note : each.differences) {
            const std::string place =
                note.source.line > 0 ? concat(note.source.file, ":", note.source.line, ": ") : std::string();
            std::printf("         %s%s\n", place.c_str(), note.text.c_str());
        }
    }
    if (!check.note.empty()) std::printf("%s\n", check.note.c_str());
    return check.is_same() ? 0 : 1;
}

}  // namespace loupe::cli
