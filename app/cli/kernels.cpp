// SPDX-License-Identifier: Apache-2.0
// `kernels`: what a pipeline fuses, and the code that was made of it.
#include <cstdio>

#include "app/cli/commands.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/study/find_fused_groups.h"

namespace loupe::cli {
namespace {

void print_kernel(const session::FusedKernelView& kernel, const KernelArguments& options) {
    std::printf("    %s", kernel.backend.c_str());
    if (kernel.from_disk)
        std::printf(", code from the cache on disk");
    else if (kernel.compile_seconds > 0)
        std::printf(", compiled in %.0f ms", 1e3 * kernel.compile_seconds);
    std::printf("\n");
    if (!kernel.resources.empty()) std::printf("    %s\n", kernel.resources.c_str());
    const auto print_code = [](const std::string& title, const std::string& code) {
        if (!code.empty()) std::printf("\n# %s\n%s%s", title.c_str(), code.c_str(), code.ends_with('\n') ? "" : "\n");
    };
    print_code("expression", kernel.expression);
    if (!options.with_code) return;
    print_code("program", kernel.program);
    print_code(kernel.language, kernel.ir);
    print_code(kernel.language == "CUDA C++" ? "PTX" : "assembly", kernel.assembly);
}

void print_group(const session::FusedGroupView& group, const KernelArguments& options) {
    std::printf("%s%s%s%s: %s\n    %s -> %s\n", group.name.c_str(), group.is_backward ? " (backward)" : "",
                group.scope.empty() ? "" : " of ", group.scope.c_str(), join(group.operators, ", ").c_str(),
                join(group.inputs, ", ").c_str(), join(group.outputs, ", ").c_str());
    if (!group.loops.empty()) std::printf("    %s\n", join(group.loops, "; ").c_str());
    if (group.fused_seconds > 0)
        std::printf("    fused %.1f us (%.1f GB/s), unfused %.1f us\n", 1e6 * group.fused_seconds,
                    1e-9 * static_cast<double>(group.bytes) / group.fused_seconds, 1e6 * group.unfused_seconds);
    const std::string& why = group.reason.empty() ? group.error : group.reason;
    if (!why.empty()) std::printf("    not fused: %s\n", why.c_str());
    for (const session::FusedKernelView& kernel : group.kernels) print_kernel(kernel, options);
    std::printf("\n");
}

}  // namespace

int run_kernels(const KernelArguments& options) {
    const std::shared_ptr<session::Program> program = open_program(options.run);
    if (!program) return 0;
    program->to(parse_device(options.run.device));
    trace_program(*program, options.run);
    session::FusedGroupsRequest request;
    request.pipeline = options.run.pipeline;
    request.method = options.run.method.empty() ? program->default_method() : options.run.method;
    request.backward = options.run.backward;
    request.backend = options.fuser;
    request.measure = !options.no_times;
    const session::FusedGroups groups =
        session::find_fused_groups(program, request, run_inputs(*program, options.run, request.method));
    for (const session::FusedGroupView& group : groups.groups) print_group(group, options);
    if (!groups.error.empty()) throw Error(ErrorKind::Run, groups.error);
    if (groups.groups.empty())
        std::printf("%s makes no fusion groups of this model%s\n", request.pipeline.c_str(),
                    groups.others.empty() ? "" : concat("; these do: ", join(groups.others, ", ")).c_str());
    return 0;
}

}  // namespace loupe::cli
