// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs of a method as they are described: values only.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/model_info.h"

namespace loupe::session {

// Where an input of the method comes from.
struct InputSpec {
    // Example: what the model's own source gives.
    enum class Source { Random, Normal, Zeros, Ones, Arange, File, Example };
    Source source = Source::Normal;
    Shape shape;
    std::string dtype = "float32";
    std::uint64_t seed = 0;
    std::int64_t low = 0;  // integers are drawn from [low, high)
    std::int64_t high = 10;
    std::string file;  // .npy, .npz, .pt, .png, .jpg
    std::string key;   // "arg0" in an .npz
    // For arguments that are no tensors: a Python literal ("3", "0.5", "True", "[1, 2]", "None", "'text'").
    // With a shape: the elements of a tensor of that shape and dtype, as a list.
    std::optional<std::string> literal;
    // For list and tuple arguments: one spec an element.
    std::vector<InputSpec> elements;
};
constexpr InputSpec::Source last_of(InputSpec::Source) { return InputSpec::Source::Example; }
auto fields(Like<InputSpec> auto& it) {
    return std::tie(it.source, it.shape, it.dtype, it.seed, it.low, it.high, it.file, it.key, it.literal, it.elements);
}
inline constexpr const char* kInputSpecHint = "write it as 2x3x224x224, 8x16:int64, 1x3x8x8:float32:normal";
// "2x3x224x224", "8x16:int64", "1x3x8x8:float32:normal", "...:zeros", "...:arange". Throws Error (Usage).
InputSpec parse_input_spec(const std::string& text);
std::string input_spec_text(const InputSpec& spec);

}  // namespace loupe::session
