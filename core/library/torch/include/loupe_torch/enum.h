// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words that options take where LibTorch has types of their own: torch::kMean. They are Python's.

#include <string>

namespace torch {

#define LOUPE_TORCH_WORDS(X)         \
    X(Linear, "linear")              \
    X(Conv1D, "conv1d")              \
    X(Conv2D, "conv2d")              \
    X(Conv3D, "conv3d")              \
    X(ConvTranspose1D, "conv1d")     \
    X(ConvTranspose2D, "conv2d")     \
    X(ConvTranspose3D, "conv3d")     \
    X(Sigmoid, "sigmoid")            \
    X(Tanh, "tanh")                  \
    X(ReLU, "relu")                  \
    X(GELU, "gelu")                  \
    X(SiLU, "silu")                  \
    X(Mish, "mish")                  \
    X(LeakyReLU, "leaky_relu")       \
    X(FanIn, "fan_in")               \
    X(FanOut, "fan_out")             \
    X(Constant, "constant")          \
    X(Reflect, "reflect")            \
    X(Replicate, "replicate")        \
    X(Circular, "circular")          \
    X(Nearest, "nearest")            \
    X(Bilinear, "bilinear")          \
    X(Bicubic, "bicubic")            \
    X(Trilinear, "trilinear")        \
    X(Area, "area")                  \
    X(NearestExact, "nearest-exact") \
    X(None, "none")                  \
    X(Mean, "mean")                  \
    X(Sum, "sum")                    \
    X(Max, "max")                    \
    X(BatchMean, "batchmean")        \
    X(Zeros, "zeros")                \
    X(Border, "border")              \
    X(Reflection, "reflection")      \
    X(Valid, "valid")                \
    X(Same, "same")
#define LOUPE_TORCH_WORD(name, text) inline constexpr const char* k##name = text;
LOUPE_TORCH_WORDS(LOUPE_TORCH_WORD)
#undef LOUPE_TORCH_WORD
#undef LOUPE_TORCH_WORDS

namespace nn::detail {

// The word given to an option. Not a const char*, which the number 0 would fit as well.
class Word {
  public:
    Word(const char* text) : text_(text) {}
    Word(std::string text) : text_(std::move(text)) {}
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

}  // namespace nn::detail
}  // namespace torch
