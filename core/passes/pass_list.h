// SPDX-License-Identifier: Apache-2.0
#pragma once
// The passes of this folder; one line here and one in pass_list.cpp adds a pass.

#include "core/passes/pass.h"

namespace loupe::passes {

extern const Pass kInline;
extern const Pass kDeadCodeElimination;
extern const Pass kConstantPropagation;
extern const Pass kConstantPropagationImmutableTypes;
extern const Pass kCommonSubexpressionElimination;
extern const Pass kConstantPooling;
extern const Pass kPeephole;
extern const Pass kPeepholeListIdioms;
extern const Pass kCanonicalizeOutputs;
extern const Pass kLowerSimpleTuples;
extern const Pass kFreezeAttributes;
extern const Pass kUnrollConstantLoops;
extern const Pass kRemoveListMutation;
extern const Pass kEliminateNoOps;
extern const Pass kRemoveDropout;
extern const Pass kFoldConvBatchnorm;
extern const Pass kFoldConvAddOrSub;
extern const Pass kFoldConvMulOrDiv;
extern const Pass kFoldLinearBatchnorm;
extern const Pass kReplaceOldOperatorsWithUpgraders;
extern const Pass kConvertToSSA;
extern const Pass kCanonicalizeModifiedLoops;
extern const Pass kNormalizeOps;
extern const Pass kLowerGradOf;
extern const Pass kClearUndefinedness;
extern const Pass kRemoveExpands;
extern const Pass kCanonicalizeOps;
extern const Pass kDecomposeOps;
extern const Pass kCheckInplace;
extern const Pass kRemoveInplaceOps;
extern const Pass kRemoveTensorMutation;
extern const Pass kLowerAllTuples;
extern const Pass kUnrollLoops;
extern const Pass kBatchMM;
extern const Pass kFuseLinear;
extern const Pass kFrozenConcatLinear;
extern const Pass kFrozenLinearTranspose;
extern const Pass kPropagateInputShapes;
extern const Pass kCreateAutodiffSubgraphs;
extern const Pass kInlineAutodiffSubgraphs;
extern const Pass kDifferentiate;
extern const Pass kFuseTensorExprs;
extern const Pass kSplitAppendedLists;
extern const Pass kDecomposeFrozenBatchNorm;
extern const Pass kFuseAttention;
extern const Pass kSaveSlopes;
extern const Pass kDecomposeDropout;
extern const Pass kSplitNorms;
extern const Pass kFuseStaticSubgraphs;
extern const Pass kConvertFrozenOpsToMKLDNN;
extern const Pass kTransformConv1dToConv2d;
extern const Pass kFuseAddRelu;
extern const Pass kCanonicalize;
extern const Pass kPeepholeDictIdioms;
extern const Pass kEraseShapeInformation;
extern const Pass kRefineTupleTypes;
extern const Pass kRefineIntegerValues;
extern const Pass kFuseAddMM;
extern const Pass kInlineForkWait;
extern const Pass kPeelProfilingLoops;
extern const Pass kInsertProfileNodes;
extern const Pass kRemoveProfilingNodes;
extern const Pass kRemoveProfileNodesAndSpecializeTypes;
extern const Pass kSpecializeAutogradZero;
extern const Pass kInsertGuards;
extern const Pass kEliminateRedundantGuards;
extern const Pass kInsertBailOuts;
extern const Pass kGuardDifferentiableGraphs;
extern const Pass kGuardFusionGroups;

}  // namespace loupe::passes
