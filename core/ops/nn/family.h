// SPDX-License-Identifier: Apache-2.0
#pragma once
// The records of the family, by file.

#include "core/dispatch/record.h"

namespace loupe {

// convolution.cpp, convolution_calls.cpp
extern const OperatorRecord kConvolution, kConvolutionBackward, kConv1d, kConv2d, kConv3d, kConv1dPadding,
    kConv2dPadding, kConv3dPadding, kConvolutionMode, kConvolutionFull, kConvTranspose1d, kConvTranspose2d,
    kConvTranspose3d, kConvTbc;
// max_pool.cpp
extern const OperatorRecord kMaxPool1d, kMaxPool1dWithIndices, kMaxPool2d, kMaxPool3d, kMaxPool2dWithIndices,
    kMaxPool3dWithIndices, kMaxPool2dWithIndicesBackward, kMaxPool3dWithIndicesBackward, kAdaptiveMaxPool1d,
    kAdaptiveMaxPool2d, kAdaptiveMaxPool3d, kAdaptiveMaxPool2dBackward, kAdaptiveMaxPool3dBackward;
// avg_pool.cpp
extern const OperatorRecord kAvgPool1d, kAvgPool2d, kAvgPool3d, kAvgPool2dBackward, kAvgPool3dBackward,
    kAdaptiveAvgPool1d, kAdaptiveAvgPool2d, kAdaptiveAvgPool3d, kAdaptiveAvgPool2dKernel, kAdaptiveAvgPool3dKernel,
    kAdaptiveAvgPool2dBackward, kAdaptiveAvgPool3dBackward;
// softmax.cpp
extern const OperatorRecord kSoftmaxKernel, kLogSoftmaxKernel, kSoftmaxBackwardData, kLogSoftmaxBackwardData, kSoftmax,
    kLogSoftmax, kSpecialSoftmax, kSpecialLogSoftmax;
// batch_norm.cpp, layer_norm.cpp
extern const OperatorRecord kBatchNormScale, kBatchNormGradientScale, kGroupNormScale, kGroupNormGradientScale,
    kNativeBatchNorm, kNativeBatchNormBackward, kBatchNorm, kInstanceNorm, kNativeLayerNorm, kNativeLayerNormBackward,
    kLayerNorm;
// rms_norm.cpp
extern const OperatorRecord kRmsNorm;
// nll_loss.cpp
extern const OperatorRecord kNllLossForward, kNllLossBackward, kNllLoss2dForward, kNllLoss2dBackward, kNllLoss,
    kNllLoss2d, kNllLossNd, kCrossEntropyLoss;

// attention.cpp
extern const OperatorRecord kNativeMultiHeadAttention, kTransformerEncoderLayer, kScaledDotProductAttention,
    kScaledDotProductAttentionMath, kPublicScaledDotProductAttention;
// fused_attention.cpp
extern const OperatorRecord kFusedAttention, kFusedAttentionBackward;
// group_norm.cpp
extern const OperatorRecord kNativeGroupNorm, kNativeGroupNormBackward, kGroupNorm;
// elementwise_loss.cpp
extern const OperatorRecord kMseLoss, kMseLossBackward, kSmoothL1Loss, kSmoothL1LossBackward, kHuberLoss,
    kHuberLossBackward, kSoftMarginLoss, kSoftMarginLossBackward, kBinaryCrossEntropy, kBinaryCrossEntropyBackward,
    kBinaryCrossEntropyWithLogits, kL1Loss, kKlDiv, kHingeEmbeddingLoss, kMarginRankingLoss, kPoissonNllLoss,
    kCosineSimilarity, kPairwiseDistance, kCosineEmbeddingLoss, kTripletMarginLoss;
// upsample.cpp
extern const OperatorRecord kUpsampleNearest1d, kUpsampleNearest1dVec, kUpsampleNearest1dBackward,
    kUpsampleNearest1dBackwardVec, kUpsampleNearest2d, kUpsampleNearest2dVec, kUpsampleNearest2dBackward,
    kUpsampleNearest2dBackwardVec, kUpsampleNearest3d, kUpsampleNearest3dVec, kUpsampleNearest3dBackward,
    kUpsampleNearest3dBackwardVec, kUpsampleNearestExact1d, kUpsampleNearestExact1dVec, kUpsampleNearestExact1dBackward,
    kUpsampleNearestExact1dBackwardVec, kUpsampleNearestExact2d, kUpsampleNearestExact2dVec,
    kUpsampleNearestExact2dBackward, kUpsampleNearestExact2dBackwardVec, kUpsampleNearestExact3d,
    kUpsampleNearestExact3dVec, kUpsampleNearestExact3dBackward, kUpsampleNearestExact3dBackwardVec, kUpsampleLinear1d,
    kUpsampleLinear1dVec, kUpsampleLinear1dBackward, kUpsampleLinear1dBackwardVec, kUpsampleBilinear2d,
    kUpsampleBilinear2dVec, kUpsampleBilinear2dBackward, kUpsampleBilinear2dBackwardVec, kUpsampleTrilinear3d,
    kUpsampleTrilinear3dVec, kUpsampleTrilinear3dBackward, kUpsampleTrilinear3dBackwardVec, kUpsampleBicubic2d,
    kUpsampleBicubic2dVec, kUpsampleBicubic2dBackward, kUpsampleBicubic2dBackwardVec, kUpsampleBilinear2dAa,
    kUpsampleBilinear2dAaVec, kUpsampleBilinear2dAaBackward, kUpsampleBilinear2dAaBackwardVec, kUpsampleBicubic2dAa,
    kUpsampleBicubic2dAaVec, kUpsampleBicubic2dAaBackward, kUpsampleBicubic2dAaBackwardVec;
// grid_sample.cpp
extern const OperatorRecord kAffineGridGenerator, kGridSampler, kGridSampler2d, kGridSampler2dBackward,
    kAffineGridGeneratorBackward, kGridSampler2dFallback, kGridSampler2dFallbackBackward, kGridSampler3d,
    kGridSampler3dBackward;
// im2col.cpp
extern const OperatorRecord kIm2col, kCol2im;
// max_unpool.cpp, fractional_pool.cpp
extern const OperatorRecord kMaxUnpool2d, kMaxUnpool3d, kFractionalMaxPool2d, kFractionalMaxPool3d,
    kFractionalMaxPool2dBackward, kFractionalMaxPool3dBackward;
// margin_loss.cpp
extern const OperatorRecord kMultiMarginLoss, kMultiMarginLossBackward, kMultilabelMarginLossForward,
    kMultilabelMarginLossBackward, kMultilabelMarginLoss;
// ctc_loss.cpp
extern const OperatorRecord kCtcLossForward, kCtcLossForwardTensor, kCtcLossBackward, kCtcLossBackwardTensor,
    kCtcLossIntList, kCtcLossTensor;

}  // namespace loupe
