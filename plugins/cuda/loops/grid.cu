// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/grid.h"

#include "plugins/cuda/loops/launch.h"

namespace loupe::cuda {
namespace {

constexpr int kMostTaps = 16;

// A coordinate in places, and how it moves with the grid's value.
template <typename T>
struct Source {
    T at, slope;
};
template <typename T>
LOUPE_HD Source<T> unnormalized(T value, std::int64_t n, bool align) {
    const T size = static_cast<T>(n);
    if (align) return {(value + 1) * ((size - 1) / 2), (size - 1) / 2};
    return {(value + 1) * (size / 2) - T(0.5), size / 2};
}
template <typename T>
LOUPE_HD Source<T> reflected(Source<T> s, std::int64_t n, bool align) {
    if (align && n == 1) return {0, 0};
    const T low = align ? T(0) : T(-0.5);
    const T span = static_cast<T>(align ? n - 1 : n);
    const T from_low = s.at - low;
    const T distance = std::abs(from_low);
    const T rest = distance - std::trunc(distance / (2 * span)) * 2 * span;
    const bool turned = rest > span;
    const T sign = (from_low < 0) != turned ? T(-1) : T(1);
    return {(rest < 2 * span - rest ? rest : 2 * span - rest) + low, s.slope * sign};
}
// NaN goes to 0.
template <typename T>
LOUPE_HD Source<T> clipped(Source<T> s, std::int64_t n) {
    const T last = static_cast<T>(n - 1);
    if (!(s.at > 0)) return {0, 0};
    if (s.at >= last) return {last, 0};
    return s;
}
template <typename T>
LOUPE_HD Source<T> padded(Source<T> s, std::int64_t n, GridPadding padding, bool align) {
    if (padding == GridPadding::Zeros) return s;
    return clipped(padding == GridPadding::Reflection ? reflected(s, n, align) : s, n);
}

// Keys' cubic kernel with a = -0.75 at the distances 1 + t, t, 1 - t, 2 - t, and its derivatives by t.
template <typename T>
LOUPE_HD void cubic(T t, T* weight, T* slope) {
    const T a = T(-0.75);
    const auto near = [a](T x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
    const auto far = [a](T x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
    const auto near_slope = [a](T x) { return (3 * (a + 2) * x - 2 * (a + 3)) * x; };
    const auto far_slope = [a](T x) { return (3 * a * x - 10 * a) * x + 8 * a; };
    weight[0] = far(t + 1);
    weight[1] = near(t);
    weight[2] = near(1 - t);
    weight[3] = far(2 - t);
    slope[0] = far_slope(t + 1);
    slope[1] = near_slope(t);
    slope[2] = -near_slope(1 - t);
    slope[3] = -far_slope(2 - t);
}

// Along one axis: places, -1 outside, with weights and their derivatives by the grid's value.
template <typename T>
struct AxisReads {
    std::int64_t place[4];
    T weight[4], slope[4];
    int count = 0;
    LOUPE_HD void add(T at, std::int64_t n, T w, T s) {
        const bool inside = at >= 0 && at < static_cast<T>(n);
        place[count] = inside ? static_cast<std::int64_t>(at) : -1;
        weight[count] = w;
        slope[count++] = s;
    }
};
template <typename T>
LOUPE_HD void read_axis(const GridShape& s, int axis, T value, AxisReads<T>& reads) {
    const std::int64_t n = s.sizes[axis];
    const Source<T> raw = unnormalized(value, n, s.align);
    if (s.mode == GridMode::Bicubic) {
        T weight[4], slope[4];
        const T first = std::floor(raw.at);
        cubic(raw.at - first, weight, slope);
        for (int k = 0; k < 4; ++k) {
            const Source<T> at = padded<T>({first - 1 + static_cast<T>(k), 0}, n, s.padding, s.align);
            reads.add(at.at, n, weight[k], slope[k] * raw.slope);
        }
        return;
    }
    const Source<T> at = padded(raw, n, s.padding, s.align);
    if (s.mode == GridMode::Nearest) return reads.add(std::nearbyint(at.at), n, 1, 0);
    const T left = std::floor(at.at);
    reads.add(left, n, left + 1 - at.at, -at.slope);
    reads.add(left + 1, n, at.at - left, at.slope);
}

// What a point reads, with weights and their derivatives by x, y(, z).
template <typename T>
struct PointReads {
    std::int64_t pixel[kMostTaps];
    T weight[kMostTaps];
    T by[kMostTaps][3];
    int count = 1;
};
template <typename T>
LOUPE_HD void read_point(const GridShape& s, const char* grid, PointReads<T>& reads) {
    reads.count = 1;
    reads.pixel[0] = 0;
    reads.weight[0] = reads.by[0][0] = reads.by[0][1] = reads.by[0][2] = 1;
    for (int axis = 0; axis < s.rank; ++axis) {
        const int component = s.rank - 1 - axis;
        AxisReads<T> along;
        read_axis(s, axis, load<T>(grid + component * size_of(s.element), s.element), along);
        // From the last on, so that each is read before it is written over.
        for (int before = reads.count - 1; before >= 0; --before) {
            const std::int64_t pixel = reads.pixel[before];
            const T weight = reads.weight[before],
                    by[3] = {reads.by[before][0], reads.by[before][1], reads.by[before][2]};
            for (int k = along.count - 1; k >= 0; --k) {
                const int to = before * along.count + k;
                reads.pixel[to] = pixel < 0 || along.place[k] < 0 ? -1 : pixel * s.sizes[axis] + along.place[k];
                reads.weight[to] = weight * along.weight[k];
                for (int c = 0; c < 3; ++c)
                    reads.by[to][c] = by[c] * (c == component ? along.slope[k] : along.weight[k]);
            }
        }
        reads.count *= along.count;
    }
}

struct GridPoint {
    std::int64_t batch, point;
};
LOUPE_HD inline GridPoint point_of(const GridShape& s, std::int64_t i) {
    const std::int64_t batch = quotient(i, s.points);
    return {batch, i - batch * s.points};
}

template <typename T>
struct SampleBody {
    GridShape s;
    const char* input;
    const char* grid;
    char* out;
    LOUPE_HD void operator()(std::int64_t i) const {
        const int size = size_of(s.element);
        const GridPoint at = point_of(s, i);
        PointReads<T> reads;
        read_point(s, grid + i * s.rank * size, reads);
        for (std::int64_t c = 0; c < s.channels; ++c) {
            const std::int64_t plane = at.batch * s.channels + c;
            T sum = 0;
            for (int k = 0; k < reads.count; ++k) {
                if (reads.pixel[k] >= 0)
                    sum += reads.weight[k] * load<T>(input + (plane * s.pixels + reads.pixel[k]) * size, s.element);
            }
            store(out + (plane * s.points + at.point) * size, s.element, sum);
        }
    }
};
template <typename T>
struct SlopeBody {
    GridShape s;
    const char* grad;
    const char* input;
    const char* grid;
    char* grad_grid;
    LOUPE_HD void operator()(std::int64_t i) const {
        const int size = size_of(s.element);
        const GridPoint at = point_of(s, i);
        PointReads<T> reads;
        read_point(s, grid + i * s.rank * size, reads);
        T moved[3] = {};
        for (std::int64_t c = 0; c < s.channels; ++c) {
            const std::int64_t plane = at.batch * s.channels + c;
            const T own = load<T>(grad + (plane * s.points + at.point) * size, s.element);
            for (int k = 0; k < reads.count; ++k) {
                if (reads.pixel[k] < 0) continue;
                const T part = own * load<T>(input + (plane * s.pixels + reads.pixel[k]) * size, s.element);
                for (int d = 0; d < 3; ++d) moved[d] += part * reads.by[k][d];
            }
        }
        for (int d = 0; d < s.rank; ++d) store(grad_grid + (i * s.rank + d) * size, s.element, moved[d]);
    }
};
template <typename T>
struct SpreadBody {
    GridShape s;
    int taps;
    const char* grad;
    const char* grid;
    std::int64_t* places;
    T* parts;
    LOUPE_HD void operator()(std::int64_t i) const {
        const int size = size_of(s.element);
        const GridPoint at = point_of(s, i);
        PointReads<T> reads;
        read_point(s, grid + i * s.rank * size, reads);
        for (int k = 0; k < taps; ++k) {
            places[i * taps + k] = reads.pixel[k];
            for (std::int64_t c = 0; c < s.channels; ++c) {
                const char* const own = grad + ((at.batch * s.channels + c) * s.points + at.point) * size;
                parts[(i * taps + k) * s.channels + c] = reads.weight[k] * load<T>(own, s.element);
            }
        }
    }
};

}  // namespace

void run_grid_sample(const Queue& queue, const GridShape& s, const void* input, const void* grid, void* out) {
    const auto* const x = static_cast<const char*>(input);
    const auto* const g = static_cast<const char*>(grid);
    auto* const y = static_cast<char*>(out);
    if (s.element == Element::Float64)
        launch(queue, s.batch * s.points, SampleBody<double>{s, x, g, y});
    else
        launch(queue, s.batch * s.points, SampleBody<float>{s, x, g, y});
}
void run_grid_slopes(const Queue& queue, const GridShape& s, const void* grad, const void* input, const void* grid,
                     void* grad_grid) {
    const auto* const own = static_cast<const char*>(grad);
    const auto* const x = static_cast<const char*>(input);
    const auto* const g = static_cast<const char*>(grid);
    auto* const to = static_cast<char*>(grad_grid);
    if (s.element == Element::Float64)
        launch(queue, s.batch * s.points, SlopeBody<double>{s, own, x, g, to});
    else
        launch(queue, s.batch * s.points, SlopeBody<float>{s, own, x, g, to});
}
void run_grid_spread(const Queue& queue, const GridShape& s, const void* grad, const void* grid, std::int64_t* places,
                     void* parts) {
    const auto* const own = static_cast<const char*>(grad);
    const auto* const g = static_cast<const char*>(grid);
    if (s.element == Element::Float64)
        launch(queue, s.batch * s.points, SpreadBody<double>{s, s.taps(), own, g, places, static_cast<double*>(parts)});
    else
        launch(queue, s.batch * s.points, SpreadBody<float>{s, s.taps(), own, g, places, static_cast<float*>(parts)});
}

}  // namespace loupe::cuda
