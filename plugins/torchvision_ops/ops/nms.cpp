// SPDX-License-Identifier: Apache-2.0
// Non-maximum suppression: boxes by descending score, without those that overlap a better one too much.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/cancel.h"
#include "core/base/parallel.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/simd.h"
#include "plugins/torchvision_ops/ops/family.h"

namespace loupe::torchvision_ops {
namespace {

// Kept boxes of one block are compared with all boxes after it at once.
constexpr std::int64_t kBlock = 128;
constexpr std::int64_t kTile = 1024;

void check_boxes(const Tensor& dets, const Tensor& scores) {
    require(dets.dim() == 2, "boxes should be a 2d tensor, got ", dets.dim(), "D");
    require(dets.size(1) == 4, "boxes should have 4 elements in dimension 1, got ", dets.size(1));
    require(scores.dim() == 1, "scores should be a 1d tensor, got ", scores.dim(), "D");
    require(dets.size(0) == scores.size(0), "boxes and scores should have same number of elements in dimension 0, got ",
            dets.size(0), " and ", scores.size(0));
    require(dets.dtype() == ScalarType::Float32 || dets.dtype() == ScalarType::Float64,
            "\"nms_kernel\" not implemented for '", dtype_graph_name(dets.dtype()), "'");
    require(dets.dtype() == scores.dtype(), "dets should have the same type as scores");
}

// Descending, stable, NaN first, as PyTorch's stable sort.
template <typename T>
std::vector<std::int64_t> falling_order(const T* scores, std::int64_t n) {
    std::vector<std::pair<T, std::int64_t>> keys(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) keys[static_cast<std::size_t>(i)] = {scores[i], i};
    std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) {
        if (a.first > b.first || b.first > a.first) return a.first > b.first;
        const bool a_is_nan = a.first != a.first;
        const bool b_is_nan = b.first != b.first;
        return a_is_nan != b_is_nan ? a_is_nan : a.second < b.second;
    });
    std::vector<std::int64_t> order;
    order.reserve(keys.size());
    for (const auto& key : keys) order.push_back(key.second);
    return order;
}

// overlap > threshold in double is overlap > this in T.
template <typename T>
T rounded_down(double threshold) {
    const T near = static_cast<T>(threshold);
    return static_cast<double>(near) > threshold ? std::nextafter(near, -std::numeric_limits<T>::infinity()) : near;
}

template <typename T>
class Suppression {
  public:
    Suppression(const T* boxes, const T* scores, std::int64_t n, double threshold)
        : threshold_(rounded_down<T>(threshold)),
          index_(falling_order(scores, n)),
          dead_(static_cast<std::size_t>(n), T(0)) {
        for (auto* side : {&x1_, &y1_, &x2_, &y2_, &area_}) side->resize(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < index_.size(); ++i) {
            const T* box = boxes + 4 * index_[i];
            x1_[i] = box[0];
            y1_[i] = box[1];
            x2_[i] = box[2];
            y2_[i] = box[3];
            area_[i] = (box[2] - box[0]) * (box[3] - box[1]);
        }
    }

