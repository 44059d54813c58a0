// SPDX-License-Identifier: Apache-2.0
#include "core/ops/fft/shape.h"

#include <algorithm>

#include "core/kernels/promotion.h"

namespace loupe::fft {

std::int64_t norm_of(const std::optional<std::string_view>& name, bool forward) {
    const auto number = [](Norm norm) { return static_cast<std::int64_t>(norm); };
    if (!name || *name == "backward") return number(forward ? Norm::None : Norm::ByN);
    if (*name == "forward") return number(forward ? Norm::ByN : Norm::None);
    if (*name == "ortho") return number(Norm::ByRootN);
    throw Error(ErrorKind::Run, concat("Invalid normalization mode: \"", *name, "\""));
}

Tensor promoted(const Tensor& self, bool complex) {
    ScalarType dtype = floating_type(self.dtype());
    require(dtype != ScalarType::Float16 && dtype != ScalarType::BFloat16 && dtype != ScalarType::Complex32,
            "Unsupported dtype ", dtype_graph_name(dtype));
    if (complex) dtype = to_complex_type(dtype);
    return self.dtype() == dtype ? self : fn::to_dtype(self, static_cast<std::int64_t>(dtype));
}

Tensor resized(const Tensor& self, IntSpan dims, IntSpan sizes) {
    Dims padding(static_cast<std::size_t>(2 * self.dim()), 0);
    bool pads = false;
    Tensor out = self;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const std::int64_t have = out.size(dims[i]);
        if (sizes[i] < have) {
            out = fn::slice(out, dims[i], std::int64_t{0}, sizes[i], std::int64_t{1});
        } else if (sizes[i] > have) {
            pads = true;
            padding[padding.size() - 2 * static_cast<std::size_t>(dims[i]) - 1] = sizes[i] - have;
        }
    }
    return pads ? fn::constant_pad_nd(out, padding, Scalar(0)) : out;
}

void require_points(std::int64_t n) { require(n >= 1, "Invalid number of data points (", n, ") specified"); }

Axes axes_of(const Tensor& self, const std::optional<Dims>& sizes, const std::optional<Dims>& dims) {
    Axes axes;
    const std::int64_t ndim = self.dim();
    if (dims) {
        for (const std::int64_t d : *dims) axes.dims.push_back(wrap_dim(d, ndim));
        Dims sorted = axes.dims;
        std::ranges::sort(sorted);
        require(std::ranges::adjacent_find(sorted) == sorted.end(), "FFT dims must be unique");
    }
    if (sizes) {
        const auto count = static_cast<std::int64_t>(sizes->size());
        require(!dims || dims->size() == sizes->size(),
                "When given, dim and shape arguments must have the same length");
        require(count <= ndim, "Got shape with ", count, " values but input tensor only has ", ndim, " dimensions.");
        if (!dims) {
            for (std::int64_t d = ndim - count; d < ndim; ++d) axes.dims.push_back(d);
        }
    } else if (!dims) {
        for (std::int64_t d = 0; d < ndim; ++d) axes.dims.push_back(d);
    }
    for (std::size_t i = 0; i < axes.dims.size(); ++i) {
        const std::int64_t asked = sizes ? (*sizes)[i] : -1;
        axes.sizes.push_back(asked == -1 ? self.size(axes.dims[i]) : asked);
        require_points(axes.sizes.back());
    }
    return axes;
}

}  // namespace loupe::fft
