// SPDX-License-Identifier: Apache-2.0
#pragma once
// Norms of an optimiser's update of each parameter, measured while the elements are in cache: after the update of a
// block of elements its sums are computed.
//
//     StepNorms norms(parameters);
//     optimizer.step();
//     norms.update(0);  // l2 norm of the first parameter's update

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/tensor/tensor.h"

namespace loupe::optim {

// l2 norm of all elements, of sparse tensors of the entries. Sums are of doubles and do not depend on the thread count.
double l2_norm(const Tensor& t);

// Of optimisers that step on this thread in this scope. One at a time.
class StepNorms {
  public:
    explicit StepNorms(std::span<const Tensor> parameters);
    StepNorms(const StepNorms&) = delete;
    StepNorms& operator=(const StepNorms&) = delete;
    ~StepNorms();

    // The l2 norm of the last step's change, and that of the parameter before it; 0 and NaN where it was not stepped.
    double update(std::size_t index) const { return rows_[index].update; }
    double weight(std::size_t index) const { return rows_[index].weight; }

    // Null without measuring.
    static StepNorms* current();

    // --- for optimisers ---
    // Sums of squares, of change and of the elements before, a pair a block of elements.
    struct Sums {
        double update = 0;
        double weight = 0;
    };
    // Around the step of one parameter. Where its update adds no sums in between, a copy is compared.
    class Measure {
      public:
        // is_fused: the update calls add() itself.
        Measure(Tensor parameter, bool is_fused);
        Measure(const Measure&) = delete;
        Measure& operator=(const Measure&) = delete;
        // Called when the step is done; one that throws measures nothing.
        void finish();

      private:
        StepNorms* norms_;
        std::size_t index_ = 0;
        Tensor parameter_;
        Tensor before_;
    };
    void add(std::span<const Sums> blocks);

  private:
    struct Row {
        double update = 0;
        double weight;
    };
    std::vector<Row> rows_;
    std::unordered_map<const TensorImpl*, std::size_t> index_;
    std::size_t at_;  // of the parameter that is stepped; rows_.size(): one that is not measured
};

// Elements of a block: its sums are one entry, whatever the threads.
inline constexpr std::int64_t kNormBlock = 1 << 14;
// Of them as many as are updated and measured at once.
inline constexpr std::int64_t kNormPiece = 1 << 10;
// Adds the squares of after - before, and of before.
void add_moved(const float* after, const float* before, std::int64_t n, StepNorms::Sums& sums);
void add_moved(const double* after, const double* before, std::int64_t n, StepNorms::Sums& sums);

}  // namespace loupe::optim
