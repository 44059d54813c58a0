// SPDX-License-Identifier: Apache-2.0
#include "core/passes/pass_list.h"

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::passes {
namespace {

std::vector<const Pass*>& registry() {
    static std::vector<const Pass*> passes = {&kInline,
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
                                              &kSplitAppendedLists,
                                              &kDecomposeFrozenBatchNorm,
                                              &kFuseAttention,
                                              &kSaveSlopes,
                                              &kDecomposeDropout,
                                              &kSplitNorms,
                                              &kFuseStaticSubgraphs,
                                              &kConvertFrozenOpsToMKLDNN,
                                              &kTransformConv1dToConv2d,
                                              &kFuseAddRelu,
                                              &kCanonicalize,
                                              &kPeepholeDictIdioms,
                                              &kEraseShapeInformation,
                                              &kRefineTupleTypes,
                                              &kRefineIntegerValues,
                                              &kFuseAddMM,
                                              &kInlineForkWait,
                                              &kPeelProfilingLoops,
                                              &kInsertProfileNodes,
                                              &kRemoveProfilingNodes,
                                              &kRemoveProfileNodesAndSpecializeTypes,
                                              &kSpecializeAutogradZero,
                                              &kInsertGuards,
                                              &kEliminateRedundantGuards,
                                              &kInsertBailOuts,
                                              &kGuardDifferentiableGraphs,
                                              &kGuardFusionGroups};
    return passes;
}

}  // namespace

std::span<const Pass* const> all_passes() { return registry(); }

void register_pass(const Pass& pass) {
    if (find_pass(pass.name) != nullptr) throw Error(ErrorKind::Usage, concat("there is a pass '", pass.name, "' already"));
    registry().push_back(&pass);
}

const Pass* find_pass(std::string_view name) {
    for (const Pass* pass : all_passes()) {
        if (pass->name == name) return pass;
    }
    return nullptr;
}

}  // namespace loupe::passes
