// SPDX-License-Identifier: Apache-2.0
// Broadcasting made visible: expand and its kin.

#include <algorithm>

#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/samples.h"
#include "core/ops/view/family.h"
#include "core/ops/view/geometry.h"

namespace loupe::views {
namespace {

[[noreturn]] void cannot_expand(const Tensor& self, const Dims& size, std::int64_t target, std::int64_t have,
                                std::size_t d) {
    throw Error(ErrorKind::Run,
                concat("The expanded size of the tensor (", target, ") must match the existing size (", have,
                       ") at non-singleton dimension ", d, ".  Target sizes: ", shape_list_text(span_of(size)),
                       ".  Tensor sizes: ", shape_list_text(self.sizes())));
}

// -1 keeps a size; new dimensions come first.
ViewGeometry expand(const Tensor& self, const Dims& size, bool /*implicit*/) {
    if (size.size() < self.sizes().size()) {
        throw TypedError(
            "RuntimeError",
            concat("expand(torch.", dtype_graph_name(self.dtype()), "Tensor{", shape_list_text(self.sizes()),
                   "}, size=", shape_list_text(span_of(size)), "): the number of sizes provided (", size.size(),
                   ") must be greater or equal to the number of dimensions in the tensor (", self.dim(), ")"));
    }
    ViewGeometry g{size, Dims(size.size(), 0), self.storage_offset()};
    const std::size_t added = size.size() - self.sizes().size();
    for (std::size_t d = size.size(); d-- > 0;) {
        const bool is_new = d < added;
        const std::int64_t have = is_new ? 1 : self.sizes()[d - added];
        if (size[d] == -1) {
            if (is_new) {
                throw Error(ErrorKind::Run, concat("The expanded size of the tensor (-1) isn't allowed in a leading, "
                                                   "non-existing dimension ",
                                                   d));
            }
            g.sizes[d] = have;
        } else if (size[d] < 0) {
            throw Error(ErrorKind::Run, concat("The expanded size of the tensor (", size[d], ") isn't allowed"));
        }
        if (g.sizes[d] != have) {
            if (have != 1) cannot_expand(self, size, g.sizes[d], have, d);
        } else if (!is_new) {
            g.strides[d] = self.strides()[d - added];
        } else if (self.dim() != 0) {
            g.strides[d] = g.sizes[d + 1] * g.strides[d + 1];
        }
    }
    return g;
}
// What was broadcast is summed where the gradient is set.
void expand_backward(GradientContext& context) {
    context.grad("self", [&] { return context.grad_output(); });
}

Tensor expand_as(const Tensor& self, const Tensor& other) { return fn::expand(self, other.sizes(), false); }
Tensor broadcast_to(const Tensor& self, const Dims& size) { return fn::expand(self, size, false); }
TensorList broadcast_tensors(const TensorList& tensors) {
    Dims sizes;
    for (const Tensor& t : tensors) sizes = broadcast_shapes(span_of(sizes), t.sizes());
    TensorList out;
    for (const Tensor& t : tensors) {
        out.push_back(std::ranges::equal(t.sizes(), sizes) ? t : fn::expand(t, sizes, true));
    }
    return out;
}

Tensor atleast_1d(const Tensor& self) { return self.dim() == 0 ? fn::reshape(self, Dims{1}) : self; }
Tensor atleast_2d(const Tensor& self) {
    if (self.dim() == 0) return fn::reshape(self, Dims{1, 1});
    return self.dim() == 1 ? fn::unsqueeze(self, 0) : self;
}
Tensor atleast_3d(const Tensor& self) {
    if (self.dim() == 0) return fn::reshape(self, Dims{1, 1, 1});
    if (self.dim() == 1) return fn::unsqueeze(fn::unsqueeze(self, 0), -1);
    return self.dim() == 2 ? fn::unsqueeze(self, -1) : self;
}
template <Tensor (*One)(const Tensor&)>
TensorList each(const TensorList& tensors) {
    TensorList out;
    for (const Tensor& t : tensors) out.push_back(One(t));
    return out;
}

std::vector<Sample> expand_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 1}, dtype), Dims{2, -1, 4}, false}},
            {{random_tensor(random, {}, dtype), Dims{2, 2}, false}, "of a scalar"}};
}
std::vector<Sample> broadcast_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 1}, dtype), Dims{2, 3, 4}}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
     .summary = "Sizes of one repeated without a copy.",
     .infer = inferring_view<expand>,
     .kernel = viewing<expand>,
     .derivative = {expand_backward},
     .gradient = "self: grad, summed over what was repeated",
     .samples = expand_samples},
    {.schema = "aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)",
     .summary = "Expanded to the sizes of the other tensor.",
     .composite = boxed<expand_as>,
     .gradient = "self: grad, summed over what was repeated"},
    {.schema = "aten::broadcast_to(Tensor(a) self, int[] size) -> Tensor(a)",
     .summary = "Expanded to the sizes.",
     .composite = boxed<broadcast_to>,
     .samples = broadcast_samples},
    {.schema = "aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]",
     .summary = "All expanded to the shape that they broadcast to.",
     .composite = boxed<broadcast_tensors>},
    {.schema = "aten::atleast_1d(Tensor self) -> Tensor",
     .summary = "With one dimension at least.",
     .composite = boxed<atleast_1d>},
    {.schema = "aten::atleast_2d(Tensor self) -> Tensor",
     .summary = "With two dimensions at least.",
     .composite = boxed<atleast_2d>},
    {.schema = "aten::atleast_3d(Tensor self) -> Tensor",
     .summary = "With three dimensions at least.",
     .composite = boxed<atleast_3d>},
    {.schema = "aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]",
     .summary = "Each with one dimension at least.",
     .composite = boxed<each<atleast_1d>>},
    {.schema = "aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]",
     .summary = "Each with two dimensions at least.",
     .composite = boxed<each<atleast_2d>>},
    {.schema = "aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]",
     .summary = "Each with three dimensions at least.",
     .composite = boxed<each<atleast_3d>>},
};

}  // namespace

std::span<const OperatorRecord> expand_records() { return kRecords; }

}  // namespace loupe::views
