// SPDX-License-Identifier: Apache-2.0
#pragma once
// Nodes for in-place writes to views: PyTorch's CopySlices, and the view recomputed from its changed base.

#include "core/autograd/node.h"

namespace loupe {

// A view in its base: sizes, strides, and the offset from the base's first element.
struct PlaceInBase {
    Dims base_sizes;
    Dims base_strides;
    Dims sizes;
    Dims strides;
    std::int64_t offset = 0;
};
PlaceInBase place_in_base(const Tensor& view, const Tensor& base);

// base' = base with the view's region replaced by the output of `write`. Next edges: the base's, then write's except
// the first (the view).
class CopySlices final : public Node {
  public:
    CopySlices(PlaceInBase geometry, const Edge& base, Ptr<Node> write);
    std::string name() const override { return "CopySlices"; }
    TensorList apply(TensorList grads) override;
    void release_saved() override { write_->release_saved(); }
    std::size_t saved_bytes() const override { return write_->saved_bytes(); }

  private:
    PlaceInBase geometry_;
    Ptr<Node> write_;
};

// view = as_strided(base).
class AsStridedNode final : public Node {
  public:
    AsStridedNode(PlaceInBase geometry, const Edge& base, GradientShape base_shape);
    std::string name() const override { return "AsStridedBackward0"; }
    TensorList apply(TensorList grads) override;

  private:
    PlaceInBase geometry_;
    GradientShape base_shape_;
};

}  // namespace loupe
