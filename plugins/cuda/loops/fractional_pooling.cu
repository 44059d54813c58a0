// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/fractional_pooling.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

template <typename S>
struct FractionalBody {
    FractionalShape s;
    const S* x;
    const S* samples;
    S* out;
    std::int64_t* indices;
    using T = Compute<S>;

    // A rounding moves a window: each step is rounded as the elements are.
    LOUPE_HD static T rounded(T value) { return static_cast<T>(stored<S>(value)); }
    LOUPE_HD std::int64_t start(int d, std::int64_t plane, std::int64_t at) const {
        const int axis = d - (3 - s.spatial);
        if (axis < 0) return 0;
        const T sample = static_cast<T>(samples[plane * s.spatial + (s.spatial == 2 ? 1 - axis : axis)]);
        if (!(sample >= T(0) && sample <= T(1))) {
            report(s.fault, FaultKind::Sample, bits_as<std::int64_t>(static_cast<double>(sample)), 0);
            return 0;
        }
        const std::int64_t most = s.input[d] - s.kernel[d];
        if (at + 1 == s.output[d]) return most;
        const T alpha = rounded(rounded(static_cast<T>(most)) / rounded(static_cast<T>(s.output[d] - 1)));
        const T moved = rounded(rounded(static_cast<T>(at)) + sample);
        const std::int64_t first =
            static_cast<std::int64_t>(rounded(moved * alpha)) - static_cast<std::int64_t>(rounded(sample * alpha));
        return first < most ? first : most;
    }
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t rows = quotient(i, s.output[2]), deep = quotient(rows, s.output[1]);
        const std::int64_t plane = quotient(deep, s.output[0]);
        const std::int64_t d0 = start(0, plane, deep - plane * s.output[0]),
                           h0 = start(1, plane, rows - deep * s.output[1]),
                           w0 = start(2, plane, i - rows * s.output[2]);
        const S* const from = x + plane * s.input[0] * s.input[1] * s.input[2];
        T best = -std::numeric_limits<T>::infinity();
        std::int64_t at = (d0 * s.input[1] + h0) * s.input[2] + w0;
        for (std::int64_t d = d0; d < d0 + s.kernel[0]; ++d) {
            for (std::int64_t h = h0; h < h0 + s.kernel[1]; ++h) {
                for (std::int64_t w = w0; w < w0 + s.kernel[2]; ++w) {
                    const std::int64_t here = (d * s.input[1] + h) * s.input[2] + w;
                    const T value = static_cast<T>(from[here]);
                    if (value > best || value != value) {
                        best = value;
                        at = here;
                    }
                }
            }
        }
        out[i] = stored<S>(best);
        indices[i] = at;
    }
};

}  // namespace

bool run_fractional_pool(const Queue& queue, const FractionalShape& s, const void* x, const void* samples, void* out,
                         std::int64_t* indices) {
    return visit_floating(s.element, [&](auto tag) {
        using S = decltype(tag);
        launch(queue, s.planes * s.output[0] * s.output[1] * s.output[2],
               FractionalBody<S>{s, static_cast<const S*>(x), static_cast<const S*>(samples), static_cast<S*>(out),
                                 indices});
    });
}

}  // namespace loupe::cuda
