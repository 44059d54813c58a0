// SPDX-License-Identifier: Apache-2.0
// The dropout family.
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/nn/functional/families.h"
#include "core/nn/functional/operator_call.h"
#include "core/ops/numbers/warnings.h"

namespace loupe::nn::functional {
namespace {

constexpr std::size_t kProbability = 1;

void check_probability(double p) {
    if (p < 0 || p > 1) {
        throw Error(ErrorKind::Run, concat("dropout probability has to be between 0 and 1, but got ", python_repr(p)));
    }
}

template <OperatorName kName, OperatorName kInPlaceName>
void drop(Arguments arguments, IValue* result) {
    check_probability(arguments[kProbability].to_double());
    calls_either<kName, kInPlaceName>(arguments, result);
}

// dropout1d to 3d: whole channels. An input without a batch is given one; its number of dimensions is kDims + 1 then.
template <int kDims>
void drop_channels(Arguments arguments, IValue* result) {
    const Tensor input = arguments[0].to_tensor();
    if (kDims == 1 && input.dim() != 2 && input.dim() != 3) {
        throw Error(ErrorKind::Run,
                    concat("dropout1d: Expected 2D or 3D input, but received a ", input.dim(),
                           "D input. Note that dropout1d exists to provide channel-wise dropout on inputs with 1 "
                           "spatial dimension, a channel dimension, and an optional batch dimension (i.e. 2D or "
                           "3D inputs)."));
    }
    if (kDims == 2 && input.dim() == 3) {
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted "
            "as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to "
            "interpret the input as one "
            "without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise dropout behavior, please "
            "switch to using "
            "dropout1d instead.");
    } else if (kDims > 1 && input.dim() != kDims + 1 && input.dim() != kDims + 2) {
        warn(concat("dropout", kDims, "d: Received a ", input.dim(), "-D input to dropout", kDims,
                    "d, which is deprecated and will result in an "
                    "error in a future release. To retain the behavior and silence this warning, please use dropout "
                    "instead. Note that dropout",
                    kDims, "d exists to provide channel-wise dropout on inputs with ", kDims,
                    " spatial dimensions, a channel dimension, and an "
                    "optional batch dimension (i.e. ",
                    kDims + 1, "D or ", kDims + 2, "D inputs)."));
    }
    const bool has_batch = input.dim() != kDims + 1 || kDims == 2;
    if (has_batch) return drop<"aten::feature_dropout", "aten::feature_dropout_">(arguments, result);
    std::vector<IValue> given(arguments.begin(), arguments.end());
    given[0] = fn::unsqueeze(input, 0);
    drop<"aten::feature_dropout", "aten::feature_dropout_">(given, result);
    *result = fn::squeeze(result->to_tensor(), 0);
}

constexpr NativeFunction kRecords[] = {
    {"dropout(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor",
     "Zeroes elements with probability p while training and scales the others by 1 / (1 - p).",
     drop<"aten::dropout", "aten::dropout_">},
    {"alpha_dropout(Tensor input, float p=0.5, bool training=False, bool inplace=False) -> Tensor",
     "Dropout that keeps mean and variance of self-normalising inputs.",
     drop<"aten::alpha_dropout", "aten::alpha_dropout_">},
    {"feature_alpha_dropout(Tensor input, float p=0.5, bool training=False, bool inplace=False) -> Tensor",
     "alpha_dropout of whole channels.", drop<"aten::feature_alpha_dropout", "aten::feature_alpha_dropout_">},
    {"dropout1d(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor",
     "Drops whole channels of sequences.", drop_channels<1>},
    {"dropout2d(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor",
     "Drops whole channels of planes.", drop_channels<2>},
    {"dropout3d(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor",
     "Drops whole channels of volumes.", drop_channels<3>},
};

}  // namespace

FunctionFamily dropout_records() { return kRecords; }

}  // namespace loupe::nn::functional
