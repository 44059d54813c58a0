// SPDX-License-Identifier: Apache-2.0
#include "core/study/studies/principal_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"

namespace loupe::session {
namespace {

const OperatorHandle<fn::TwoTensors> kEigen("aten::linalg_eigh");

double distance(const double* a, const double* b, std::int64_t width) {
    double sum = 0;
    for (std::int64_t i = 0; i < width; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

// The last two columns of what linalg_eigh gives, the greatest first, as rows.
Tensor last_two(const Tensor& vectors) {
    const std::int64_t n = vectors.size(1);
    const Tensor rows =
        fn::transpose(fn::narrow(vectors, 1, std::max<std::int64_t>(0, n - 2), std::min<std::int64_t>(2, n)), 0, 1);
    return fn::contiguous(fn::flip(rows, IValue(std::vector<std::int64_t>{0})), 0);
}

// In place: rows of length 1, the greatest element positive. A direction without variance is 0.
void normalise(double* row, std::int64_t width) {
    double square = 0, greatest = 0;
    for (std::int64_t i = 0; i < width; ++i) {
        square += row[i] * row[i];
        if (std::abs(row[i]) > std::abs(greatest)) greatest = row[i];
    }
    const double factor = square > 0 ? (greatest < 0 ? -1 : 1) / std::sqrt(square) : 0;
    for (std::int64_t i = 0; i < width; ++i) row[i] *= factor;
}

}  // namespace

PrincipalAxes principal_axes(const Tensor& rows) {
    const std::int64_t count = rows.size(0), width = rows.size(1);
    for (std::int64_t i = 0; i < rows.numel(); ++i)
        if (!std::isfinite(rows.data<double>()[i])) throw Error(ErrorKind::Run, "the rows hold NaN or Inf");
    const Tensor centred =
        fn::contiguous(fn::sub(rows, fn::mean_dim(rows, IValue(std::vector<std::int64_t>{0}), true), Scalar(1)), 0);
    check_cancelled();
    const Tensor across = fn::transpose(centred, 0, 1);
    // The smaller of the two products has the same eigenvalues.
    const bool is_tall = count >= width;
    const auto [values, vectors] = kEigen(is_tall ? fn::matmul(across, centred) : fn::matmul(centred, across));
    check_cancelled();
    PrincipalAxes out;
    const Tensor two = last_two(vectors);
    const Tensor found = is_tall ? two : fn::matmul(two, centred);
    out.components = zeros(std::vector<std::int64_t>{2, width}, ScalarType::Float64);
    fn::copy_(fn::narrow(out.components, 0, 0, found.size(0)), found);
    double all = 0;
    const double* variances = values.data<double>();
    for (std::int64_t i = 0; i < values.numel(); ++i) all += std::max(0.0, variances[i]);
    for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t at = values.numel() - 1 - static_cast<std::int64_t>(i);
        const double variance = at < 0 ? 0 : std::max(0.0, variances[at]);
        out.share[i] = all > 0 ? variance / all : 0;
        double* row = out.components.data<double>() + static_cast<std::int64_t>(i) * width;
        if (variance <= all * 1e-14) std::fill_n(row, width, 0.0);
        normalise(row, width);
    }
    out.scores = fn::contiguous(fn::matmul(centred, fn::transpose(out.components, 0, 1)), 0);
    return out;
}

std::vector<int> groups_of(const Tensor& rows, int count) {
    constexpr int kRounds = 100;
    const std::int64_t n = rows.size(0), width = rows.size(1);
    const double* data = rows.data<double>();
    count = static_cast<int>(std::min<std::int64_t>(count, n));
    // Each beginning lies farthest from those before it.
    std::vector<std::vector<double>> centres{{data, data + width}};
    std::vector<double> nearest(static_cast<std::size_t>(n), std::numeric_limits<double>::infinity());
    while (std::ssize(centres) < count) {
        for (std::int64_t i = 0; i < n; ++i) {
            double& own = nearest[static_cast<std::size_t>(i)];
            own = std::min(own, distance(data + i * width, centres.back().data(), width));
        }
        const double* at = data + (std::max_element(nearest.begin(), nearest.end()) - nearest.begin()) * width;
        centres.emplace_back(at, at + width);
    }
    std::vector<int> groups(static_cast<std::size_t>(n), -1);
    for (int round = 0; round < kRounds; ++round) {
        check_cancelled();
        bool has_moved = false;
        std::vector<std::vector<double>> sums(centres.size(), std::vector<double>(static_cast<std::size_t>(width), 0));
        std::vector<double> sizes(centres.size(), 0);
        for (std::int64_t i = 0; i < n; ++i) {
            int best = 0;
            double least = std::numeric_limits<double>::infinity();
            for (int c = 0; c < std::ssize(centres); ++c) {
                const double far = distance(data + i * width, centres[static_cast<std::size_t>(c)].data(), width);
                if (far >= least) continue;
                least = far;
                best = c;
            }
            has_moved = has_moved || groups[static_cast<std::size_t>(i)] != best;
            groups[static_cast<std::size_t>(i)] = best;
            const auto group = static_cast<std::size_t>(best);
            ++sizes[group];
            for (std::int64_t j = 0; j < width; ++j) sums[group][static_cast<std::size_t>(j)] += data[i * width + j];
        }
        if (!has_moved) break;
        for (std::size_t c = 0; c < centres.size(); ++c)
            for (std::size_t j = 0; sizes[c] > 0 && j < sums[c].size(); ++j) centres[c][j] = sums[c][j] / sizes[c];
    }
    return groups;
}

}  // namespace loupe::session
