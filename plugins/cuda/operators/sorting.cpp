// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "core/base/error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "plugins/cuda/loops/ordering.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

struct Lines {
    Element element;
    const void* x;
    std::int64_t rows, length;
    bool descending;
};
// Where the elements of the lines stand, line by line in order. `room`: four numbers of 64 bits an element.
const std::int64_t* sorted_places(const Queue& queue, const Lines& lines, void* room) {
    const std::int64_t count = lines.rows * lines.length;
    auto* const places = static_cast<std::int64_t*>(room);
    if (lines.rows == 1 && size_of(lines.element) < 8) {
        auto* const keys = reinterpret_cast<std::uint32_t*>(places + 2 * count);
        run_order_keys(queue, lines.element, lines.x, count, lines.descending, keys);
        return run_sort<std::uint32_t>(queue, {keys, places}, count, 32, {keys + count, places + count}).places;
    }
    auto* const keys = reinterpret_cast<std::uint64_t*>(places + 2 * count);
    run_order_keys(queue, lines.element, lines.x, lines.rows, lines.length, lines.descending, keys);
    const Sorted<std::uint64_t> from{keys, places}, other{keys + count, places + count};
    const auto row_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(lines.rows - 1)));
    if (size_of(lines.element) < 8) return run_sort(queue, from, count, 32 + row_bits, other).places;
    const Sorted<std::uint64_t> sorted = run_sort(queue, from, count, 64, other);
    if (lines.rows == 1) return sorted.places;
    run_row_keys(queue, sorted.places, count, lines.length, sorted.keys);
    return run_sort(queue, sorted, count, row_bits, sorted.keys == keys ? other : from, true).places;
}

// The first `kept` elements of each line in order, and which of its line each was.
fn::TwoTensors ordered(const Tensor& self, std::int64_t dim, bool descending, std::int64_t kept) {
    const Device device = self.device();
    const std::int64_t rank = self.dim(), along = wrap_dim(dim, rank);
    const Tensor lines = rank == 0 ? self : dense(fn::transpose(self, along, -1));
    const std::int64_t length = rank == 0 ? 1 : self.size(along);
    Dims sizes = to_dims(lines.sizes());
    if (rank > 0) sizes.back() = kept;
    const Tensor values = empty(span_of(sizes), self.dtype(), device);
    const Tensor indices = empty(span_of(sizes), ScalarType::Int64, device);
    const std::int64_t count = lines.numel();
    if (values.numel() > 0) {
        const std::int64_t rows = count / length;
        const Queue queue = queue_of(device);
        const Element element = element_of(self.dtype());
        const Tensor work = empty(std::array{std::int64_t{4}, count}, ScalarType::Int64, device);
        const std::int64_t* const places =
            sorted_places(queue, {element, address_of(lines), rows, length, descending}, address_of(work));
        run_ordered(queue, static_cast<int>(self.element_size()), address_of(lines), places, rows, length, kept,
                    address_of(values), static_cast<std::int64_t*>(address_of(indices)));
    }
    if (rank == 0 || along == rank - 1) return {values, indices};
    return {dense(fn::transpose(values, along, -1)), dense(fn::transpose(indices, along, -1))};
}

fn::TwoTensors sort(const Tensor& self, std::int64_t dim, bool descending) {
    return ordered(self, dim, descending, self.dim() == 0 ? 1 : self.size(wrap_dim(dim, self.dim())));
}
fn::TwoTensors sort_stable(const Tensor& self, std::optional<bool>, std::int64_t dim, bool descending) {
    return sort(self, dim, descending);
}
fn::TwoTensors topk(const Tensor& self, std::int64_t k, std::int64_t dim, bool largest, bool) {
    const std::int64_t along = wrap_dim(dim, self.dim());
    const std::int64_t size = self.dim() == 0 ? 1 : self.size(along);
    if (k < 0 || k > size) throw Error(ErrorKind::Run, "selected index k out of range");
    return ordered(self, along, largest, self.dim() == 0 ? 1 : k);
}

bool takes_real(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const Tensor self = a[0].to_tensor();
    if (!is_known(self.dtype())) {
        if (why != nullptr) *why = std::string(dtype_name(self.dtype())) + " input";
        return false;
    }
    const bool some = self.numel() > 0;
    if (!some && why != nullptr) *why = "no elements";
    return some;
}

}  // namespace

void register_sorting(const Registration& to) {
    to.add("aten::sort", boxed<sort>, takes_real);
    to.add("aten::sort.stable", boxed<sort_stable>, takes_real);
    to.add("aten::topk", boxed<topk>, takes_real);
}

}  // namespace loupe::cuda
