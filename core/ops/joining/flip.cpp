// SPDX-License-Identifier: Apache-2.0
// Turning around and rotating: flip, roll, rot90.

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/layout.h"
#include "core/ops/joining/family.h"
#include "core/ops/joining/index_maps.h"
#include "core/ops/samples.h"

namespace loupe::joining {
namespace {

std::vector<IndexMap> identity_maps(IntSpan sizes) {
    std::vector<IndexMap> maps;
    for (const std::int64_t size : sizes) maps.push_back(identity_map(size));
    return maps;
}
TensorMeta contiguous_like(const Tensor& self) { return {to_dims(self.sizes()), self.dtype(), self.device()}; }

TensorMeta flip_meta(const Tensor& self, const Dims& dims) {
    Dims seen;
    for (const std::int64_t d : dims) {
        const std::int64_t wrapped = wrap_dim(d, self.dim());
        if (std::ranges::find(seen, wrapped) != seen.end()) {
            throw Error(ErrorKind::Run, concat("dim ", wrapped, " appears multiple times in the list of dims"));
        }
        seen.push_back(wrapped);
    }
    return same_meta(self, self.dtype());
}
// t with its dimensions in that order.
Tensor permuted(const Tensor& t, std::span<const std::size_t> order) {
    Dims sizes, strides;
    for (const std::size_t d : order) {
        sizes.push_back(t.sizes()[d]);
        strides.push_back(t.strides()[d]);
    }
    return t.view_as_strided(span_of(sizes), span_of(strides), t.storage_offset());
}
void flip(const Tensor& out, const Tensor& self, const Dims& dims) {
    std::vector<IndexMap> maps = identity_maps(self.sizes());
    for (const std::int64_t d : dims) {
        if (!maps.empty()) std::ranges::reverse(maps[static_cast<std::size_t>(wrap_dim(d, self.dim()))]);
    }
    if (out.is_contiguous()) return copy_mapped(out, self, maps);
    // The result is dense in another order of the dimensions.
    std::vector<std::size_t> order(maps.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t d) { return out.strides()[d]; });
    std::vector<IndexMap> ordered;
    for (const std::size_t d : order) ordered.push_back(std::move(maps[d]));
    copy_mapped(permuted(out, order), permuted(self, order), ordered);
}
void flip_backward(GradientContext& context) {
    context.grad("self", [&] { return fn::flip(context.grad_output(), context.value("dims")); });
}
Tensor fliplr(const Tensor& self) {
    if (self.dim() < 2) throw Error(ErrorKind::Run, "Input must be >= 2-d.");
    return fn::flip(self, Dims{1});
}
Tensor flipud(const Tensor& self) {
    if (self.dim() < 1) throw Error(ErrorKind::Run, "Input must be >= 1-d.");
    return fn::flip(self, Dims{0});
}

TensorMeta roll_meta(const Tensor& self, const Dims& shifts, const Dims& dims) {
    if (shifts.empty()) throw Error(ErrorKind::Run, "`shifts` required");
    if (dims.empty() && shifts.size() != 1) {
        throw Error(ErrorKind::Run, concat("shifts and dimensions must align. shifts: ", shifts.size(), ", dims:0"));
    }
    if (!dims.empty() && dims.size() != shifts.size()) {
        throw Error(ErrorKind::Run,
                    concat("shifts and dimensions must align. shifts: ", shifts.size(), ", dims:", dims.size()));
    }
    for (const std::int64_t d : dims) wrap_dim(d, self.dim());
    return contiguous_like(self);
}
void rotate_map(IndexMap& map, std::int64_t shift) {
    const auto size = static_cast<std::int64_t>(map.size());
    if (size == 0) return;
    const std::int64_t left = (shift % size + size) % size;
    std::rotate(map.begin(), map.end() - left, map.end());
}
void roll(const Tensor& out, const Tensor& self, const Dims& shifts, const Dims& dims) {
    if (dims.empty()) {
        const Tensor flat = fn::reshape(self, Dims{-1});
        std::vector<IndexMap> maps{identity_map(flat.numel())};
        rotate_map(maps[0], shifts[0]);
        const std::array length{out.numel()};
        const std::array<std::int64_t, 1> unit{1};
        copy_mapped(out.view_as_strided(length, unit, out.storage_offset()), flat, maps);
        return;
    }
    std::vector<IndexMap> maps = identity_maps(self.sizes());
    for (std::size_t i = 0; i < dims.size() && !maps.empty(); ++i) {
        rotate_map(maps[static_cast<std::size_t>(wrap_dim(dims[i], self.dim()))], shifts[i]);
    }
    copy_mapped(out, self, maps);
}
void roll_backward(GradientContext& context) {
    context.grad("self", [&] {
        Dims back = context.value("shifts").to_ints();
        for (std::int64_t& shift : back) shift = -shift;
        return fn::roll(context.grad_output(), back, context.value("dims"));
    });
}

Tensor rot90(const Tensor& self, std::int64_t k, const Dims& dims) {
    if (dims.size() != 2) {
        throw Error(ErrorKind::Run, concat("expected total rotation dims == 2, but got dims = ", dims.size()));
    }
    if (self.dim() < 2)
        throw Error(ErrorKind::Run, concat("expected total dims >= 2, but got total dims = ", self.dim()));
    const std::int64_t a = wrap_dim(dims[0], self.dim());
    const std::int64_t b = wrap_dim(dims[1], self.dim());
    if (a == b) {
        throw Error(ErrorKind::Run, concat("expected rotation dims to be different, but got dim0 = ", dims[0],
                                           " and dim1 = ", dims[1]));
    }
    switch ((k % 4 + 4) % 4) {
        case 1:
            return fn::transpose(fn::flip(self, Dims{b}), a, b);
        case 2:
            return fn::flip(self, dims);
        case 3:
            return fn::transpose(fn::flip(self, Dims{a}), a, b);
        default:
            return fn::clone(self, std::int64_t{0});
    }
}

std::vector<Sample> flip_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3, 4}, dtype), Dims{0, -1}}}};
}
std::vector<Sample> roll_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 5}, dtype), Dims{3}, Dims{1}}},
            {{random_tensor(random, {2, 5}, dtype), Dims{-3}, Dims{}}, "flat"},
            {{random_tensor(random, {2, 5}, dtype), Dims{1, -2}, Dims{0, 1}}, "two dimensions"}};
}
std::vector<Sample> rot90_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype), 1, Dims{0, 1}}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::flip(Tensor self, int[] dims) -> Tensor",
     .summary = "The elements in reverse order along the dimensions.",
     .infer = inferring<flip_meta>,
     .kernel = filling<flip>,
     .derivative = {flip_backward},
     .gradient = "self: grad, moved back",
     .samples = flip_samples,
     .variants = kOut,
     .dtypes = {kWithUnsigned}},
    {.schema = "aten::fliplr(Tensor self) -> Tensor",
     .summary = "Columns in reverse order.",
     .composite = boxed<fliplr>},
    {.schema = "aten::flipud(Tensor self) -> Tensor", .summary = "Rows in reverse order.", .composite = boxed<flipud>},
    {.schema = "aten::roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor",
     .summary = "Shifted along the dimensions; what falls out comes in at the other end.",
     .infer = inferring<roll_meta>,
     .kernel = filling<roll>,
     .derivative = {roll_backward},
     .gradient = "self: grad, moved back",
     .samples = roll_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor",
     .summary = "Turned by k right angles in the plane of two dimensions.",
     .composite = boxed<rot90>,
     .samples = rot90_samples,
     .variants = kOut},
};

}  // namespace

std::span<const OperatorRecord> flip_records() { return kRecords; }

}  // namespace loupe::joining
