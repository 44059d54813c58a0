// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements with their shares, put together for a reader.

#include <optional>
#include <string>
#include <vector>

#include "core/study/explanation.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

// An element that was read: its place in row-major order, what it is, and what it was multiplied with.
struct ShareTerm {
    std::int64_t flat = 0;
    double element = 0;
    double coefficient = 0;

    double share() const { return element * coefficient; }
};

// As a number; of a complex one the magnitude.
double element_at(const Tensor& t, std::int64_t flat);
Shape index_of(const Shape& shape, std::int64_t flat);
// nullopt: the index is not in the shape. Negative ones count from the end.
std::optional<std::int64_t> flat_of(const Shape& shape, const Shape& index);
// "[0, 3, 5]"
std::string index_text(const Shape& index);
// "0.25", four significant digits.
std::string short_number(double number);

// 0 but for a 1 at that place: the gradient of one element.
Tensor one_hot(const Tensor& like, std::int64_t flat);
// Elements whose coefficient is not 0, of a gradient and the tensor that it is of.
std::vector<ShareTerm> terms_of(const Tensor& gradient, const Tensor& elements);
double sum_of(const std::vector<ShareTerm>& terms);
// role, argument, value and name are the caller's. Of `most` elements each is listed.
ShareGroup group_of(const Shape& shape, std::vector<ShareTerm> terms, std::size_t most);
// "fc.weight[3, 0]"
std::string element_name(const ShareGroup& group, const Shape& index);

}  // namespace loupe::session
