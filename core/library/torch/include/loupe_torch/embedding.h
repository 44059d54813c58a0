// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::nn::Embedding and EmbeddingBag, which can be made of a table: from_pretrained.

#include <optional>

#include <loupe_torch/arg.h>
#include <loupe_torch/nn.h>

namespace torch::nn {

class EmbeddingFromPretrainedOptions {
    TORCH_ARG(bool, freeze) = true;  // the table is not trained
    TORCH_ARG(std::optional<std::int64_t>, padding_idx) = std::nullopt;
    TORCH_ARG(std::optional<double>, max_norm) = std::nullopt;
    TORCH_ARG(double, norm_type) = 2.0;
    TORCH_ARG(bool, scale_grad_by_freq) = false;
    TORCH_ARG(bool, sparse) = false;
};

class Embedding : public ModuleHolder<EmbeddingImpl> {
  public:
    using ModuleHolder<EmbeddingImpl>::ModuleHolder;
    // embeddings: [num_embeddings, embedding_dim]. Throws c10::Error for another number of dimensions.
    static Embedding from_pretrained(const at::Tensor& embeddings, const EmbeddingFromPretrainedOptions& options = {}) {
        TORCH_CHECK(embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional");
        Embedding table(EmbeddingOptions(embeddings.size(0), embeddings.size(1))
                            ._weight(embeddings)
                            .padding_idx(options.padding_idx())
                            .max_norm(options.max_norm())
                            .norm_type(options.norm_type())
                            .scale_grad_by_freq(options.scale_grad_by_freq())
                            .sparse(options.sparse()));
        table->weight.set_requires_grad(!options.freeze());
        return table;
    }
};

using EmbeddingBagMode = EmbeddingBagOptions::mode_t;

class EmbeddingBagFromPretrainedOptions {
    TORCH_ARG(bool, freeze) = true;
    TORCH_ARG(std::optional<double>, max_norm) = std::nullopt;
    TORCH_ARG(double, norm_type) = 2.0;
    TORCH_ARG(bool, scale_grad_by_freq) = false;
    TORCH_ARG(EmbeddingBagMode, mode) = kMean;
    TORCH_ARG(bool, sparse) = false;
    TORCH_ARG(bool, include_last_offset) = false;
    TORCH_ARG(std::optional<std::int64_t>, padding_idx) = std::nullopt;
};

class EmbeddingBag : public ModuleHolder<EmbeddingBagImpl> {
  public:
    using ModuleHolder<EmbeddingBagImpl>::ModuleHolder;
    // As Embedding::from_pretrained.
    static EmbeddingBag from_pretrained(const at::Tensor& embeddings,
                                        const EmbeddingBagFromPretrainedOptions& options = {}) {
        TORCH_CHECK(embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional");
        EmbeddingBag bag(EmbeddingBagOptions(embeddings.size(0), embeddings.size(1))
                             ._weight(embeddings)
                             .max_norm(options.max_norm())
                             .norm_type(options.norm_type())
                             .scale_grad_by_freq(options.scale_grad_by_freq())
                             .mode(options.mode())
                             .sparse(options.sparse())
                             .include_last_offset(options.include_last_offset())
                             .padding_idx(options.padding_idx()));
        bag->weight.set_requires_grad(!options.freeze());
        return bag;
    }
};

}  // namespace torch::nn
