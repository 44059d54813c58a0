// SPDX-License-Identifier: Apache-2.0
#pragma once
// A loss of torch.nn on what a model gave: the same for a training and for a single run.

#include <optional>
#include <string>

#include "core/nn/module.h"
#include "core/value/ivalue.h"

namespace loupe::session {

// "CrossEntropyLoss(label_smoothing=0.1)". Throws Error (Usage).
nn::ModulePtr make_loss(const std::string& text);

// Are these scores of classes for those labels? Then along which dimension; else nullopt.
std::optional<std::int64_t> class_dimension(const Tensor& scores, const IValue& target);
// Does the loss take the numbers of classes, as CrossEntropyLoss does?
bool takes_classes(const nn::Module& loss);

// scores: [N, C, ...], or [N, ..., C] as language models give them; a column of numbers against a row of targets is one
// number each. Throws what the loss throws, with PyTorch's words.
Tensor apply_loss(nn::Module& loss, Tensor scores, const IValue& target);

}  // namespace loupe::session
