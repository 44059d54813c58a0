// SPDX-License-Identifier: Apache-2.0
#pragma once
// The passes of this folder; one line here adds a pass.

#include "core/passes/pass.h"

// In the order in which they are listed to the reader.
#define LOUPE_PASSES(PASS)                      \
    PASS(kInline)                               \
    PASS(kDeadCodeElimination)                  \
    PASS(kConstantPropagation)                  \
    PASS(kConstantPropagationImmutableTypes)    \
    PASS(kCommonSubexpressionElimination)       \
    PASS(kConstantPooling)                      \
    PASS(kCanonicalizeOutputs)                  \
    PASS(kPeephole)                             \
    PASS(kPeepholeListIdioms)                   \
    PASS(kLowerSimpleTuples)                    \
    PASS(kUnrollConstantLoops)                  \
    PASS(kRemoveListMutation)                   \
    PASS(kFreezeAttributes)                     \
    PASS(kEliminateNoOps)                       \
    PASS(kComposePermutes)                      \
    PASS(kRemoveDropout)                        \
    PASS(kFoldConvBatchnorm)                    \
    PASS(kFoldConvAddOrSub)                     \
    PASS(kFoldConvMulOrDiv)                     \
    PASS(kFoldLinearBatchnorm)                  \
    PASS(kReplaceOldOperatorsWithUpgraders)     \
    PASS(kConvertToSSA)                         \
    PASS(kCanonicalizeModifiedLoops)            \
    PASS(kNormalizeOps)                         \
    PASS(kLowerGradOf)                          \
    PASS(kClearUndefinedness)                   \
    PASS(kRemoveExpands)                        \
    PASS(kCanonicalizeOps)                      \
    PASS(kDecomposeOps)                         \
    PASS(kCheckInplace)                         \
    PASS(kRemoveInplaceOps)                     \
    PASS(kRemoveTensorMutation)                 \
    PASS(kLowerAllTuples)                       \
    PASS(kUnrollLoops)                          \
    PASS(kBatchMM)                              \
    PASS(kFuseLinear)                           \
    PASS(kFrozenConcatLinear)                   \
    PASS(kFrozenLinearTranspose)                \
    PASS(kPropagateInputShapes)                 \
    PASS(kCreateAutodiffSubgraphs)              \
    PASS(kInlineAutodiffSubgraphs)              \
    PASS(kDifferentiate)                        \
    PASS(kFuseTensorExprs)                      \
    PASS(kSplitAppendedLists)                   \
    PASS(kDecomposeFrozenBatchNorm)             \
    PASS(kFuseAttention)                        \
    PASS(kSaveSlopes)                           \
    PASS(kFuseLinearActivations)                \
    PASS(kFuseTrainedLinears)                   \
    PASS(kFuseLinearGradients)                  \
    PASS(kFuseFrozenConvAddRelu)                \
    PASS(kDecomposeDropout)                     \
    PASS(kSplitNorms)                           \
    PASS(kFuseStaticSubgraphs)                  \
    PASS(kConvertFrozenOpsToMKLDNN)             \
    PASS(kTransformConv1dToConv2d)              \
    PASS(kFuseAddRelu)                          \
    PASS(kCanonicalize)                         \
    PASS(kPeepholeDictIdioms)                   \
    PASS(kEraseShapeInformation)                \
    PASS(kRefineTupleTypes)                     \
    PASS(kRefineIntegerValues)                  \
    PASS(kFuseAddMM)                            \
    PASS(kInlineForkWait)                       \
    PASS(kPeelProfilingLoops)                   \
    PASS(kInsertProfileNodes)                   \
    PASS(kRemoveProfilingNodes)                 \
    PASS(kRemoveProfileNodesAndSpecializeTypes) \
    PASS(kSpecializeAutogradZero)               \
    PASS(kInsertGuards)                         \
    PASS(kEliminateRedundantGuards)             \
    PASS(kInsertBailOuts)                       \
    PASS(kGuardDifferentiableGraphs)            \
    PASS(kGuardFusionGroups)

namespace loupe::passes {

#define LOUPE_DECLARE_PASS(name) extern const Pass name;
LOUPE_PASSES(LOUPE_DECLARE_PASS)
#undef LOUPE_DECLARE_PASS

}  // namespace loupe::passes
