// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/sparse.h"

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

void check_parts(const Tensor& indices, const Tensor& values, IntSpan sizes) {
    const auto refuse = [](std::string message) { throw Error(ErrorKind::Run, std::move(message)); };
    if (indices.dtype() != ScalarType::Int64) {
        refuse(concat("indices must be an int64 tensor, but got torch.", dtype_name(indices.dtype())));
    }
    if (indices.dim() != 2) {
        refuse(concat("indices must be sparse_dim x nnz, but got: ", shape_list_text(indices.sizes())));
    }
    const std::int64_t sparse = indices.size(0), dense = values.dim() - 1;
    if (values.dim() == 0 || values.size(0) != indices.size(1)) {
        refuse(concat("indices and values must have same nnz, but got nnz from indices: ", indices.size(1),
                      ", nnz from values: ", values.dim() == 0 ? 0 : values.size(0)));
    }
    if (sparse + dense != static_cast<std::int64_t>(sizes.size())) {
        refuse(concat("number of dimensions must be sparse_dim (", sparse, ") + dense_dim (", dense, "), but got ",
                      sizes.size()));
    }
    for (std::int64_t d = 0; d < dense; ++d) {
        if (values.size(d + 1) == sizes[static_cast<std::size_t>(sparse + d)]) continue;
        refuse(concat("values has incorrect size, expected ",
                      shape_list_text(sizes.subspan(static_cast<std::size_t>(sparse))), ", got ",
                      shape_list_text(values.sizes().subspan(1))));
    }
}

}  // namespace

Tensor make_sparse(const Tensor& indices, const Tensor& values, IntSpan sizes, bool is_coalesced) {
    check_parts(indices, values, sizes);
    return make_with_parts(std::make_shared<const CoordinateParts>(indices, values, is_coalesced), sizes,
                           values.dtype());
}

void set_sparse_parts(const Tensor& t, std::shared_ptr<const SparseParts> parts) {
    t.impl()->sparse = std::move(parts);
    t.storage()->bump_version();
}

Tensor make_with_parts(std::shared_ptr<const SparseParts> parts, IntSpan sizes, ScalarType dtype) {
    for (const std::int64_t size : sizes) {
        if (size < 0)
            throw Error(ErrorKind::Run,
                        concat("Trying to create tensor with negative dimension ", size, ": ", shape_list_text(sizes)));
    }
    Ptr<TensorImpl> impl(new TensorImpl);
    impl->storage = Storage::view_of(nullptr, 0, nullptr);
    impl->dtype = dtype;
    const Dims strides(sizes.size(), 0);
    impl->set_sizes_strides(sizes, span_of(strides));
    impl->contiguous = false;
    impl->sparse = std::move(parts);
    return Tensor(std::move(impl));
}

}  // namespace loupe
