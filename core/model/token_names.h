// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of token ids: of a tokenizer; without one the bytes of a model whose vocabulary is bytes, else the numbers.

#include <cstdint>
#include <memory>

#include "core/model/text_model.h"
#include "core/model/token_info.h"

namespace loupe::session {

class TokenNames {
  public:
    // model: may be null. vocabulary: how many tokens there are; 0: not known.
    explicit TokenNames(std::shared_ptr<const TextModel> model, std::int64_t vocabulary = 0)
        : model_(std::move(model)), vocabulary_(vocabulary) {}

    TokenInfo operator()(std::int64_t id) const;
    std::vector<TokenInfo> operator()(const std::vector<std::int64_t>& ids) const;
    const std::shared_ptr<const TextModel>& model() const { return model_; }
    std::int64_t vocabulary() const { return vocabulary_; }

  private:
    std::shared_ptr<const TextModel> model_;
    std::int64_t vocabulary_;
};

}  // namespace loupe::session
