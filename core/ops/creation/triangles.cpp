// SPDX-License-Identifier: Apache-2.0
// tril, triu, their indices, one_hot.

#include <cstring>

#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/integer_math.h"
#include "core/kernels/layout.h"
#include "core/ops/creation/creation.h"
#include "core/ops/creation/family.h"
#include "core/ops/samples.h"
#include "core/tensor/memory_limit.h"

namespace loupe {
namespace {

using namespace creation;

template <bool kLower>
void infer_triangle(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    require(self.dim() >= 2,
            is_older_torch() ? ""
            : kLower         ? "tril: "
                             : "triu: ",
            "input tensor must have at least 2 dimensions");
    outputs.push_back(same_meta(self));
}

// Sets columns [begin, end) of a row to zero bytes.
void clear_columns(std::byte* row, std::int64_t stride, std::int64_t begin, std::int64_t end, std::int64_t size) {
    if (begin >= end) return;
    if (stride == size) {
        std::memset(row + begin * stride, 0, static_cast<std::size_t>((end - begin) * size));
        return;
    }
    for (std::int64_t column = begin; column < end; ++column) {
        std::memset(row + column * stride, 0, static_cast<std::size_t>(size));
    }
}

template <bool kLower>
void keep_triangle(Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    const Tensor out = results[0].to_tensor();
    const std::int64_t diagonal = arguments[1].to_int();
    if (!out.is_same(self)) copy_into(out, self);
    const std::int64_t rows = out.size(-2), columns = out.size(-1), size = out.element_size();
    const std::int64_t matrices = rows * columns == 0 ? 0 : out.numel() / (rows * columns);
    const std::int64_t near = std::clamp(diagonal, -rows, columns);
    const auto batch = static_cast<std::size_t>(out.dim() - 2);
    for (std::int64_t m = 0; m < matrices; ++m) {
        std::int64_t offset = 0;
        std::int64_t rest = m;
        for (std::size_t d = batch; d-- > 0;) {
            offset += rest % out.sizes()[d] * out.strides()[d];
            rest /= out.sizes()[d];
        }
        auto* matrix = static_cast<std::byte*>(out.raw_data()) + offset * size;
        if (out.stride(-2) == 1 && out.stride(-1) != 1) {
            // By columns, where those lie in one piece.
            for (std::int64_t j = 0; j < columns; ++j) {
                const std::int64_t edge = std::clamp<std::int64_t>(kLower ? j - near : j - near + 1, 0, rows);
                clear_columns(matrix + j * out.stride(-1) * size, size, kLower ? 0 : edge, kLower ? edge : rows, size);
            }
            continue;
        }
        for (std::int64_t i = 0; i < rows; ++i) {
            std::byte* row = matrix + i * out.stride(-2) * size;
            // Columns up to the diagonal, limited to the number of columns.
            const std::int64_t edge = std::clamp<std::int64_t>(kLower ? i + near + 1 : i + near, 0, columns);
            clear_columns(row, out.stride(-1) * size, kLower ? edge : 0, kLower ? columns : edge, size);
        }
    }
}

template <const OperatorHandle<>* kTriangle>
void triangle_backward(GradientContext& c) {
    c.set_grad("self", (*kTriangle)(c.grad_output(), c.value("diagonal")));
}

std::vector<Sample> triangle_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), 0}, {}},
            {{random_tensor(random, {2, 4, 3}, dtype), -1}, "a batch below the diagonal"},
            {{random_tensor(random, {3, 3}, dtype), 5}, "everything"}};
}

