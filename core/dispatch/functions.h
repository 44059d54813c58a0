// SPDX-License-Identifier: Apache-2.0
#pragma once
// One handle an operator that is called from C++. A handle has the operator's name; overloads add theirs.

#include "core/dispatch/call.h"

namespace loupe::fn {

using TwoTensors = std::tuple<Tensor, Tensor>;
using ThreeTensors = std::tuple<Tensor, Tensor, Tensor>;

// pointwise
inline const OperatorHandle<> add("aten::add.Tensor");
inline const OperatorHandle<> add_scalar("aten::add.Scalar");
inline const OperatorHandle<> add_("aten::add_.Tensor");
inline const OperatorHandle<> sub("aten::sub.Tensor");
inline const OperatorHandle<> sub_scalar("aten::sub.Scalar");
inline const OperatorHandle<> rsub_scalar("aten::rsub.Scalar");
inline const OperatorHandle<> mul("aten::mul.Tensor");
inline const OperatorHandle<> mul_("aten::mul_.Tensor");
inline const OperatorHandle<> mul_scalar("aten::mul.Scalar");
inline const OperatorHandle<> div("aten::div.Tensor");
inline const OperatorHandle<> div_("aten::div_.Tensor");
inline const OperatorHandle<> div_scalar("aten::div.Scalar");
inline const OperatorHandle<> div_scalar_("aten::div_.Scalar");
inline const OperatorHandle<> div_mode("aten::div.Tensor_mode");
inline const OperatorHandle<> remainder("aten::remainder.Tensor");
inline const OperatorHandle<> pow("aten::pow.Tensor_Tensor");
inline const OperatorHandle<> pow_scalar("aten::pow.Tensor_Scalar");
inline const OperatorHandle<> pow_of_scalar("aten::pow.Scalar");
inline const OperatorHandle<> neg("aten::neg");
inline const OperatorHandle<> abs("aten::abs");
inline const OperatorHandle<> sgn("aten::sgn");
inline const OperatorHandle<> sign("aten::sign");
inline const OperatorHandle<> round("aten::round");
inline const OperatorHandle<> square("aten::square");
inline const OperatorHandle<> sqrt("aten::sqrt");
inline const OperatorHandle<> rsqrt("aten::rsqrt");
inline const OperatorHandle<> reciprocal("aten::reciprocal");
inline const OperatorHandle<> exp("aten::exp");
inline const OperatorHandle<> exp2("aten::exp2");
inline const OperatorHandle<> expm1("aten::expm1");
inline const OperatorHandle<> log("aten::log");
inline const OperatorHandle<> log1p("aten::log1p");
inline const OperatorHandle<> sin("aten::sin");
inline const OperatorHandle<> cos("aten::cos");
inline const OperatorHandle<> tan("aten::tan");
inline const OperatorHandle<> sinh("aten::sinh");
inline const OperatorHandle<> cosh("aten::cosh");
inline const OperatorHandle<> asin("aten::asin");
inline const OperatorHandle<> acos("aten::acos");
inline const OperatorHandle<> atan("aten::atan");
inline const OperatorHandle<> asinh("aten::asinh");
inline const OperatorHandle<> acosh("aten::acosh");
inline const OperatorHandle<> atanh("aten::atanh");
inline const OperatorHandle<> tanh("aten::tanh");
inline const OperatorHandle<> sigmoid("aten::sigmoid");
inline const OperatorHandle<> erf("aten::erf");
inline const OperatorHandle<> lgamma("aten::lgamma");
inline const OperatorHandle<> digamma("aten::digamma");
inline const OperatorHandle<> polygamma("aten::polygamma");
inline const OperatorHandle<> relu("aten::relu");
inline const OperatorHandle<> leaky_relu("aten::leaky_relu");
inline const OperatorHandle<> silu("aten::silu");
inline const OperatorHandle<> gelu("aten::gelu");
inline const OperatorHandle<> softplus("aten::softplus");
inline const OperatorHandle<> threshold_backward("aten::threshold_backward");
inline const OperatorHandle<> hardtanh("aten::hardtanh");
inline const OperatorHandle<> hardtanh_backward("aten::hardtanh_backward");
inline const OperatorHandle<> hardtanh_("aten::hardtanh_");
inline const OperatorHandle<> leaky_relu_backward("aten::leaky_relu_backward");
inline const OperatorHandle<> elu("aten::elu");
inline const OperatorHandle<> elu_("aten::elu_");
inline const OperatorHandle<> elu_backward("aten::elu_backward");
inline const OperatorHandle<> gelu_backward("aten::gelu_backward");
inline const OperatorHandle<> silu_backward("aten::silu_backward");
inline const OperatorHandle<> mish_backward("aten::mish_backward");
inline const OperatorHandle<> hardsigmoid_backward("aten::hardsigmoid_backward");
inline const OperatorHandle<> hardswish_backward("aten::hardswish_backward");
inline const OperatorHandle<> softplus_backward("aten::softplus_backward");
inline const OperatorHandle<> softshrink_backward("aten::softshrink_backward");
inline const OperatorHandle<> hardshrink_backward("aten::hardshrink_backward");
inline const OperatorHandle<> log_sigmoid_backward("aten::log_sigmoid_backward");
inline const OperatorHandle<> sigmoid_backward("aten::sigmoid_backward");
inline const OperatorHandle<> tanh_backward("aten::tanh_backward");
inline const OperatorHandle<> maximum("aten::maximum");
inline const OperatorHandle<> minimum("aten::minimum");
inline const OperatorHandle<> clamp("aten::clamp");
inline const OperatorHandle<> clamp_tensor("aten::clamp.Tensor");
inline const OperatorHandle<> where("aten::where.self");
inline const OperatorHandle<> where_scalar("aten::where.Scalar");
inline const OperatorHandle<> where_scalar_other("aten::where.ScalarOther");
inline const OperatorHandle<> where_scalar_self("aten::where.ScalarSelf");
inline const OperatorHandle<> masked_fill("aten::masked_fill.Scalar");
inline const OperatorHandle<> masked_fill_("aten::masked_fill_.Scalar");
inline const OperatorHandle<> masked_fill_tensor("aten::masked_fill.Tensor");
inline const OperatorHandle<> lerp("aten::lerp.Tensor");
inline const OperatorHandle<> addcmul("aten::addcmul");
inline const OperatorHandle<> addcdiv("aten::addcdiv");
inline const OperatorHandle<> eq("aten::eq.Tensor");
inline const OperatorHandle<> eq_scalar("aten::eq.Scalar");
inline const OperatorHandle<> ne("aten::ne.Tensor");
inline const OperatorHandle<> ne_scalar("aten::ne.Scalar");
inline const OperatorHandle<> lt("aten::lt.Tensor");
inline const OperatorHandle<> lt_scalar("aten::lt.Scalar");
inline const OperatorHandle<> le("aten::le.Tensor");
inline const OperatorHandle<> le_scalar("aten::le.Scalar");
inline const OperatorHandle<> gt("aten::gt.Tensor");
inline const OperatorHandle<> gt_scalar("aten::gt.Scalar");
inline const OperatorHandle<> ge("aten::ge.Tensor");
inline const OperatorHandle<> ge_scalar("aten::ge.Scalar");
inline const OperatorHandle<> isnan("aten::isnan");
inline const OperatorHandle<> isinf("aten::isinf");
inline const OperatorHandle<> isfinite("aten::isfinite");
inline const OperatorHandle<> logical_not("aten::logical_not");
inline const OperatorHandle<> logical_and("aten::logical_and");
inline const OperatorHandle<> logical_or("aten::logical_or");
inline const OperatorHandle<> logical_xor("aten::logical_xor");
inline const OperatorHandle<> bitwise_not("aten::bitwise_not");
inline const OperatorHandle<> conj_physical("aten::conj_physical");
inline const OperatorHandle<> real("aten::real");
inline const OperatorHandle<> imag("aten::imag");
inline const OperatorHandle<> view_as_real("aten::view_as_real");
inline const OperatorHandle<> view_as_complex("aten::view_as_complex");
inline const OperatorHandle<> select("aten::select.int");
inline const OperatorHandle<> complex("aten::complex");
inline const OperatorHandle<> polar("aten::polar");
inline const OperatorHandle<> angle("aten::angle");
inline const OperatorHandle<> clone("aten::clone");
inline const OperatorHandle<> contiguous("aten::contiguous");
inline const OperatorHandle<> copy_("aten::copy_");
inline const OperatorHandle<> fill_("aten::fill_.Scalar");
inline const OperatorHandle<> zero_("aten::zero_");
inline const OperatorHandle<> to_copy("aten::_to_copy");
inline const OperatorHandle<> to_dtype("aten::to.dtype");
inline const OperatorHandle<> atan2("aten::atan2");
inline const OperatorHandle<> xlogy("aten::xlogy.Tensor");
inline const OperatorHandle<> detach("aten::detach");

// reduction
inline const OperatorHandle<> sum("aten::sum");
inline const OperatorHandle<> sum_dim("aten::sum.dim_IntList");
inline const OperatorHandle<> nansum("aten::nansum");
inline const OperatorHandle<> mean("aten::mean");
inline const OperatorHandle<> mean_dim("aten::mean.dim");
inline const OperatorHandle<> prod("aten::prod");
inline const OperatorHandle<> prod_dim("aten::prod.dim_int");
inline const OperatorHandle<> amax("aten::amax");
inline const OperatorHandle<> amin("aten::amin");
inline const OperatorHandle<> argmax("aten::argmax");
inline const OperatorHandle<> argmin("aten::argmin");
inline const OperatorHandle<> any("aten::any");
inline const OperatorHandle<> all("aten::all");
inline const OperatorHandle<> var("aten::var.correction");
inline const OperatorHandle<> std("aten::std.correction");
inline const OperatorHandle<> logsumexp("aten::logsumexp");
inline const OperatorHandle<> vector_norm("aten::linalg_vector_norm");
inline const OperatorHandle<> cumsum("aten::cumsum");
inline const OperatorHandle<> cumprod("aten::cumprod");
inline const OperatorHandle<TwoTensors> max_dim("aten::max.dim");
inline const OperatorHandle<TwoTensors> topk("aten::topk");
inline const OperatorHandle<TwoTensors> min_dim("aten::min.dim");
inline const OperatorHandle<TwoTensors> var_mean("aten::var_mean.correction");

// creation
inline const OperatorHandle<> arange("aten::arange");
inline const OperatorHandle<> full("aten::full");
inline const OperatorHandle<> full_like("aten::full_like");
inline const OperatorHandle<> ones("aten::ones");
inline const OperatorHandle<> ones_like("aten::ones_like");
inline const OperatorHandle<> zeros("aten::zeros");
inline const OperatorHandle<> zeros_like("aten::zeros_like");
inline const OperatorHandle<> new_zeros("aten::new_zeros");
inline const OperatorHandle<> empty_like("aten::empty_like");
inline const OperatorHandle<> tril("aten::tril");
inline const OperatorHandle<> triu("aten::triu");

// random
inline const OperatorHandle<> bernoulli_("aten::bernoulli_.float");
inline const OperatorHandle<> random_from_("aten::random_.from");
inline const OperatorHandle<> normal_("aten::normal_");
inline const OperatorHandle<> exponential_("aten::exponential_");
inline const OperatorHandle<> bernoulli_tensor_("aten::bernoulli_.Tensor");
inline const OperatorHandle<> uniform_("aten::uniform_");
inline const OperatorHandle<> rand_like("aten::rand_like");
inline const OperatorHandle<> randn_like("aten::randn_like");

// view
inline const OperatorHandle<> diagonal("aten::diagonal");
inline const OperatorHandle<> expand("aten::expand");
inline const OperatorHandle<> movedim("aten::movedim.int");
inline const OperatorHandle<> flip("aten::flip");
inline const OperatorHandle<> narrow("aten::narrow");
inline const OperatorHandle<> permute("aten::permute");
inline const OperatorHandle<> reshape("aten::reshape");
inline const OperatorHandle<> squeeze("aten::squeeze.dim");
inline const OperatorHandle<> t("aten::t");
inline const OperatorHandle<> transpose("aten::transpose.int");
inline const OperatorHandle<> unsqueeze("aten::unsqueeze");
inline const OperatorHandle<> view("aten::view");
inline const OperatorHandle<> alias("aten::alias");
inline const OperatorHandle<> as_strided("aten::as_strided");
inline const OperatorHandle<> as_strided_scatter("aten::as_strided_scatter");
inline const OperatorHandle<> diag_embed("aten::diag_embed");
inline const OperatorHandle<> diagonal_backward("aten::diagonal_backward");
inline const OperatorHandle<> diagonal_scatter("aten::diagonal_scatter");
inline const OperatorHandle<> reshape_alias("aten::_reshape_alias");
inline const OperatorHandle<> unsafe_view("aten::_unsafe_view");
inline const OperatorHandle<> select_backward("aten::select_backward");
inline const OperatorHandle<> select_scatter("aten::select_scatter");
inline const OperatorHandle<> slice("aten::slice.Tensor");
inline const OperatorHandle<> slice_backward("aten::slice_backward");
inline const OperatorHandle<> slice_scatter("aten::slice_scatter");
inline const OperatorHandle<> unfold("aten::unfold");
inline const OperatorHandle<> unfold_backward("aten::unfold_backward");
inline const OperatorHandle<TensorList> split("aten::split.Tensor");
inline const OperatorHandle<TensorList> split_with_sizes("aten::split_with_sizes");
inline const OperatorHandle<TensorList> unbind("aten::unbind.int");
inline const OperatorHandle<TensorList> unsafe_split("aten::unsafe_split.Tensor");
inline const OperatorHandle<TensorList> unsafe_split_with_sizes("aten::unsafe_split_with_sizes");

// indexing
inline const OperatorHandle<> embedding_dense_backward("aten::embedding_dense_backward");
inline const OperatorHandle<> index("aten::index.Tensor");
inline const OperatorHandle<> index_add("aten::index_add");
inline const OperatorHandle<> index_copy("aten::index_copy");
inline const OperatorHandle<> index_fill("aten::index_fill.int_Scalar");
inline const OperatorHandle<> index_put("aten::index_put");
inline const OperatorHandle<> masked_scatter("aten::masked_scatter");
inline const OperatorHandle<> masked_select("aten::masked_select");
inline const OperatorHandle<> nonzero("aten::nonzero");
inline const OperatorHandle<> put("aten::put");
inline const OperatorHandle<> scatter("aten::scatter.src");
inline const OperatorHandle<> scatter_add("aten::scatter_add");
inline const OperatorHandle<> scatter_value("aten::scatter.value");
inline const OperatorHandle<> take("aten::take");

// joining
inline const OperatorHandle<> roll("aten::roll");
inline const OperatorHandle<> repeat_interleave("aten::repeat_interleave.self_Tensor");
inline const OperatorHandle<> reflection_pad1d_backward("aten::reflection_pad1d_backward");
inline const OperatorHandle<> reflection_pad2d_backward("aten::reflection_pad2d_backward");
inline const OperatorHandle<> reflection_pad3d_backward("aten::reflection_pad3d_backward");
inline const OperatorHandle<> replication_pad1d_backward("aten::replication_pad1d_backward");
inline const OperatorHandle<> replication_pad2d_backward("aten::replication_pad2d_backward");
inline const OperatorHandle<> replication_pad3d_backward("aten::replication_pad3d_backward");
inline const OperatorHandle<> cat("aten::cat");

// matrix
inline const OperatorHandle<> addmm("aten::addmm");
inline const OperatorHandle<> baddbmm("aten::baddbmm");
inline const OperatorHandle<> bmm("aten::bmm");
inline const OperatorHandle<> dot("aten::dot");
inline const OperatorHandle<> linear("aten::linear");
inline const OperatorHandle<> matmul("aten::matmul");
inline const OperatorHandle<> mm("aten::mm");
inline const OperatorHandle<> mv("aten::mv");
inline const OperatorHandle<> outer("aten::outer");
inline const OperatorHandle<> tensordot("aten::tensordot");

// nn
inline const OperatorHandle<> _adaptive_avg_pool2d("aten::_adaptive_avg_pool2d");
inline const OperatorHandle<> _adaptive_avg_pool2d_backward("aten::_adaptive_avg_pool2d_backward");
inline const OperatorHandle<> _adaptive_avg_pool3d("aten::_adaptive_avg_pool3d");
inline const OperatorHandle<> _adaptive_avg_pool3d_backward("aten::_adaptive_avg_pool3d_backward");
inline const OperatorHandle<> _log_softmax("aten::_log_softmax");
inline const OperatorHandle<> _log_softmax_backward_data("aten::_log_softmax_backward_data");
inline const OperatorHandle<> _softmax("aten::_softmax");
inline const OperatorHandle<> _softmax_backward_data("aten::_softmax_backward_data");
inline const OperatorHandle<> adaptive_avg_pool2d("aten::adaptive_avg_pool2d");
inline const OperatorHandle<TwoTensors> adaptive_max_pool2d("aten::adaptive_max_pool2d");
inline const OperatorHandle<> adaptive_max_pool2d_backward("aten::adaptive_max_pool2d_backward");
inline const OperatorHandle<> adaptive_max_pool3d_backward("aten::adaptive_max_pool3d_backward");
inline const OperatorHandle<> avg_pool2d("aten::avg_pool2d");
inline const OperatorHandle<> avg_pool2d_backward("aten::avg_pool2d_backward");
inline const OperatorHandle<> avg_pool3d("aten::avg_pool3d");
inline const OperatorHandle<> avg_pool3d_backward("aten::avg_pool3d_backward");
inline const OperatorHandle<> convolution("aten::convolution");
inline const OperatorHandle<ThreeTensors> convolution_backward("aten::convolution_backward");
inline const OperatorHandle<> layer_norm("aten::layer_norm");
inline const OperatorHandle<> log_softmax("aten::log_softmax.int");
inline const OperatorHandle<TwoTensors> max_pool2d_with_indices("aten::max_pool2d_with_indices");
inline const OperatorHandle<> max_pool2d_with_indices_backward("aten::max_pool2d_with_indices_backward");
inline const OperatorHandle<TwoTensors> max_pool3d_with_indices("aten::max_pool3d_with_indices");
inline const OperatorHandle<> max_pool3d_with_indices_backward("aten::max_pool3d_with_indices_backward");
inline const OperatorHandle<ThreeTensors> native_batch_norm("aten::native_batch_norm");
inline const OperatorHandle<ThreeTensors> native_batch_norm_backward("aten::native_batch_norm_backward");
inline const OperatorHandle<ThreeTensors> native_group_norm("aten::native_group_norm");
inline const OperatorHandle<ThreeTensors> native_group_norm_backward("aten::native_group_norm_backward");
inline const OperatorHandle<ThreeTensors> native_layer_norm("aten::native_layer_norm");
inline const OperatorHandle<ThreeTensors> native_layer_norm_backward("aten::native_layer_norm_backward");
inline const OperatorHandle<> mse_loss_backward("aten::mse_loss_backward");
inline const OperatorHandle<> smooth_l1_loss_backward("aten::smooth_l1_loss_backward");
inline const OperatorHandle<> huber_loss_backward("aten::huber_loss_backward");
inline const OperatorHandle<> soft_margin_loss_backward("aten::soft_margin_loss_backward");
inline const OperatorHandle<> binary_cross_entropy_backward("aten::binary_cross_entropy_backward");
inline const OperatorHandle<> nll_loss("aten::nll_loss");
inline const OperatorHandle<> nll_loss2d("aten::nll_loss2d");
inline const OperatorHandle<> nll_loss2d_backward("aten::nll_loss2d_backward");
inline const OperatorHandle<TwoTensors> nll_loss2d_forward("aten::nll_loss2d_forward");
inline const OperatorHandle<> nll_loss_backward("aten::nll_loss_backward");
inline const OperatorHandle<TwoTensors> nll_loss_forward("aten::nll_loss_forward");
inline const OperatorHandle<> nll_loss_nd("aten::nll_loss_nd");
inline const OperatorHandle<> softmax("aten::softmax.int");
inline const OperatorHandle<TensorList> chunk("aten::chunk");
inline const OperatorHandle<> dropout("aten::dropout");
inline const OperatorHandle<> stack("aten::stack");
inline const OperatorHandle<> constant_pad_nd("aten::constant_pad_nd");
inline const OperatorHandle<> flatten("aten::flatten.using_ints");
inline const OperatorHandle<> gather("aten::gather");
inline const OperatorHandle<> index_select("aten::index_select");
inline const OperatorHandle<> repeat("aten::repeat");

// rnn
inline const OperatorHandle<TwoTensors> _pack_padded_sequence("aten::_pack_padded_sequence");
inline const OperatorHandle<> _pack_padded_sequence_backward("aten::_pack_padded_sequence_backward");
inline const OperatorHandle<std::tuple<Tensor, Tensor, Tensor, Tensor>> rnn_layer("loupe::rnn_layer");
inline const OperatorHandle<std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor>> rnn_layer_backward(
    "loupe::rnn_layer_backward");

// numbers
inline const OperatorHandle<bool> is_nonzero("aten::is_nonzero");

}  // namespace loupe::fn
