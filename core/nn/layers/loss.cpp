// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.loss.
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kPython = "torch.nn.modules.loss";
constexpr std::string_view kPair = "(Tensor input, Tensor target) -> Tensor";
constexpr std::string_view kTwoInputs = "(Tensor input1, Tensor input2, Tensor target) -> Tensor";
constexpr std::string_view kTriplet = "(Tensor anchor, Tensor positive, Tensor negative) -> Tensor";

void init_triplet(Module& self, const IValue& distance_function, const IValue& margin, bool swap,
                  std::string_view reduction) {
    self.set_attribute("reduction", std::string(reduction));
    self.set_attribute("distance_function", distance_function.is_none()
                                                ? IValue(Ptr<Object>(make_layer("PairwiseDistance")))
                                                : distance_function);
    self.set_attribute("margin", margin);
    self.set_attribute("swap", swap);
}

#define LOUPE_REDUCTION "Any size_average=None, Any reduce=None, str reduction=\"mean\""
constexpr LayerRecord kRecords[] = {
    {.name = "_Loss",
     .base = "Module",
     .module = kPython,
     .summary = "The base of losses.",
     .constructor = "(" LOUPE_REDUCTION ")"},
    {.name = "_WeightedLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "The base of losses with a weight a class.",
     .constructor = "(Tensor? weight=None, " LOUPE_REDUCTION ")",
     .buffers = "weight"},
    {.name = "L1Loss",
     .base = "_Loss",
     .module = kPython,
     .summary = "The absolute difference.",
     .constructor = "(" LOUPE_REDUCTION ")",
     .forward_schema = kPair,
     .calls = "l1_loss(input, target, reduction=reduction)"},
    {.name = "NLLLoss",
     .base = "_WeightedLoss",
     .module = kPython,
     .summary = "The negative log-probability of the target.",
     .constructor =
         "(Tensor? weight=None, Any size_average=None, int ignore_index=-100, Any reduce=None, str reduction=\"mean\")",
     .buffers = "weight",
     .forward_schema = kPair,
     .calls = "nll_loss(input, target, weight=weight, ignore_index=ignore_index, reduction=reduction)"},
    {.name = "NLLLoss2d", .base = "NLLLoss", .module = kPython, .summary = "NLLLoss under its older name."},
    {.name = "PoissonNLLLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "The negative log-likelihood under a Poisson distribution.",
     .constructor =
         "(bool log_input=True, bool full=False, Any size_average=None, Scalar eps=1e-08, Any reduce=None, str "
         "reduction=\"mean\")",
     .forward_schema = kPair,
     .calls = "poisson_nll_loss(input, target, log_input=log_input, full=full, eps=eps, reduction=reduction)"},
    {.name = "GaussianNLLLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "The negative log-likelihood under a normal distribution.",
     .constructor = "(*, bool full=False, Scalar eps=1e-06, str reduction=\"mean\")",
     .forward_schema = "(Tensor input, Tensor target, Tensor var) -> Tensor",
     .calls = "gaussian_nll_loss(input, target, var, full=full, eps=eps, reduction=reduction)"},
    {.name = "KLDivLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "The Kullback-Leibler divergence from log-probabilities.",
     .constructor = "(" LOUPE_REDUCTION ", bool log_target=False)",
     .forward_schema = kPair,
     .calls = "kl_div(input, target, reduction=reduction, log_target=log_target)"},
    {.name = "MSELoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "The squared difference.",
     .constructor = "(" LOUPE_REDUCTION ")",
     .forward_schema = kPair,
     .calls = "mse_loss(input, target, reduction=reduction)"},
    {.name = "BCELoss",
     .base = "_WeightedLoss",
     .module = kPython,
     .summary = "The negative log-likelihood of two classes.",
     .forward_schema = kPair,
     .calls = "binary_cross_entropy(input, target, weight=weight, reduction=reduction)"},
    {.name = "BCEWithLogitsLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "BCELoss of the sigmoid.",
     .constructor = "(Tensor? weight=None, " LOUPE_REDUCTION ", Tensor? pos_weight=None)",
     .buffers = "weight, pos_weight",
     .forward_schema = kPair,
     .calls =
         "binary_cross_entropy_with_logits(input, target, weight=weight, pos_weight=pos_weight, reduction=reduction)"},
    {.name = "HingeEmbeddingLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "Distances of like and unlike pairs.",
     .constructor = "(Scalar margin=1.0, " LOUPE_REDUCTION ")",
     .forward_schema = kPair,
     .calls = "hinge_embedding_loss(input, target, margin=margin, reduction=reduction)"},
    {.name = "MultiLabelMarginLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "The hinge loss of several labels.",
     .constructor = "(" LOUPE_REDUCTION ")",
     .forward_schema = kPair,
     .calls = "multilabel_margin_loss(input, target, reduction=reduction)"},
    {.name = "SmoothL1Loss",
     .base = "_Loss",
     .module = kPython,
     .summary = "Squared below beta, absolute above.",
     .constructor = "(" LOUPE_REDUCTION ", Scalar beta=1.0)",
     .forward_schema = kPair,
     .calls = "smooth_l1_loss(input, target, reduction=reduction, beta=beta)"},
    {.name = "HuberLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "Squared below delta, delta times absolute above.",
     .constructor = "(str reduction=\"mean\", Scalar delta=1.0)",
     .forward_schema = kPair,
     .calls = "huber_loss(input, target, reduction=reduction, delta=delta)"},
    {.name = "SoftMarginLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "log(1 + exp(-target * input)).",
     .constructor = "(" LOUPE_REDUCTION ")",
     .forward_schema = kPair,
     .calls = "soft_margin_loss(input, target, reduction=reduction)"},
    {.name = "CrossEntropyLoss",
     .base = "_WeightedLoss",
     .module = kPython,
     .summary = "The negative log-likelihood of the target under softmax.",
     .constructor =
         "(Tensor? weight=None, Any size_average=None, int ignore_index=-100, Any reduce=None, str reduction=\"mean\", "
         "Scalar label_smoothing=0.0)",
     .buffers = "weight",
     .forward_schema = kPair,
     .calls = "cross_entropy(input, target, weight=weight, ignore_index=ignore_index, reduction=reduction, "
              "label_smoothing=label_smoothing)"},
    {.name = "MultiLabelSoftMarginLoss",
     .base = "_WeightedLoss",
     .module = kPython,
     .summary = "Binary cross entropy of several labels.",
     .forward_schema = kPair,
     .calls = "multilabel_soft_margin_loss(input, target, weight=weight, reduction=reduction)"},
    {.name = "CosineEmbeddingLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "The cosine of like and unlike pairs.",
     .constructor = "(Scalar margin=0.0, " LOUPE_REDUCTION ")",
     .forward_schema = kTwoInputs,
     .calls = "cosine_embedding_loss(input1, input2, target, margin=margin, reduction=reduction)"},
    {.name = "MarginRankingLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "Whether the first shall rank above the second.",
     .constructor = "(Scalar margin=0.0, " LOUPE_REDUCTION ")",
     .forward_schema = kTwoInputs,
     .calls = "margin_ranking_loss(input1, input2, target, margin=margin, reduction=reduction)"},
    {.name = "MultiMarginLoss",
     .base = "_WeightedLoss",
     .module = kPython,
     .summary = "The hinge loss of several classes.",
     .constructor = "(Scalar p=1, Scalar margin=1.0, Tensor? weight=None, " LOUPE_REDUCTION ")",
     .buffers = "weight",
     .forward_schema = kPair,
     .calls = "multi_margin_loss(input, target, p=p, margin=margin, weight=weight, reduction=reduction)"},
    {.name = "TripletMarginLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "The anchor nearer to the positive than to the negative.",
     .constructor = "(Scalar margin=1.0, Scalar p=2.0, Scalar eps=1e-06, bool swap=False, " LOUPE_REDUCTION ")",
     .forward_schema = kTriplet,
     .calls = "triplet_margin_loss(anchor, positive, negative, margin=margin, p=p, eps=eps, swap=swap, "
              "reduction=reduction)"},
    {.name = "TripletMarginWithDistanceLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "TripletMarginLoss with another distance.",
     .constructor = "(*, Any distance_function=None, Scalar margin=1.0, bool swap=False, str reduction=\"mean\")",
     .init = builds<init_triplet>,
     .forward_schema = kTriplet,
     .calls = "triplet_margin_with_distance_loss(anchor, positive, negative, distance_function=distance_function, "
              "margin=margin, "
              "swap=swap, reduction=reduction)"},
    {.name = "CTCLoss",
     .base = "_Loss",
     .module = kPython,
     .summary = "Connectionist temporal classification.",
     .constructor = "(int blank=0, str reduction=\"mean\", bool zero_infinity=False)",
     .forward_schema = "(Tensor log_probs, Tensor targets, Any input_lengths, Any target_lengths) -> Tensor",
     .calls = "ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=blank, reduction=reduction, "
              "zero_infinity=zero_infinity)"},
};
#undef LOUPE_REDUCTION

}  // namespace

LayerFamily loss_layers() { return kRecords; }

}  // namespace loupe::nn::layers
