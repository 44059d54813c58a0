// SPDX-License-Identifier: Apache-2.0
// Convolutions, pooling, normalisations, softmax, attention, recurrent layers, resampling.

#include "core/ops/notes/tables.h"

namespace loupe::notes {
namespace {

constexpr std::string_view kConvolution =
    "input: sum_{o, k} grad[n, o, p] weight[o, c, k] at stride p + dilation k - padding\n"
    "weight: sum_{n, p} grad[n, o, p] input[n, c, stride p + dilation k - padding]\n"
    "bias: sum_{n, p} grad[n, o, p]";
constexpr std::string_view kTransposed =
    "input: sum_{o, k} grad[n, o, stride p + dilation k - padding] weight[c, o, k]\n"
    "weight: sum_{n, p} input[n, c, p] grad[n, o, stride p + dilation k - padding]\n"
    "bias: sum_{n, p} grad[n, o, p]";
constexpr std::string_view kNormalised =
    "input: (g - mean(g) - y mean(g y)) / std, g = grad weight, y = (input - mean) / std\n"
    "weight: sum of grad (input - mean) / std\n"
    "bias: sum of grad";
constexpr std::string_view kBatchNormalised =
    "input: (g - mean(g) - y mean(g y)) / std in training, g / std in evaluation; g = grad weight, y = (input - mean) / std\n"
    "weight: sum_n grad[n, c] (input[n, c] - mean[c]) / std[c]\n"
    "bias: sum_n grad[n, c]";
constexpr std::string_view kMaxWindow = "out[c, p] = max_k self[c, stride p + dilation k - padding]";
constexpr std::string_view kToGreatest = "self: grad at the place of each window's greatest element, else 0";
constexpr std::string_view kMeanWindow = "out[c, p] = mean_k self[c, k] over the k from floor(p H / output_size) to ceil((p + 1) H / output_size)";
constexpr std::string_view kSharedOut = "self: grad[c, p] / (size of the window), added over the windows";
constexpr std::string_view kNearest = "out[p] = self[floor(p H_in / H_out)]";
constexpr std::string_view kExact = "out[p] = self[floor((p + 1 / 2) H_in / H_out)]";
constexpr std::string_view kWeighted = "self: grad, added to the inputs it was read from with the same weights\n"
                                       "input: grad, added to the inputs it was read from with the same weights";
constexpr std::string_view kBackwardWeighted = "grad_output: grad, resampled as forward";
constexpr std::string_view kLinear = "out[p] = (1 - t) self[i] + t self[i + 1], i + t = (p + 1 / 2) H_in / H_out - 1 / 2";
constexpr std::string_view kBilinear = "out[p, q] = sum_{i, j} w(i, p) w(j, q) self[i, j], w linear between neighbours";
constexpr std::string_view kTrilinear = "out[p, q, r] = sum_{i, j, k} w(i, p) w(j, q) w(k, r) self[i, j, k], w linear between neighbours";
constexpr std::string_view kBicubic = "out[p, q] = sum_{i, j} w(i, p) w(j, q) self[i, j], w cubic over four neighbours, a = -3 / 4";
constexpr std::string_view kGrid = "out[n, c, p] = sum_i w(i, grid[n, p]) input[n, c, i]";
constexpr std::string_view kGridGradient = "input: grad w(i, grid), added over the points p\ngrid: sum_{c, i} grad input[n, c, i] dw / dgrid";
constexpr std::string_view kAttention =
    "query: (dS key) / sqrt(d), dS = P (dP - sum_j P dP), P = softmax(query key^T / sqrt(d) + mask), dP = grad value^T\n"
    "key: (dS^T query) / sqrt(d)\n"
    "value: P^T grad\n"
    "attn_mask: dS";
constexpr std::string_view kLstm = "i, f, o = sigmoid(W x + U h + b), g = tanh(W x + U h + b); c' = f c + i g; h' = o tanh(c')";
constexpr std::string_view kGru = "r, z = sigmoid(W x + U h + b), n = tanh(W x + r (U h + b)); h' = (1 - z) n + z h";
constexpr std::string_view kTanhCell = "h' = tanh(W x + U h + b)";
constexpr std::string_view kReluCell = "h' = max(W x + U h + b, 0)";
// dz: the gradient of a step's pre-activations.
constexpr std::string_view kThroughTime =
    "input: sum_gates dz W, step by step backwards; dz is the gradient before the gates' functions\n"
    "data: sum_gates dz W, step by step backwards; dz is the gradient before the gates' functions\n"
    "hx: dz U at the first step\n"
    "params: W: sum_t dz[t]^T x[t]; U: sum_t dz[t]^T h[t - 1]; b: sum_t dz[t]";

constexpr OperatorNote kNotes[] = {
    {"aten::convolution", "", kConvolution},
    {"aten::_convolution", "", kConvolution},
    {"aten::_convolution_mode", "", kConvolution},
    {"aten::conv1d", "", kConvolution},
    {"aten::conv2d", "", kConvolution},
    {"aten::conv3d", "", kConvolution},
    {"aten::conv_transpose1d", "", kTransposed},
    {"aten::conv_transpose2d", "", kTransposed},
    {"aten::conv_transpose3d", "", kTransposed},
    {"aten::conv_tbc", "out[t, n, o] = bias[o] + sum_{c, k} self[t + k - pad, n, c] weight[k, c, o]", ""},
    {"aten::convolution_backward", "out0 = conv_transpose(grad_output, weight), out1 = conv(input, grad_output), out2 = sum_{n, p} grad_output",
     "grad_output: conv(grad0, weight) + conv(input, grad1) + grad2\ninput: conv_transpose(grad_output, grad1)\nweight: conv(grad0, grad_output)"},

    {"aten::max_pool1d", "", kToGreatest},
    {"aten::max_pool2d", "", kToGreatest},
    {"aten::max_pool3d", "", kToGreatest},
    {"aten::max_pool1d_with_indices", "", kToGreatest},
    {"aten::max_pool2d_with_indices", "", kToGreatest},
    {"aten::max_pool3d_with_indices", "", kToGreatest},
    {"aten::max_pool2d_with_indices_backward", "out[indices[c, p]] += grad_output[c, p]", "grad_output: grad at the indices"},
    {"aten::max_pool3d_with_indices_backward", "out[indices[c, p]] += grad_output[c, p]", "grad_output: grad at the indices"},
    {"aten::adaptive_max_pool1d", kMaxWindow, kToGreatest},
    {"aten::adaptive_max_pool2d", kMaxWindow, kToGreatest},
    {"aten::adaptive_max_pool3d", kMaxWindow, kToGreatest},
    {"aten::adaptive_max_pool2d_backward", "out[indices[c, p]] += grad_output[c, p]", "grad_output: grad at the indices"},
    {"aten::adaptive_max_pool3d_backward", "out[indices[c, p]] += grad_output[c, p]", "grad_output: grad at the indices"},
    {"aten::fractional_max_pool2d", "out[c, p] = max_k self[c, start(p) + k], starts drawn at random", kToGreatest},
    {"aten::fractional_max_pool3d", "out[c, p] = max_k self[c, start(p) + k], starts drawn at random", kToGreatest},
    {"aten::fractional_max_pool2d_backward", "out[indices[c, p]] += grad_output[c, p]", "grad_output: grad at the indices"},
    {"aten::fractional_max_pool3d_backward", "out[indices[c, p]] += grad_output[c, p]", "grad_output: grad at the indices"},
    {"aten::max_unpool2d", "", "self: grad at the indices"},
    {"aten::max_unpool3d", "", "self: grad at the indices"},
    {"aten::avg_pool1d", "", kSharedOut},
    {"aten::avg_pool2d", "", kSharedOut},
    {"aten::avg_pool3d", "", kSharedOut},
    {"aten::adaptive_avg_pool1d", kMeanWindow, kSharedOut},
    {"aten::adaptive_avg_pool2d", kMeanWindow, kSharedOut},
    {"aten::adaptive_avg_pool3d", kMeanWindow, kSharedOut},
    {"aten::_adaptive_avg_pool2d", kMeanWindow, kSharedOut},
    {"aten::_adaptive_avg_pool3d", kMeanWindow, kSharedOut},
    {"aten::avg_pool2d_backward", "out[c, i] = sum_p grad_output[c, p] / (size of the window)", "grad_output: mean of grad in each window"},
    {"aten::avg_pool3d_backward", "out[c, i] = sum_p grad_output[c, p] / (size of the window)", "grad_output: mean of grad in each window"},
    {"aten::_adaptive_avg_pool2d_backward", "out[c, i] = sum_p grad_output[c, p] / (size of the window)",
     "grad_output: mean of grad in each window"},
    {"aten::_adaptive_avg_pool3d_backward", "out[c, i] = sum_p grad_output[c, p] / (size of the window)",
     "grad_output: mean of grad in each window"},

    {"aten::_softmax", "", "self: out (grad - sum_j grad[j] out[j])"},
    {"aten::softmax", "", "self: out (grad - sum_j grad[j] out[j])"},
    {"aten::_log_softmax", "", "self: grad - exp(out) sum_j grad[j]"},
    {"aten::log_softmax", "", "self: grad - exp(out) sum_j grad[j]"},
    {"aten::_softmax_backward_data", "",
     "grad_output: output (grad - sum_j grad[j] output[j])\n"
     "output: grad (grad_output - sum_j grad_output[j] output[j]) - grad_output sum_j grad[j] output[j]"},
    {"aten::_log_softmax_backward_data", "",
     "grad_output: grad - sum_j grad[j] exp(output[j])\noutput: -grad exp(output) sum_j grad_output[j]"},

    {"aten::native_batch_norm", "", kBatchNormalised},
    {"aten::batch_norm", "", kBatchNormalised},
    {"aten::instance_norm", "", kBatchNormalised},
    {"aten::native_layer_norm", "", kNormalised},
    {"aten::layer_norm", "", kNormalised},
    {"aten::rms_norm", "", "input: (g - y mean(g y)) / rms, g = grad weight, y = input / rms\nweight: sum grad y"},
    {"aten::native_group_norm", "", kNormalised},
    {"aten::group_norm", "", kNormalised},
    {"aten::native_batch_norm_backward", "out0 = (g - mean(g) - y mean(g y)) / std, g = grad_out weight; out1 = sum_n grad_out y; out2 = sum_n grad_out",
     "grad_out: weight times the same map of grad0, plus y grad1 + grad2\ninput: derivative of the three sums above\nweight: sum of grad_out times the same map of grad0"},
    {"aten::native_layer_norm_backward", "out0 = (g - mean(g) - y mean(g y)) / std, g = grad_out weight; out1 = sum grad_out y; out2 = sum grad_out",
     "grad_out: weight times the same map of grad0, plus y grad1 + grad2\ninput: derivative of the three sums above\nweight: sum of grad_out times the same map of grad0"},
    {"aten::native_group_norm_backward", "out0 = (g - mean(g) - y mean(g y)) / std, g = grad_out weight; out1 = sum grad_out y; out2 = sum grad_out",
     "grad_out: weight times the same map of grad0, plus y grad1 + grad2\ninput: derivative of the three sums above\nweight: sum of grad_out times the same map of grad0"},

    {"aten::scaled_dot_product_attention", "", kAttention},
    {"aten::_scaled_dot_product_attention", "", kAttention},
    {"aten::_scaled_dot_product_attention_math", "", kAttention},
    {"loupe::attention", "",
     "query: s k; s = scale w (g v^T - sum(w g v^T)), 0 where hidden, w the weights\nkey: s^T q\nvalue: w^T g"},
    {"loupe::attention_backward", "s k, s^T q, w^T g; s = scale w (g v^T - sum(w g v^T)), 0 where hidden",
     "grad_output: derivative of the three products above\nquery: as grad_output\nkey: as grad_output\nvalue: as grad_output\nweights: as grad_output"},
    {"aten::_native_multi_head_attention", "",
     "query: through the projections and the attention, as by linear and _scaled_dot_product_attention\nkey: as query\nvalue: as query"},
    {"aten::_transformer_encoder_layer_fwd",
     "x = norm1(src + attention(src)); out = norm2(x + W_2 relu(W_1 x + b_1) + b_2); norm first: before, not behind",
     "src: through both residuals, the attention and the feed-forward network"},

    {"loupe::rnn_layer", "",
     "input: sum_gates dz W, step by step backwards; dz is the gradient before the gates' functions\n"
     "hx: dz U at the first step\ncx: dc f at the first step\nw_ih: sum_t dz[t]^T x[t]\nw_hh: sum_t dz[t]^T h[t - 1]\nb_ih: sum_t dz[t]\nb_hh: sum_t dz[t]"},
    {"loupe::rnn_layer_backward", "grad_input = dz W, grad_w_ih = sum_t dz[t]^T x[t], grad_w_hh = sum_t dz[t]^T h[t - 1], grad_b = sum_t dz[t]",
     "grad_output: the layer run again on the gradients, linearised\ninput: derivative of the sums above\nhx: as input\nw_ih: as input\nw_hh: as input"},
    {"aten::lstm", kLstm, kThroughTime},
    {"aten::gru", kGru, kThroughTime},
    {"aten::rnn_tanh", kTanhCell, kThroughTime},
    {"aten::rnn_relu", kReluCell, kThroughTime},
    {"aten::lstm_cell", "", "input: dz W\nhx: dz U, dc' f\nw_ih: dz^T input\nw_hh: dz^T h\nb_ih: sum_n dz\nb_hh: sum_n dz"},
    {"aten::gru_cell", "", "input: dz W\nhx: dz U + z grad\nw_ih: dz^T input\nw_hh: dz^T h\nb_ih: sum_n dz\nb_hh: sum_n dz"},
    {"aten::rnn_tanh_cell", "", "input: dz W, dz = grad (1 - out^2)\nhx: dz U\nw_ih: dz^T input\nw_hh: dz^T hx\nb_ih: sum_n dz\nb_hh: sum_n dz"},
    {"aten::rnn_relu_cell", "", "input: dz W, dz = grad where out > 0\nhx: dz U\nw_ih: dz^T input\nw_hh: dz^T hx\nb_ih: sum_n dz\nb_hh: sum_n dz"},
    {"aten::_pack_padded_sequence", "data[sum of batch_sizes before t + n] = input[t, n]", "input: grad, back in its places; 0 in the padding"},
    {"aten::_pad_packed_sequence", "out[t, n] = data[sum of batch_sizes before t + n], padding_value elsewhere", "data: grad of what is no padding"},

    {"aten::_pack_padded_sequence_backward", "out[t, n] = grad[sum of batch_sizes before t + n], 0 in the padding", "grad: grad of what is no padding"},
    {"aten::upsample_nearest1d", kNearest, kWeighted},
    {"aten::upsample_nearest2d", kNearest, kWeighted},
    {"aten::upsample_nearest3d", kNearest, kWeighted},
    {"aten::_upsample_nearest_exact1d", kExact, kWeighted},
    {"aten::_upsample_nearest_exact2d", kExact, kWeighted},
    {"aten::_upsample_nearest_exact3d", kExact, kWeighted},
    {"aten::upsample_linear1d", kLinear, kWeighted},
    {"aten::upsample_bilinear2d", kBilinear, kWeighted},
    {"aten::upsample_trilinear3d", kTrilinear, kWeighted},
    {"aten::upsample_bicubic2d", kBicubic, kWeighted},
    {"aten::_upsample_bilinear2d_aa", kBilinear, kWeighted},
    {"aten::_upsample_bicubic2d_aa", kBicubic, kWeighted},
    {"aten::upsample_nearest1d_backward", "", kBackwardWeighted},
    {"aten::upsample_nearest2d_backward", "", kBackwardWeighted},
    {"aten::upsample_nearest3d_backward", "", kBackwardWeighted},
    {"aten::_upsample_nearest_exact1d_backward", "", kBackwardWeighted},
    {"aten::_upsample_nearest_exact2d_backward", "", kBackwardWeighted},
    {"aten::_upsample_nearest_exact3d_backward", "", kBackwardWeighted},
    {"aten::upsample_linear1d_backward", "", kBackwardWeighted},
    {"aten::upsample_bilinear2d_backward", "", kBackwardWeighted},
    {"aten::upsample_trilinear3d_backward", "", kBackwardWeighted},
    {"aten::upsample_bicubic2d_backward", "", kBackwardWeighted},
    {"aten::_upsample_bilinear2d_aa_backward", "", kBackwardWeighted},
    {"aten::_upsample_bicubic2d_aa_backward", "", kBackwardWeighted},
    {"aten::grid_sampler", kGrid, kGridGradient},
    {"aten::grid_sampler_2d", kGrid, kGridGradient},
    {"aten::grid_sampler_3d", kGrid, kGridGradient},
    {"aten::_grid_sampler_2d_cpu_fallback", kGrid, kGridGradient},
    {"aten::affine_grid_generator", "", "theta: sum_p grad[n, p] (x, y, 1)^T"},
    {"aten::im2col", "out[n, c k, p] = self[n, c, stride p + dilation k - padding]", "self: grad, each added where it came from (col2im)"},
    {"aten::col2im", "out[n, c, stride p + dilation k - padding] += self[n, c k, p]", "self: grad in sliding blocks (im2col)"},

    {"aten::dropout", "out = self m / (1 - p), m = 1 with chance 1 - p, else 0; self in evaluation", "input: grad m / (1 - p)"},
    {"aten::dropout_", "out = self m / (1 - p), m = 1 with chance 1 - p, else 0; self in evaluation", "self: grad m / (1 - p)"},
    {"aten::feature_dropout", "out[n, c] = input[n, c] m[n, c] / (1 - p), m = 1 with chance 1 - p, else 0", "input: grad m / (1 - p)"},
    {"aten::native_dropout", "out = input m / (1 - p), m = 1 with chance 1 - p, else 0", "input: grad m / (1 - p)"},
    {"aten::alpha_dropout", "out = a (m input + (1 - m) alpha') + b, mean 0 and variance 1 kept, alpha' = -1.7581", "input: grad a m"},
};

}  // namespace

std::span<const OperatorNote> nn_notes() { return kNotes; }

}  // namespace loupe::notes
