// SPDX-License-Identifier: Apache-2.0
#include "core/autograd/view_nodes.h"

#include "core/autograd/engine.h"

namespace loupe {

PlaceInBase place_in_base(const Tensor& view, const Tensor& base) {
    return {to_dims(base.sizes()), to_dims(base.strides()), to_dims(view.sizes()), to_dims(view.strides()),
            view.storage_offset() - base.storage_offset()};
}

CopySlices::CopySlices(PlaceInBase geometry, const Edge& base, Ptr<Node> write)
    : geometry_(std::move(geometry)), write_(std::move(write)) {
    std::vector<Edge> edges{base};
    const auto& rest = write_->next_edges();
    if (!rest.empty()) edges.insert(edges.end(), rest.begin() + 1, rest.end());
    set_next_edges(std::move(edges));
}

TensorList CopySlices::apply(TensorList grads) {
    const GradientArithmetic& arithmetic = gradient_arithmetic();
    TensorList result(next_edges().size());
    if (!grads[0].defined()) return result;
    const Tensor grad = arithmetic.restride(grads[0], span_of(geometry_.base_strides));
    const Tensor region =
        arithmetic.as_strided(grad, span_of(geometry_.sizes), span_of(geometry_.strides), geometry_.offset);
    TensorList inner = write_->apply({arithmetic.clone(region)});
    for (std::size_t i = 1; i < inner.size() && i < result.size(); ++i) result[i] = std::move(inner[i]);
    if (should_compute(0)) {
        const Tensor kept =
            !inner.empty() && inner[0].defined() ? inner[0] : arithmetic.zeros(span_of(geometry_.sizes), outputs()[0]);
        result[0] = arithmetic.as_strided_scatter(grad, kept, span_of(geometry_.sizes), span_of(geometry_.strides),
                                                  geometry_.offset);
    }
    return result;
}

AsStridedNode::AsStridedNode(PlaceInBase geometry, const Edge& base, GradientShape base_shape)
    : geometry_(std::move(geometry)), base_shape_(std::move(base_shape)) {
    set_next_edges({base});
}

TensorList AsStridedNode::apply(TensorList grads) {
    if (!grads[0].defined()) return {Tensor()};
    const GradientArithmetic& arithmetic = gradient_arithmetic();
    const Tensor base = arithmetic.restride(arithmetic.zeros(span_of(geometry_.base_sizes), base_shape_),
                                            span_of(geometry_.base_strides));
    return {arithmetic.as_strided_scatter(base, grads[0], span_of(geometry_.sizes), span_of(geometry_.strides),
                                          geometry_.offset)};
}

}  // namespace loupe
