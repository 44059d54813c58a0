// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/cli/commands.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/study/compare.h"

namespace loupe::cli {

int run_check(const RunArguments& options) {
    const NamedTensors expected = read_npz(options.expected_file);
    const bool has_gradients = std::any_of(expected.begin(), expected.end(),
                                           [](const auto& entry) { return entry.first.starts_with("grad"); });
    const bool backward = options.backward || has_gradients;
    if (expected.empty())
        throw Error(ErrorKind::File, "holds no arrays to compare with", {.file = options.expected_file});
    RunArguments how = options;
    how.backward = backward;
    const PreparedRun run = prepare_model(how);
    const TensorList outputs = execute(run);
    NamedTensors actual =
        collect_outputs(run, outputs, {.arguments = backward, .parameters = backward, .norms = backward});
    for (const auto& [name, buffer] : run.program->module().named_buffers())
        actual.emplace_back(concat("after.", name), buffer);

    std::size_t differing = 0;
    std::string worst_name;
    session::TensorDifference worst;
    for (const auto& [name, want] : expected) {
        const auto found = std::find_if(actual.begin(), actual.end(),
                                        [&wanted = name](const auto& entry) { return entry.first == wanted; });
        session::TensorDifference difference;
        if (found == actual.end())
            difference = {false, INFINITY, INFINITY, "missing"};
        else
            difference = session::compare_tensors(found->second, want, options.rtol, options.atol);
        std::printf("%-9s %s  %s  max abs %.1e max rel %.1e%s%s\n", difference.is_equal ? "ok" : "DIFFERS",
                    name.c_str(), describe(want).c_str(), difference.max_abs, difference.max_rel,
                    difference.why.empty() ? "" : "  ", difference.why.c_str());
        if (difference.is_equal) continue;
        ++differing;
        if (worst_name.empty() || difference.max_abs > worst.max_abs) {
            worst_name = name;
            worst = difference;
        }
    }
    if (backward && !has_gradients) {
        std::fflush(stdout);
        options.notice(concat("check: backward ran, but no gradients were compared: ", options.expected_file,
                              " has none (arrays grad.arg0, grad.param.NAME, gradnorm.NAME)"));
    }
    if (differing == 0) return 0;
    std::fflush(stdout);
    std::fprintf(stderr, "check: %zu of %zu tensors differ, worst %s max abs %.1e max rel %.1e\n", differing,
                 expected.size(), worst_name.c_str(), worst.max_abs, worst.max_rel);
    return 1;
}

}  // namespace loupe::cli
