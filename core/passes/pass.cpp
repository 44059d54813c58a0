// SPDX-License-Identifier: Apache-2.0
#include "core/passes/pass.h"

#include <array>

#include "core/passes/pass_list.h"

namespace loupe::passes {

std::span<const Pass* const> all_passes() {
    static const std::array kPasses = {&kInline,
                                       &kDeadCodeElimination,
                                       &kConstantPropagation,
                                       &kConstantPropagationImmutableTypes,
                                       &kCommonSubexpressionElimination,
                                       &kConstantPooling,
                                       &kCanonicalizeOutputs,
                                       &kPeephole,
                                       &kPeepholeListIdioms,
                                       &kLowerSimpleTuples,
                                       &kUnrollConstantLoops,
                                       &kRemoveListMutation,
                                       &kFreezeAttributes,
                                       &kEliminateNoOps,
                                       &kRemoveDropout,
                                       &kFoldConvBatchnorm,
                                       &kFoldConvAddOrSub,
                                       &kFoldConvMulOrDiv,
                                       &kFoldLinearBatchnorm,
                                       &kReplaceOldOperatorsWithUpgraders,
                                       &kConvertToSSA,
                                       &kCanonicalizeModifiedLoops,
                                       &kNormalizeOps,
                                       &kLowerGradOf,
                                       &kClearUndefinedness,
                                       &kRemoveExpands,
                                       &kCanonicalizeOps,
                                       &kDecomposeOps,
                                       &kCheckInplace,
                                       &kRemoveInplaceOps,
                                       &kRemoveTensorMutation,
                                       &kLowerAllTuples,
                                       &kUnrollLoops,
                                       &kBatchMM,
                                       &kFuseLinear,
                                       &kFrozenConcatLinear,
                                       &kFrozenLinearTranspose,
                                       &kPropagateInputShapes,
                                       &kCreateAutodiffSubgraphs,
                                       &kInlineAutodiffSubgraphs,
                                       &kDifferentiate,
                                       &kFuseTensorExprs,
                                       &kConvertFrozenOpsToMKLDNN,
                                       &kTransformConv1dToConv2d,
                                       &kFuseAddRelu};
    return kPasses;
}

const Pass* find_pass(std::string_view name) {
    for (const Pass* pass : all_passes()) {
        if (pass->name == name) return pass;
    }
    return nullptr;
}

}  // namespace loupe::passes
