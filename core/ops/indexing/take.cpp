// SPDX-License-Identifier: Apache-2.0
// Elements by their place in the flat tensor, and gather with broadcasting: take, put, take_along_dim.

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/out_refusals.h"
#include "core/ops/indexing/family.h"
#include "core/ops/indexing/indices.h"
#include "core/ops/samples.h"

namespace loupe::indexing {
namespace {

void check_index(const Tensor& index, const char* name) {
    if (index.dtype() != ScalarType::Int64) {
        throw Error(ErrorKind::Run,
                    concat(name, "(): Expected a long tensor for index, but got ", dtype_graph_name(index.dtype())));
    }
}
Tensor flat(const Tensor& t) { return fn::reshape(t, Dims{-1}); }
void check_places(const Tensor& self, const Tensor& index) {
    const std::int64_t size = self.numel();
    if (size == 0 && index.numel() > 0) fail_with_index("take(): tried to take from an empty tensor");
    for (const std::int64_t at : index_values(index)) {
        if (at < -size || at >= size)
            fail_with_index(concat("out of range: tried to access index ", at, " on a tensor of ", size, " elements."));
    }
}
Tensor take(const Tensor& self, const Tensor& index) {
    check_index(index, "take");
    if (!is_older_torch() && index.is_host_memory()) check_places(self, index);
    return fn::index(flat(self), TensorList{index});
}
Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
    check_index(index, "put_");
    if (index.numel() != source.numel()) {
        throw Error(
            ErrorKind::Run,
            concat("put_(): Expected source and index to have the same number of elements, but got source.numel() = ",
                   source.numel(), ", index.numel() = ", index.numel()));
    }
    return fn::reshape(fn::index_put(flat(self), TensorList{flat(index)}, flat(source), accumulate), self.sizes());
}
Tensor put_in_place(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
    return fn::copy_(self, put(self, index, source, accumulate));
}

Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<std::int64_t> dim) {
    check_index(indices, "torch.take_along_dim");
    if (!dim) return fn::gather(flat(self), 0, flat(indices), false);
    if (self.dim() != indices.dim()) {
        throw Error(
            ErrorKind::Run,
            concat("torch.take_along_dim(): input and indices should have the same number of dimensions, but got ",
                   self.dim(), " dimensions for input, and ", indices.dim(), " dimensions for indices"));
    }
    const auto along = static_cast<std::size_t>(wrap_dim(*dim, self.dim()));
    Dims self_sizes = to_dims(self.sizes());
    Dims index_sizes = to_dims(indices.sizes());
    const std::int64_t picked = index_sizes[along];
    const std::int64_t size = self_sizes[along];
    index_sizes[along] = self_sizes[along] = 1;
    Dims shape = broadcast_shapes(span_of(self_sizes), span_of(index_sizes));
    shape[along] = size;
    const Tensor source = fn::expand(self, shape, false);
    shape[along] = picked;
    return fn::gather(source, static_cast<std::int64_t>(along), fn::expand(indices, shape, false), false);
}

std::vector<Sample> take_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), random_indices(random, {2, 3}, 12)}}};
}
std::vector<Sample> take_along_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), random_indices(random, {1, 2}, 4), 1}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::take(Tensor self, Tensor index) -> Tensor",
     .summary = "The elements at those places of the flat tensor.",
     .composite = boxed<take>,
     .samples = take_samples,
     .variants = kOut,
     .out =
         {.refusal =
              {"take(): self and out expected to have the same dtype, but got self.dtype = {T} and out.dtype = {O}"}}},
    {.schema = "aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
     .summary = "A copy with the source's elements at those places of the flat tensor.",
     .composite = boxed<put>,
     .variants = kOut},
    {.schema = "aten::put_(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)",
     .summary = "Writes the source's elements at those places of the flat tensor.",
     .composite = boxed<put_in_place>},
    {.schema = "aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor",
     .summary = "As gather, with broadcasting of the other dimensions.",
     .composite = boxed<take_along_dim>,
     .samples = take_along_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured}},
};

}  // namespace

std::span<const OperatorRecord> take_records() { return kRecords; }

}  // namespace loupe::indexing
