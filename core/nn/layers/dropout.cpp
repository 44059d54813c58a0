// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.dropout.
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kPython = "torch.nn.modules.dropout";

void init_dropout(Module& self, const IValue& p, bool inplace) {
    if (p.to_double() < 0 || p.to_double() > 1) {
        throw Error(ErrorKind::Run, concat("dropout probability has to be between 0 and 1, but got ", python_str(p)));
    }
    self.set_attribute("p", p);
    self.set_attribute("inplace", inplace);
}

constexpr LayerRecord kRecords[] = {
    {.name = "_DropoutNd",
     .base = "Module",
     .module = kPython,
     .summary = "The base of dropouts.",
     .constructor = "(Scalar p=0.5, bool inplace=False)",
     .init = builds<init_dropout>,
     .constants = "p inplace",
     .repr = "p={p}, inplace={inplace}"},
    {.name = "Dropout",
     .base = "_DropoutNd",
     .module = kPython,
     .summary = "Zeroes elements with probability p while training.",
     .calls = "dropout(input, p, training, inplace)"},
    {.name = "Dropout1d",
     .base = "_DropoutNd",
     .module = kPython,
     .summary = "Drops whole channels of sequences.",
     .calls = "dropout1d(input, p, training, inplace)"},
    {.name = "Dropout2d",
     .base = "_DropoutNd",
     .module = kPython,
     .summary = "Drops whole channels of planes.",
     .calls = "dropout2d(input, p, training, inplace)"},
    {.name = "Dropout3d",
     .base = "_DropoutNd",
     .module = kPython,
     .summary = "Drops whole channels of volumes.",
     .calls = "dropout3d(input, p, training, inplace)"},
    {.name = "AlphaDropout",
     .base = "_DropoutNd",
     .module = kPython,
     .summary = "Dropout that keeps mean and variance of self-normalising inputs.",
     .calls = "alpha_dropout(input, p, training)"},
    {.name = "FeatureAlphaDropout",
     .base = "_DropoutNd",
     .module = kPython,
     .summary = "AlphaDropout of whole channels.",
     .calls = "feature_alpha_dropout(input, p, training)"},
};

}  // namespace

LayerFamily dropout_layers() { return kRecords; }

}  // namespace loupe::nn::layers
