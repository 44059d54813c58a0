// SPDX-License-Identifier: Apache-2.0
// Grids of indices and of values: meshgrid, cartesian_prod, combinations.

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/joining/family.h"
#include "core/ops/samples.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/memory_limit.h"

namespace loupe::joining {
namespace {

// Element i varies along dimension i.
TensorList meshgrid(const TensorList& tensors) {
    if (tensors.empty()) throw Error(ErrorKind::Run, "meshgrid expects a non-empty TensorList");
    Dims shape;
    for (const Tensor& t : tensors) {
        if (t.dim() > 1) {
            throw Error(ErrorKind::Run, concat("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ",
                                               shape_list_text(t.sizes())));
        }
        if (t.dtype() != tensors.front().dtype()) {
            throw Error(ErrorKind::Run, "torch.meshgrid expects all tensors to have the same dtype");
        }
        shape.push_back(t.numel());
    }
    TensorList grids;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        Dims one(tensors.size(), 1);
        one[i] = tensors[i].numel();
        grids.push_back(fn::expand(fn::view(tensors[i], one), shape, false));
    }
    return grids;
}
TensorList meshgrid_indexing(const TensorList& tensors, std::string_view indexing) {
    if (indexing != "ij" && indexing != "xy") {
        throw Error(ErrorKind::Run,
                    concat("torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", indexing));
    }
    if (indexing == "ij" || tensors.size() < 2) return meshgrid(tensors);
    TensorList swapped = tensors;
    std::swap(swapped[0], swapped[1]);
    TensorList grids = meshgrid(swapped);
    std::swap(grids[0], grids[1]);
    return grids;
}

Tensor cartesian_prod(const TensorList& tensors) {
    for (const Tensor& t : tensors) {
        if (t.dim() != 1)
            throw Error(ErrorKind::Run, concat("Expect a 1D vector, but got shape ", shape_list_text(t.sizes())));
    }
    if (tensors.size() == 1) return tensors[0];
    TensorList columns;
    for (const Tensor& grid : meshgrid(tensors)) columns.push_back(fn::reshape(grid, Dims{-1}));
    return fn::stack(columns, 1);
}

// The index tuples i0 < i1 < ... (or <= with replacement), as columns.
std::vector<std::vector<std::int64_t>> index_columns(std::int64_t n, std::size_t r, bool with_replacement) {
    std::vector<std::vector<std::int64_t>> columns(r);
    std::vector<std::int64_t> tuple(r);
    const auto extend = [&](const auto& self, std::size_t place, std::int64_t least) -> void {
        if (place == r) {
            for (std::size_t k = 0; k < r; ++k) columns[k].push_back(tuple[k]);
            return;
        }
        for (std::int64_t i = least; i < n; ++i) {
            tuple[place] = i;
            self(self, place + 1, with_replacement ? i : i + 1);
        }
    };
    extend(extend, 0, 0);
    return columns;
}
Tensor combinations(const Tensor& self, std::int64_t r, bool with_replacement) {
    if (self.dim() != 1)
        throw Error(ErrorKind::Run, concat("Expect a 1D vector, but got shape ", shape_list_text(self.sizes())));
    if (r < 0) throw Error(ErrorKind::Run, concat("Expect a non-negative number, but got ", r));
    if (r == 0) return empty(std::array<std::int64_t, 1>{0}, self.dtype(), self.device());
    if (r > self.numel() && (!with_replacement || self.numel() == 0)) {
        return fn::expand(fn::unsqueeze(fn::narrow(self, 0, 0, 0), 1), Dims{0, r},
                          false);  // none, with self in its graph
    }
    require_memory(r, sizeof(std::vector<std::int64_t>) + sizeof(std::int64_t));
    TensorList columns;
    for (const auto& indices : index_columns(self.numel(), static_cast<std::size_t>(r), with_replacement)) {
        const std::array length{static_cast<std::int64_t>(indices.size())};
        const Tensor places = tensor_of(std::span<const std::int64_t>(indices), length);
        columns.push_back(fn::index_select(self, 0, on_device(places, self.device())));
    }
    return fn::stack(columns, 1);
}

std::vector<Sample> vectors_samples(Random& random, ScalarType dtype) {
    return {{{TensorList{random_tensor(random, {2}, dtype), random_tensor(random, {3}, dtype)}}}};
}
std::vector<Sample> combinations_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {4}, dtype), 2, false}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::meshgrid(Tensor[] tensors) -> Tensor[]",
     .summary = "Grids on which each vector varies along its own dimension.",
     .composite = boxed<meshgrid>,
     .samples = vectors_samples},
    {.schema = "aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]",
     .summary = "Grids; with indexing \"xy\" the first two dimensions are exchanged.",
     .composite = boxed<meshgrid_indexing>},
    {.schema = "aten::cartesian_prod(Tensor[] tensors) -> Tensor",
     .summary = "All tuples of one element of each vector, as rows.",
     .composite = boxed<cartesian_prod>,
     .samples = vectors_samples},
    {.schema = "aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor",
     .summary = "All ways of taking r elements, as rows.",
     .composite = boxed<combinations>,
     .samples = combinations_samples},
};

}  // namespace

std::span<const OperatorRecord> grid_records() { return kRecords; }

}  // namespace loupe::joining
