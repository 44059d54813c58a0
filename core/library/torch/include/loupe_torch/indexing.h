// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::indexing: what stands between the brackets of x.index({...}).

#include <concepts>
#include <cstdint>
#include <optional>
#include <ostream>

#include "core/value/ivalue.h"

#include <loupe_torch/array_ref.h>

namespace at {
class Tensor;

namespace indexing {

struct EllipsisIndexType {};
inline constexpr EllipsisIndexType Ellipsis{};
inline constexpr std::nullopt_t None = std::nullopt;

struct Slice {
    Slice(std::optional<std::int64_t> first = std::nullopt, std::optional<std::int64_t> last = std::nullopt,
          std::optional<std::int64_t> by = std::nullopt)
        : start(first), stop(last), step(by) {}
    std::optional<std::int64_t> start, stop, step;
};

class TensorIndex {
  public:
    TensorIndex(std::nullopt_t) {}
    TensorIndex(EllipsisIndexType);
    // "..." is the ellipsis. Throws c10::Error for other text.
    TensorIndex(const char* text);
    template <std::integral T>
    requires(!std::same_as<T, bool>) TensorIndex(T number) : key_(static_cast<std::int64_t>(number)) {}
    template <std::same_as<bool> T>
    TensorIndex(T truth) : key_(truth) {}
    TensorIndex(const Slice& slice);
    TensorIndex(const Tensor& tensor);

    const loupe::IValue& key() const { return key_; }

  private:
    loupe::IValue key_;
};

}  // namespace indexing
}  // namespace at

namespace torch::indexing {
using namespace at::indexing;
}
