// SPDX-License-Identifier: Apache-2.0
#pragma once
// The adapter to oneDNN's version: 2.6, where a primitive is made from a descriptor of the operation.

#include <dnnl.hpp>

#include "core/base/address_space.h"

namespace loupe::onednn {

// To be called before a primitive is made: oneDNN does not check that memory for generated code was allocated.
inline void require_room_for_code() { require_address_space(std::size_t{32} << 20, "generated code"); }

using Memory = dnnl::memory;
using Layout = dnnl::memory::desc;

// Geometry of a convolution as oneDNN counts it: dilation 0 is dense.
struct ConvolutionGeometry {
    Memory::dims strides;
    Memory::dims dilates;
    Memory::dims padding_left;
    Memory::dims padding_right;
};

// Geometry of pooling; dilation 0 is dense.
struct PoolingGeometry {
    Memory::dims kernel;
    Memory::dims strides;
    Memory::dims dilates;
    Memory::dims padding_left;
    Memory::dims padding_right;
};

inline dnnl::primitive_attr user_scratchpad() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
}

inline dnnl::convolution_forward::primitive_desc convolution_forward(const dnnl::engine& engine, const Layout& src,
                                                                     const Layout& weights, const Layout& bias,
                                                                     const Layout& dst, const ConvolutionGeometry& g) {
    constexpr auto kKind = dnnl::prop_kind::forward_training;
    constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;
    const auto descriptor = bias.is_zero()
                                ? dnnl::convolution_forward::desc(kKind, kAlgorithm, src, weights, dst, g.strides,
                                                                  g.dilates, g.padding_left, g.padding_right)
                                : dnnl::convolution_forward::desc(kKind, kAlgorithm, src, weights, bias, dst, g.strides,
                                                                  g.dilates, g.padding_left, g.padding_right);
    return {descriptor, user_scratchpad(), engine};
}

inline dnnl::convolution_backward_data::primitive_desc convolution_backward_data(
    const dnnl::engine& engine, const Layout& diff_src, const Layout& weights, const Layout& diff_dst,
    const ConvolutionGeometry& g, const dnnl::convolution_forward::primitive_desc& hint) {
    const dnnl::convolution_backward_data::desc descriptor(dnnl::algorithm::convolution_direct, diff_src, weights,
                                                           diff_dst, g.strides, g.dilates, g.padding_left,
                                                           g.padding_right);
    return {descriptor, user_scratchpad(), engine, hint};
}

inline dnnl::convolution_backward_weights::primitive_desc convolution_backward_weights(
    const dnnl::engine& engine, const Layout& src, const Layout& diff_weights, const Layout& diff_bias,
    const Layout& diff_dst, const ConvolutionGeometry& g, const dnnl::convolution_forward::primitive_desc& hint) {
    constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;
    const auto descriptor =
        diff_bias.is_zero()
            ? dnnl::convolution_backward_weights::desc(kAlgorithm, src, diff_weights, diff_dst, g.strides, g.dilates,
                                                       g.padding_left, g.padding_right)
            : dnnl::convolution_backward_weights::desc(kAlgorithm, src, diff_weights, diff_bias, diff_dst, g.strides,
                                                       g.dilates, g.padding_left, g.padding_right);
    return {descriptor, user_scratchpad(), engine, hint};
}

inline dnnl::pooling_v2_forward::primitive_desc pooling_forward(const dnnl::engine& engine, dnnl::algorithm algorithm,
                                                                const Layout& src, const Layout& dst,
                                                                const PoolingGeometry& g) {
    const dnnl::pooling_v2_forward::desc descriptor(dnnl::prop_kind::forward_training, algorithm, src, dst, g.strides,
                                                    g.kernel, g.dilates, g.padding_left, g.padding_right);
    return {descriptor, user_scratchpad(), engine};
}

inline dnnl::pooling_v2_backward::primitive_desc pooling_backward(const dnnl::engine& engine, dnnl::algorithm algorithm,
                                                                  const Layout& diff_src, const Layout& diff_dst,
                                                                  const PoolingGeometry& g) {
    const dnnl::pooling_v2_backward::desc descriptor(algorithm, diff_src, diff_dst, g.strides, g.kernel, g.dilates,
                                                     g.padding_left, g.padding_right);
    return {descriptor, user_scratchpad(), engine, pooling_forward(engine, algorithm, diff_src, diff_dst, g)};
}