// (row, col, offset, dtype, ...)
template <bool kLower>
void triangle_indices(Arguments arguments, IValue* results) {
    const std::int64_t rows = arguments[0].to_int(), columns = arguments[1].to_int(), offset = arguments[2].to_int();
    require(rows >= 0 && columns >= 0, "row and col must be non-negative, got ", rows, " and ", columns);
    const Options options = options_of(arguments, 3, ScalarType::Int64);
    std::vector<std::int64_t> row_numbers, column_numbers;
    // Offsets outside of the matrix are equivalent.
    const std::int64_t diagonal = std::clamp(offset, -rows, columns);
    // Rows without a place are skipped, so that work and memory are those of the result.
    const std::int64_t first = kLower ? std::max<std::int64_t>(-diagonal, 0) : 0;
    const std::int64_t last = columns == 0 ? first : kLower ? rows : std::min(rows, checked_sum(columns, -diagonal));
    require_memory(std::max<std::int64_t>(last - first, 0), 2 * sizeof(std::int64_t));
    for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t begin = kLower ? 0 : std::max<std::int64_t>(i + diagonal, 0);
        const std::int64_t end = kLower ? std::min(i + diagonal + 1, columns) : columns;
        require_memory(static_cast<std::int64_t>(row_numbers.size()) + std::max<std::int64_t>(end - begin, 0),
                       2 * sizeof(std::int64_t));
        for (std::int64_t j = begin; j < end; ++j) {
            row_numbers.push_back(i);
            column_numbers.push_back(j);
        }
    }
    const auto count = static_cast<std::int64_t>(row_numbers.size());
    row_numbers.insert(row_numbers.end(), column_numbers.begin(), column_numbers.end());
    const Dims sizes{2, count};
    const Tensor wide = tensor_of<std::int64_t>(row_numbers, span_of(sizes));
    const Tensor out = empty(span_of(sizes), options.dtype);
    copy_into(out, wide);
    results[0] = out;
}

Tensor one_hot(const Tensor& self, std::int64_t num_classes) {
    require(self.dtype() == ScalarType::Int64, "one_hot is only applicable to index tensor of type LongTensor.");
    require(self.numel() > 0 || num_classes > 0, "Can not infer total number of classes from empty tensor.");
    const bool is_empty = self.numel() == 0;
    require(is_empty || item(fn::amin(self, Dims{}, false)).to_int() >= 0, "Class values must be non-negative.");
    const std::int64_t largest = is_empty ? -1 : item(fn::amax(self, Dims{}, false)).to_int();
    require(num_classes != 0 && num_classes >= -1, "num_classes should be positive");
    const std::int64_t classes = num_classes == -1 ? largest + 1 : num_classes;
    require(largest < classes, "Class values must be smaller than num_classes.");
    Dims sizes = to_dims(self.sizes());
    sizes.push_back(classes);
    const Tensor out = zeros(span_of(sizes), ScalarType::Int64, self.device());
    return is_empty ? out : fn::scatter_value(out, -1, fn::unsqueeze(self, -1), Scalar(1));
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::tril(Tensor self, int diagonal=0) -> Tensor",
     .summary = "Lower triangle of each matrix, zeros above the diagonal.",
     .formula = "out[i, j] = self[i, j] if j <= i + diagonal else 0",
     .infer = infer_triangle<true>,
     .kernel = FillingKernel{&keep_triangle<true>},
     .derivative = {triangle_backward<&fn::tril>},
     .gradient = "self: grad where j <= i + diagonal, else 0",
     .samples = triangle_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "tril"}},
    {.schema = "aten::triu(Tensor self, int diagonal=0) -> Tensor",
     .summary = "Upper triangle of each matrix, zeros below the diagonal.",
     .formula = "out[i, j] = self[i, j] if j >= i + diagonal else 0",
     .infer = infer_triangle<false>,
     .kernel = FillingKernel{&keep_triangle<false>},
     .derivative = {triangle_backward<&fn::triu>},
     .gradient = "self: grad where j >= i + diagonal, else 0",
     .samples = triangle_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "triu"}},
    {.schema = "aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, "
               "Device? device=None, "
               "bool? pin_memory=None) -> Tensor",
     .summary = "Rows and columns of the lower triangle.",
     .kernel = &triangle_indices<true>},
    {.schema = "aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, "
               "Device? device=None, "
               "bool? pin_memory=None) -> Tensor",
     .summary = "Rows and columns of the upper triangle.",
     .kernel = &triangle_indices<false>},
    {.schema = "aten::one_hot(Tensor self, int num_classes=-1) -> Tensor",
     .summary = "A 1 at each index along a new last dimension.",
     .results_from = ResultsFrom::Elements,
     .kernel = boxed<one_hot>},
};

}  // namespace

std::span<const OperatorRecord> creation::triangle_records() { return kRecords; }

}  // namespace loupe
