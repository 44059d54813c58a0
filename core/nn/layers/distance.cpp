// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.distance.
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kPython = "torch.nn.modules.distance";

void init_pairwise(Module& self, const IValue& p, const IValue& eps, bool keepdim) {
    self.set_attribute("norm", p);
    self.set_attribute("eps", eps);
    self.set_attribute("keepdim", keepdim);
}

constexpr LayerRecord kRecords[] = {
    {.name = "PairwiseDistance",
     .base = "Module",
     .module = kPython,
     .summary = "The p-norm of the difference, row by row.",
     .constructor = "(Scalar p=2.0, Scalar eps=1e-06, bool keepdim=False)",
     .init = builds<init_pairwise>,
     .forward_schema = "(Tensor x1, Tensor x2) -> Tensor",
     .calls = "pairwise_distance(x1, x2, norm, eps, keepdim)",
     .constants = "norm eps keepdim"},
    {.name = "CosineSimilarity",
     .base = "Module",
     .module = kPython,
     .summary = "The cosine of the angle along a dimension.",
     .constructor = "(int dim=1, Scalar eps=1e-08)",
     .forward_schema = "(Tensor x1, Tensor x2) -> Tensor",
     .calls = "cosine_similarity(x1, x2, dim, eps)",
     .constants = "dim eps"},
};

}  // namespace

LayerFamily distance_layers() { return kRecords; }

}  // namespace loupe::nn::layers
