// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words that options take, each a type of its own: torch::kMean. Their texts are Python's.

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

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
    X(Same, "same")                  \
    X(RNN_TANH, "RNN_TANH")          \
    X(RNN_RELU, "RNN_RELU")          \
    X(LSTM, "LSTM")                  \
    X(GRU, "GRU")
#define LOUPE_TORCH_WORD(word, python)                             \
    namespace enumtype {                                           \
    struct k##word {                                               \
        static constexpr const char* name = "k" #word;             \
        static constexpr const char* text = python;                \
        friend bool operator==(k##word, k##word) { return true; }  \
        friend bool operator!=(k##word, k##word) { return false; } \
    };                                                             \
    }                                                              \
    inline constexpr enumtype::k##word k##word{};
LOUPE_TORCH_WORDS(LOUPE_TORCH_WORD)
#undef LOUPE_TORCH_WORD
#undef LOUPE_TORCH_WORDS

namespace enumtype {

// "kMean", of a variant of words.
template <typename... Words>
std::string get_enum_name(const std::variant<Words...>& word) {
    return std::visit([](auto each) -> std::string { return decltype(each)::name; }, word);
}

}  // namespace enumtype

namespace nn::detail {

template <typename T>
concept IsWord = requires {
    { T::text } -> std::convertible_to<const char*>;
};

// One word of any. Not a const char*, which the number 0 would fit as well.
class Word {
  public:
    template <IsWord T>
    Word(T) : text_(T::text) {}
    template <IsWord... Words>
    Word(const std::variant<Words...>& word)
        : text_(std::visit([](auto each) { return decltype(each)::text; }, word)) {}
    Word(const char* text) : text_(text) {}
    Word(std::string text) : text_(std::move(text)) {}
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

}  // namespace nn::detail
}  // namespace torch