// Both with mean and variance beside the result. `epsilon` is added to the variance.
inline dnnl::batch_normalization_forward::primitive_desc batch_normalization_forward(const dnnl::engine& engine,
                                                                                     dnnl::prop_kind kind,
                                                                                     const Layout& layout,
                                                                                     float epsilon,
                                                                                     dnnl::normalization_flags flags) {
    return {dnnl::batch_normalization_forward::desc(kind, layout, epsilon, flags), user_scratchpad(), engine};
}

inline dnnl::batch_normalization_backward::primitive_desc batch_normalization_backward(
    const dnnl::engine& engine, const Layout& layout, float epsilon, dnnl::normalization_flags flags) {
    const dnnl::batch_normalization_backward::desc descriptor(dnnl::prop_kind::backward, layout, layout, epsilon,
                                                              flags);
    return {descriptor, user_scratchpad(), engine,
            batch_normalization_forward(engine, dnnl::prop_kind::forward_training, layout, epsilon, flags)};
}

inline dnnl::layer_normalization_forward::primitive_desc layer_normalization_forward(const dnnl::engine& engine,
                                                                                     const Layout& layout,
                                                                                     float epsilon,
                                                                                     dnnl::normalization_flags flags) {
    const dnnl::layer_normalization_forward::desc descriptor(dnnl::prop_kind::forward_training, layout, epsilon, flags);
    return {descriptor, user_scratchpad(), engine};
}

// Layouts of one direction of one recurrent layer: sequence [T, B, I], states [1, 1, B, H], weights [1, 1, I or H,
// gates, H], bias [1, 1, biases, H].
struct RecurrentLayouts {
    Layout sequence;
    Layout state;
    Layout weights_layer;
    Layout weights_iter;
    Layout bias;
    Layout output;
};

// Gates i, f, g, o.
inline dnnl::lstm_forward::primitive_desc lstm_forward(const dnnl::engine& engine, dnnl::rnn_direction direction,
                                                       const RecurrentLayouts& l) {
    const dnnl::lstm_forward::desc descriptor(dnnl::prop_kind::forward_training, direction, l.sequence, l.state,
                                              l.state, l.weights_layer, l.weights_iter, l.bias, l.output, l.state,
                                              l.state);
    return {descriptor, user_scratchpad(), engine};
}

// Gates z, r, n; the reset gate after the product, as PyTorch has it. Biases of z, r and n, and the one inside the
// reset.
inline dnnl::lbr_gru_forward::primitive_desc gru_forward(const dnnl::engine& engine, dnnl::rnn_direction direction,
                                                         const RecurrentLayouts& l) {
    const dnnl::lbr_gru_forward::desc descriptor(dnnl::prop_kind::forward_training, direction, l.sequence, l.state,
                                                 l.weights_layer, l.weights_iter, l.bias, l.output, l.state);
    return {descriptor, user_scratchpad(), engine};
}

// dst = src weights (+ bias) (+ beta dst).
inline dnnl::matmul::primitive_desc matmul(const dnnl::engine& engine, const Layout& src, const Layout& weights,
                                           const Layout& bias, const Layout& dst, float beta) {
    const auto descriptor =
        bias.is_zero() ? dnnl::matmul::desc(src, weights, dst) : dnnl::matmul::desc(src, weights, bias, dst);
    dnnl::primitive_attr attributes = user_scratchpad();
    if (beta != 0) {
        dnnl::post_ops sum;
        sum.append_sum(beta);
        attributes.set_post_ops(sum);
    }
    return {descriptor, attributes, engine};
}

// Row major c = alpha op(a) op(b) + beta c.
inline void sgemm(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                  const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
                  std::int64_t ldc) {
    // The first call generates code for all that follow.
    static const bool has_room = [] {
        require_room_for_code();
        return true;
    }();
    static_cast<void>(has_room);
    dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace loupe::onednn
