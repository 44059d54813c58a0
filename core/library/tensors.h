// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors for programs that use the library: making, indexing, arithmetic and printing them as PyTorch does. All of it
// is recorded for backward; operators that have no name here are called by theirs.
//
//     Tensor x = randn({4, 3});
//     Tensor y = call("softmax", {index(x, {Slice(0, 2)}) * 2.0}, {{"dim", 1}}).to_tensor();
//     std::cout << y << '\n';

#include <algorithm>
#include <concepts>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"
#include "core/value/ivalue.h"

namespace loupe {

// --- making ---

Tensor zeros(const Dims& sizes, ScalarType dtype = ScalarType::Float32, Device device = {});
Tensor ones(const Dims& sizes, ScalarType dtype = ScalarType::Float32, Device device = {});
Tensor full(const Dims& sizes, const Scalar& value, ScalarType dtype = ScalarType::Float32, Device device = {});
// start, start + step, ... below end; torch.arange.
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step = 1,
              std::optional<ScalarType> dtype = std::nullopt);
// Of the generator that seed_generators() sets: PyTorch's numbers for the same seed.
Tensor rand(const Dims& sizes, ScalarType dtype = ScalarType::Float32, Device device = {});
Tensor randn(const Dims& sizes, ScalarType dtype = ScalarType::Float32, Device device = {});
// The caller's memory as a tensor, not copied; `release` is called when no tensor views it any more. strides: in
// elements; empty: row-major. torch.from_blob.
Tensor from_memory(void* data, const Dims& sizes, ScalarType dtype = ScalarType::Float32,
                   std::function<void()> release = nullptr, const Dims& strides = {});
// A row-major copy of the elements, brought from their device. Throws Error (Run) for another dtype than T's.
template <typename T>
std::vector<T> to_vector(const Tensor& t);

// --- indexing ---

// x[start:stop:step]; what is left out is as in Python.
struct Slice {
    explicit Slice(std::optional<std::int64_t> first = {}, std::optional<std::int64_t> last = {},
                   std::optional<std::int64_t> by = {})
        : start(first), stop(last), step(by) {}
    std::optional<std::int64_t> start, stop, step;
};
// One dimension's index: a number, a slice, a tensor of numbers or truths, Index::ellipsis(), Index::new_axis().
class Index {
  public:
    template <std::integral T>
    Index(T number) : value_(number) {}
    Index(const Slice& slice);
    Index(const Tensor& indices) : value_(indices) {}
    static Index ellipsis();
    static Index new_axis() { return Index(IValue()); }
    // What value() of another one gave.
    static Index of_value(IValue value) { return Index(std::move(value)); }
    const IValue& value() const { return value_; }

  private:
    explicit Index(IValue value) : value_(std::move(value)) {}
    IValue value_;
};
// x[i, j, ...]: a view where the indices are numbers and slices, else a copy. Throws Error (Run) as Python's.
Tensor index(const Tensor& t, const std::vector<Index>& indices);
// x[i, j, ...] = value, a tensor or a number.
void set_index(const Tensor& t, const std::vector<Index>& indices, const IValue& value);

// --- calling operators ---

// torch.NAME(arguments), its overload chosen by PyTorch's rules: call("topk", {x, 5}, {{"dim", 0}}). Several results
// are a tuple. Throws Error (Run) with PyTorch's message when no overload fits.
IValue call(std::string_view name, std::vector<IValue> arguments,
            std::vector<std::pair<std::string, IValue>> keywords = {});
// A dtype as an argument of call: {"dtype", dtype_value(ScalarType::Float64)}.
IValue dtype_value(ScalarType dtype);

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, const Scalar& b);
Tensor operator-(const Tensor& a, const Scalar& b);
Tensor operator*(const Tensor& a, const Scalar& b);
Tensor operator/(const Tensor& a, const Scalar& b);
Tensor operator+(const Scalar& a, const Tensor& b);
Tensor operator-(const Scalar& a, const Tensor& b);
Tensor operator*(const Scalar& a, const Tensor& b);
Tensor operator/(const Scalar& a, const Tensor& b);
Tensor operator-(const Tensor& t);

// --- text ---

// "tensor([1., 2.], grad_fn=<AddBackward0>)", as print() of Python writes it.
std::string str(const Tensor& t);
// The same.
std::ostream& operator<<(std::ostream& out, const Tensor& t);

namespace detail {
// Row-major, on the CPU. Throws Error (Run) for another dtype.
Tensor elements_on_host(const Tensor& t, ScalarType dtype);
}  // namespace detail

template <typename T>
std::vector<T> to_vector(const Tensor& t) {
    const Tensor elements = detail::elements_on_host(t, scalar_type_of<T>);
    std::vector<T> out(static_cast<std::size_t>(elements.numel()));
    std::copy_n(elements.data<T>(), out.size(), out.begin());
    return out;
}

}  // namespace loupe
