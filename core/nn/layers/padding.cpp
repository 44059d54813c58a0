// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.padding.
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kPython = "torch.nn.modules.padding";

void init_constant(Module& self, const Dims& padding, const IValue& value) {
    self.set_attribute("padding", tuple(span_of(padding)));
    self.set_attribute("value", value);
}
void init_zero(Module& self, const Dims& padding) { init_constant(self, padding, 0.0); }

#define LOUPE_CONSTANT(D, N)                                                                                           \
    LayerRecord {                                                                                                      \
        .name = "ConstantPad" D "d", .base = "_ConstantPadNd", .module = kPython, .summary = "A border of one value.", \
        .constructor = "(int[" N "] padding, Scalar value)", .init = builds<init_constant>                             \
    }
#define LOUPE_ZERO(D, N)                                                                                          \
    LayerRecord {                                                                                                 \
        .name = "ZeroPad" D "d", .base = "ConstantPad" D "d", .module = kPython, .summary = "A border of zeros.", \
        .constructor = "(int[" N "] padding)", .init = builds<init_zero>, .repr = "{padding}"                     \
    }
#define LOUPE_BORDER(NAME, D, N, SUMMARY)                                                          \
    LayerRecord {                                                                                  \
        .name = NAME "Pad" D "d", .base = "_" NAME "PadNd", .module = kPython, .summary = SUMMARY, \
        .constructor = "(int[" N "] padding)"                                                      \
    }

constexpr LayerRecord kRecords[] = {
    {.name = "_ConstantPadNd",
     .base = "Module",
     .module = kPython,
     .summary = "The base of constant borders.",
     .calls = "pad(input, padding, 'constant', value)",
     .constants = "padding value",
     .repr = "padding={padding}, value={value}"},
    LOUPE_CONSTANT("1", "2"),
    LOUPE_CONSTANT("2", "4"),
    LOUPE_CONSTANT("3", "6"),
    LOUPE_ZERO("1", "2"),
    LOUPE_ZERO("2", "4"),
    LOUPE_ZERO("3", "6"),
    {.name = "_ReflectionPadNd",
     .base = "Module",
     .module = kPython,
     .summary = "The base of mirrored borders.",
     .calls = "pad(input, padding, 'reflect')",
     .constants = "padding",
     .repr = "{padding}"},
    LOUPE_BORDER("Reflection", "1", "2", "A border that mirrors the inside."),
    LOUPE_BORDER("Reflection", "2", "4", "A border that mirrors the inside."),
    LOUPE_BORDER("Reflection", "3", "6", "A border that mirrors the inside."),
    {.name = "_CircularPadNd",
     .base = "Module",
     .module = kPython,
     .summary = "The base of borders that go round.",
     .calls = "pad(input, padding, 'circular')",
     .constants = "padding",
     .repr = "{padding}"},
    LOUPE_BORDER("Circular", "1", "2", "A border that goes on at the other side."),
    LOUPE_BORDER("Circular", "2", "4", "A border that goes on at the other side."),
    LOUPE_BORDER("Circular", "3", "6", "A border that goes on at the other side."),
    {.name = "_ReplicationPadNd",
     .base = "Module",
     .module = kPython,
     .summary = "The base of repeated borders.",
     .calls = "pad(input, padding, 'replicate')",
     .constants = "padding",
     .repr = "{padding}"},
    LOUPE_BORDER("Replication", "1", "2", "A border that repeats the edge."),
    LOUPE_BORDER("Replication", "2", "4", "A border that repeats the edge."),
    LOUPE_BORDER("Replication", "3", "6", "A border that repeats the edge."),
};
#undef LOUPE_CONSTANT
#undef LOUPE_ZERO
#undef LOUPE_BORDER

}  // namespace

LayerFamily padding_layers() { return kRecords; }

}  // namespace loupe::nn::layers