    // The kept boxes' indices.
    std::vector<std::int64_t> run() {
        std::vector<std::int64_t> kept;
        auto left = static_cast<std::int64_t>(index_.size());
        while (left > 0) {
            check_cancelled();
            const std::int64_t block = std::min(left, kBlock);
            const std::vector<std::int64_t> winners = winners_of(block);
            for (const std::int64_t i : winners) kept.push_back(index_[static_cast<std::size_t>(i)]);
            const std::int64_t grain =
                std::max<std::int64_t>(kTile, (1 << 16) / (static_cast<std::int64_t>(winners.size()) + 1));
            parallel_for(block, left, grain, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t at = begin; at < end; at += kTile) {
                    for (const std::int64_t i : winners) suppress(i, at, std::min(end, at + kTile));
                }
            });
            left = compact(block, left);
        }
        return kept;
    }

  private:
    // Those of the first `block` that no better one of them suppresses.
    std::vector<std::int64_t> winners_of(std::int64_t block) {
        std::vector<std::int64_t> winners;
        for (std::int64_t i = 0; i < block; ++i) {
            if (dead_[static_cast<std::size_t>(i)] != 0) continue;
            winners.push_back(i);
            suppress(i, i + 1, block);
        }
        return winners;
    }

    // Marks those in [begin, end) that overlap box i too much. Comparisons are ordered as in std::max(a, b), for NaN.
    void suppress(std::int64_t i, std::int64_t begin, std::int64_t end) {
        const auto at = static_cast<std::size_t>(i);
        const T ax1 = x1_[at], ay1 = y1_[at], ax2 = x2_[at], ay2 = y2_[at], area = area_[at], threshold = threshold_;
        const T *x1 = x1_.data(), *y1 = y1_.data(), *x2 = x2_.data(), *y2 = y2_.data(), *areas = area_.data();
        T* dead = dead_.data();
        with_best_instructions([&]() LOUPE_INLINE {
#pragma omp simd
            for (std::int64_t j = begin; j < end; ++j) {
                const T left = ax1 < x1[j] ? x1[j] : ax1;
                const T top = ay1 < y1[j] ? y1[j] : ay1;
                const T right = x2[j] < ax2 ? x2[j] : ax2;
                const T bottom = y2[j] < ay2 ? y2[j] : ay2;
                const T width = T(0) < right - left ? right - left : T(0);
                const T height = T(0) < bottom - top ? bottom - top : T(0);
                const T shared = width * height;
                const T overlap = shared / (area + areas[j] - shared);
                dead[j] = overlap > threshold ? T(1) : dead[j];
            }
        });
    }

    // Moves the survivors of [from, to) to the front; how many they are.
    std::int64_t compact(std::int64_t from, std::int64_t to) {
        std::size_t count = 0;
        for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
            if (dead_[i] != 0) continue;
            for (auto* side : {&x1_, &y1_, &x2_, &y2_, &area_}) (*side)[count] = (*side)[i];
            index_[count++] = index_[i];
        }
        std::fill_n(dead_.begin(), count, T(0));
        return static_cast<std::int64_t>(count);
    }

    T threshold_;
    std::vector<std::int64_t> index_;  // in order of falling score, as the arrays below
    std::vector<T> x1_, y1_, x2_, y2_, area_;
    std::vector<T> dead_;  // 0 or 1, of the width of the compared type
};

Tensor nms(const Tensor& dets, const Tensor& scores, double iou_threshold) {
    check_boxes(dets, scores);
    const Tensor boxes = packed(dets);
    const Tensor dense_scores = packed(scores);
    Tensor out;
    nn_ops::visit_floating(dets.dtype(), "nms_kernel", [&]<typename T>(std::type_identity<T>) {
        const auto kept = Suppression<T>(boxes.data<T>(), dense_scores.data<T>(), scores.numel(), iou_threshold).run();
        out = tensor_of(std::span<const std::int64_t>(kept), span_of(Dims{static_cast<std::int64_t>(kept.size())}));
    });
    return out;
}

std::vector<Sample> nms_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float32 && dtype != ScalarType::Float64) return {};
    const Tensor corners = random_tensor(random, {12, 2}, dtype);
    const Tensor boxes = fn::cat(TensorList{corners, fn::add_scalar(corners, Scalar(1.5), Scalar(1))}, 1);
    return {{{boxes, random_ladder(random, {12}, dtype), 0.3}}};
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
        .summary = "The indices of the boxes that overlap no box of a higher score by more than a threshold, by "
                   "falling score.",
        .formula = "keep i unless IoU(dets[i], dets[j]) > iou_threshold for a kept j with scores[j] > scores[i]",
        .results_from = ResultsFrom::Elements,
        .kernel = boxed<nms>,
        .samples = nms_samples,
        .is_gradient_stop = true,
        .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
    },
};

}  // namespace

std::span<const OperatorRecord> nms_records() { return kRecords; }

}  // namespace loupe::torchvision_ops
