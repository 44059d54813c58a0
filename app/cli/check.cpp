// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/cli/commands.h"
#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::cli {
namespace {

struct Difference {
    bool is_equal = true;
    double abs = 0;
    double rel = 0;
    std::string why;
};

std::complex<double> element(const Tensor& t, std::int64_t i) {
    std::int64_t offset = 0;
    for (std::int64_t d = t.dim() - 1; d >= 0; --d) {
        offset += i % t.size(d) * t.stride(d);
        i /= t.size(d);
    }
    return visit_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T value = t.data<T>()[offset];
        if constexpr (is_complex(scalar_type_of<T>)) return std::complex<double>(value);
        else return std::complex<double>(static_cast<double>(value));
    });
}

Difference compare(const Tensor& actual, const Tensor& expected, const RunArguments& options) {
    Difference out;
    const auto a = actual.sizes();
    const auto b = expected.sizes();
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) {
        out.is_equal = false;
        out.why = concat("shape ", shape_text(a), ", expected ", shape_text(b));
        return out;
    }
    for (std::int64_t i = 0; i < actual.numel(); ++i) {
        const auto x = element(actual, i);
        const auto y = element(expected, i);
        const bool x_nan = std::isnan(x.real()) || std::isnan(x.imag());
        const bool y_nan = std::isnan(y.real()) || std::isnan(y.imag());
        if ((x_nan && y_nan) || x == y) continue;
        const double abs = x_nan || y_nan ? INFINITY : std::abs(x - y);
        const double magnitude = std::abs(y);
        out.abs = std::max(out.abs, abs);
        out.rel = std::max(out.rel, magnitude > 0 ? abs / magnitude : abs);
        if (!(abs <= options.atol + options.rtol * magnitude)) out.is_equal = false;
    }
    return out;
}

}  // namespace

int run_check(const RunArguments& options) {
    const NamedTensors expected = read_npz(options.expected_file);
    const bool backward = options.backward || std::any_of(expected.begin(), expected.end(), [](const auto& entry) {
                              return entry.first.starts_with("grad");
                          });
    const PreparedRun run = prepare_run(options);
    const TensorList outputs = execute(run, backward);
    NamedTensors actual = collect_outputs(run, outputs, backward, false);
    for (const auto& [name, buffer] : run.program->module().named_buffers()) actual.emplace_back(concat("after.", name), buffer);

    std::size_t differing = 0;
    std::string worst_name;
    Difference worst;
    for (const auto& [name, want] : expected) {
        const auto found = std::find_if(actual.begin(), actual.end(), [&wanted = name](const auto& entry) { return entry.first == wanted; });
        Difference difference;
        if (found == actual.end()) difference = {false, INFINITY, INFINITY, "missing"};
        else difference = compare(found->second, want, options);
        std::printf("%-9s %s  %s  max abs %.1e max rel %.1e%s%s\n", difference.is_equal ? "ok" : "DIFFERS", name.c_str(),
                    describe(want).c_str(), difference.abs, difference.rel, difference.why.empty() ? "" : "  ", difference.why.c_str());
        if (difference.is_equal) continue;
        ++differing;
        if (worst_name.empty() || difference.abs > worst.abs) {
            worst_name = name;
            worst = difference;
        }
    }
    if (differing == 0) return 0;
    std::fflush(stdout);
    std::fprintf(stderr, "check: %zu of %zu tensors differ, worst %s max abs %.1e max rel %.1e\n", differing, expected.size(),
                 worst_name.c_str(), worst.abs, worst.rel);
    return 1;
}

}  // namespace loupe::cli
