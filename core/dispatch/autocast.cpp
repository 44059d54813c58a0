// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/autocast.h"

#include <algorithm>
#include <unordered_map>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"

namespace loupe {

constinit thread_local bool detail::autocast_on = false;

namespace {

struct State {
    AutocastSettings settings;
    int depth = 0;
    // The cast of a leaf, by its object, which is kept so that another does not get its address.
    std::unordered_map<const TensorImpl*, std::pair<Tensor, Tensor>> cache;
};
State& state() {
    thread_local State one;
    return one;
}

// Names without overload; PyTorch's lists (those that the operators here have).
constexpr std::string_view kCpuLower[] = {"conv1d", "conv2d", "conv3d", "bmm", "mm", "baddbmm", "addmm", "addbmm", "linear",
                                          "_convolution", "matmul", "conv_tbc"};
constexpr std::string_view kCpuWidest[] = {"stack", "cat", "index_copy"};
constexpr std::string_view kCpuFloat32[] = {
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "avg_pool3d", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "grid_sampler", "grid_sampler_2d", "_grid_sampler_2d_cpu_fallback", "grid_sampler_3d", "polar", "prod", "quantile", "nanquantile",
    "stft", "cdist", "trace", "view_as_complex", "cholesky", "cholesky_inverse", "cholesky_solve", "inverse", "lu_solve", "orgqr", "ormqr",
    "pinverse", "max_pool3d", "max_unpool2d", "max_unpool3d", "adaptive_avg_pool3d", "reflection_pad1d", "reflection_pad2d",
    "replication_pad1d", "replication_pad2d", "replication_pad3d", "mse_loss", "ctc_loss", "kl_div", "multilabel_margin_loss",
    "fft_fft", "fft_ifft", "fft_fft2", "fft_ifft2", "fft_fftn", "fft_ifftn", "fft_rfft", "fft_irfft", "fft_rfft2", "fft_irfft2",
    "fft_rfftn", "fft_irfftn", "fft_hfft", "fft_ihfft", "linalg_matrix_norm", "linalg_cond", "linalg_matrix_rank", "linalg_solve",
    "linalg_cholesky", "linalg_svdvals", "linalg_eigvals", "linalg_eigvalsh", "linalg_inv", "linalg_householder_product",
    "linalg_tensorinv", "linalg_tensorsolve", "fake_quantize_per_tensor_affine", "geqrf", "symeig", "_lu_with_info", "svd", "qr",
    "triangular_solve", "fractional_max_pool2d", "fractional_max_pool3d", "adaptive_max_pool3d", "multilabel_margin_loss_forward",
    "linalg_qr", "linalg_cholesky_ex", "linalg_svd", "linalg_eig", "linalg_eigh", "linalg_lstsq", "linalg_inv_ex", "cosine_embedding_loss",
    "cross_entropy_loss", "hinge_embedding_loss", "huber_loss", "l1_loss", "margin_ranking_loss", "multi_margin_loss", "nll_loss",
    "nll_loss2d", "nll_loss_nd", "poisson_nll_loss", "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss"};

constexpr std::string_view kCudaLower[] = {
    "_convolution", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution",
    "prelu", "addmm", "addmv", "addr", "matmul", "einsum", "mm", "mv", "linear", "addbmm", "baddbmm", "bmm", "chain_matmul",
    "linalg_multi_dot", "_thnn_fused_lstm_cell", "_thnn_fused_gru_cell", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell"};
constexpr std::string_view kCudaWidest[] = {"addcdiv", "addcmul", "atan2", "bilinear", "cross", "dot", "grid_sampler", "index_put",
                                            "tensordot", "scatter_add"};
constexpr std::string_view kCudaFloat32[] = {
    "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt", "sinh", "tan", "pow",
    "softplus", "layer_norm", "native_layer_norm", "group_norm", "frobenius_norm", "nuclear_norm", "norm", "cosine_similarity",
    "poisson_nll_loss", "cosine_embedding_loss", "nll_loss", "nll_loss2d", "hinge_embedding_loss", "kl_div", "l1_loss", "smooth_l1_loss",
    "huber_loss", "mse_loss", "margin_ranking_loss", "multilabel_margin_loss", "soft_margin_loss", "triplet_margin_loss",
    "multi_margin_loss", "binary_cross_entropy_with_logits", "dist", "pdist", "cdist", "renorm", "logsumexp"};
constexpr std::string_view kCudaResult[] = {"prod", "softmax", "log_softmax", "cumprod", "cumsum", "sum"};
constexpr std::string_view kCudaBanned[] = {"binary_cross_entropy"};

using Policies = std::array<AutocastPolicy, kDeviceTypes>;

void put(std::unordered_map<std::string_view, Policies>& all, DeviceType device, std::span<const std::string_view> names, AutocastPolicy policy) {
    for (const std::string_view name : names) all[name][static_cast<std::size_t>(device)] = policy;
}

const std::unordered_map<std::string_view, Policies>& policies() {
    static const auto all = [] {
        std::unordered_map<std::string_view, Policies> out;
        put(out, DeviceType::Cpu, kCpuLower, AutocastPolicy::Lower);
        put(out, DeviceType::Cpu, kCpuWidest, AutocastPolicy::Widest);
        put(out, DeviceType::Cpu, kCpuFloat32, AutocastPolicy::Float32);
        put(out, DeviceType::Cuda, kCudaLower, AutocastPolicy::Lower);
        put(out, DeviceType::Cuda, kCudaWidest, AutocastPolicy::Widest);
        put(out, DeviceType::Cuda, kCudaFloat32, AutocastPolicy::Float32);
        put(out, DeviceType::Cuda, kCudaResult, AutocastPolicy::Float32Result);
        put(out, DeviceType::Cuda, kCudaBanned, AutocastPolicy::Banned);
        return out;
    }();
    return all;
}

bool is_eligible(const Tensor& t, DeviceType device) {
    return t.defined() && t.device().type == device && is_floating(t.dtype()) && t.dtype() != ScalarType::Float64;
}

Tensor cast_to(const Tensor& t, ScalarType dtype, DeviceType device) {
    if (!is_eligible(t, device) || t.dtype() == dtype) return t;
    State& own = state();
    const auto convert = [&] { return fn::to_dtype(t, static_cast<std::int64_t>(dtype)); };
    const bool is_weight = dtype == own.settings.devices[static_cast<std::size_t>(device)].dtype && t.dtype() == ScalarType::Float32 &&
                           requires_grad(t) && is_leaf(t) && !autograd_meta(t)->view;
    if (!is_weight || !own.settings.cache_enabled) return convert();
    const auto known = own.cache.find(t.impl());
    if (known != own.cache.end()) return known->second.second;
    const Tensor converted = convert();
    own.cache.emplace(t.impl(), std::pair(t, converted));
    return converted;
}

// visit(tensor) for each tensor argument, list elements included.
template <typename Visit>
void each_tensor(const Operator& op, std::span<const IValue> arguments, Visit&& visit) {
    for (std::uint64_t bits = op.tensor_arguments | op.list_arguments; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctzll(bits));
        if (i >= arguments.size()) break;
        if (arguments[i].is_tensor()) {
            visit(arguments[i].to_tensor());
        } else if (arguments[i].is_list()) {
            for (const IValue& element : arguments[i].to_list().elements) {
                if (element.is_tensor()) visit(element.to_tensor());
            }
        }
    }
}

ScalarType widest(const Operator& op, std::span<const IValue> arguments, ScalarType lower, DeviceType device) {
    ScalarType out = lower;
    each_tensor(op, arguments, [&](const Tensor& t) {
        if (is_eligible(t, device) && t.dtype() == ScalarType::Float32) out = ScalarType::Float32;
    });
    return out;
}

IValue cast_value(const IValue& value, ScalarType dtype, DeviceType device) {
    if (value.is_tensor()) return cast_to(value.to_tensor(), dtype, device);
    if (!value.is_list()) return value;
    auto list = make_ptr<ListObject>(value.to_list().element_type);
    for (const IValue& element : value.to_list().elements) {
        list->elements.push_back(element.is_tensor() ? IValue(cast_to(element.to_tensor(), dtype, device)) : element);
    }
    return list;
}

bool set_result_dtype(const Operator& op, std::span<const IValue> arguments, DeviceType device, std::vector<IValue>& cast) {
    const auto place = op.schema.find_argument("dtype");
    if (!place || !arguments[*place].is_none() || !arguments[0].is_tensor() || !is_eligible(arguments[0].to_tensor(), device)) return false;
    cast.assign(arguments.begin(), arguments.end());
    cast[*place] = static_cast<std::int64_t>(ScalarType::Float32);
    return true;
}

void apply(const AutocastSettings& settings) {
    state().settings = settings;
    detail::autocast_on = std::ranges::any_of(settings.devices, [](const auto& each) { return each.enabled; });
}

}  // namespace

AutocastSettings::AutocastSettings() { devices[static_cast<std::size_t>(DeviceType::Cuda)].dtype = ScalarType::Float16; }

const AutocastSettings& autocast_settings() { return state().settings; }
void set_autocast_settings(const AutocastSettings& settings) { apply(settings); }
void clear_autocast_cache() { state().cache.clear(); }

ScalarType default_autocast_dtype(DeviceType device) {
    return AutocastSettings().devices[static_cast<std::size_t>(device)].dtype;
}

std::string autocast_dtype_warning(DeviceType device, ScalarType dtype) {
    if (device != DeviceType::Cpu || dtype == ScalarType::BFloat16) return {};
    return "In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast only supports dtype of torch.bfloat16 "
           "currently.";
}

AutocastScope::AutocastScope(DeviceType device, bool enabled, std::optional<ScalarType> dtype, std::optional<bool> cache)
    : before_(state().settings) {
    AutocastSettings now = before_;
    auto& own = now.devices[static_cast<std::size_t>(device)];
    own.dtype = dtype.value_or(own.dtype);
    own.enabled = enabled && autocast_dtype_warning(device, own.dtype).empty();
    now.cache_enabled = cache.value_or(now.cache_enabled);
    ++state().depth;
    apply(now);
}
AutocastScope::AutocastScope(const AutocastSettings& settings) : before_(state().settings) {
    ++state().depth;
    apply(settings);
}
AutocastScope::~AutocastScope() {
    if (--state().depth == 0) clear_autocast_cache();
    apply(before_);
}

AutocastPolicy autocast_policy(const Operator& op, DeviceType device) {
    std::string_view name = op.schema.name;
    if (op.variant != OperatorVariant::Functional || !name.starts_with("aten::")) return AutocastPolicy::None;
    const auto found = policies().find(name.substr(6));
    return found == policies().end() ? AutocastPolicy::None : found->second[static_cast<std::size_t>(device)];
}

bool detail::autocast_arguments(const Operator& op, std::span<const IValue> arguments, std::vector<IValue>& cast) {
    DeviceType device = DeviceType::Cpu;
    each_tensor(op, arguments, [&](const Tensor& t) {
        if (t.defined() && t.device().type != DeviceType::Cpu) device = t.device().type;
    });
    const auto& own = state().settings.devices[static_cast<std::size_t>(device)];
    if (!own.enabled) return false;
    const AutocastPolicy policy = autocast_policy(op, device);
    switch (policy) {
        case AutocastPolicy::None: return false;
        case AutocastPolicy::Float32Result: return set_result_dtype(op, arguments, device, cast);
        case AutocastPolicy::Banned:
            throw Error(ErrorKind::Run,
                        "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\nMany models use a sigmoid layer "
                        "right before the binary cross entropy layer.\nIn this case, combine the two layers using "
                        "torch.nn.functional.binary_cross_entropy_with_logits\nor torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits "
                        "and BCEWithLogits are\nsafe to autocast.");
        default: break;
    }
    const AutocastOff off;
    const ScalarType dtype = policy == AutocastPolicy::Lower     ? own.dtype
                             : policy == AutocastPolicy::Float32 ? ScalarType::Float32
                                                                 : widest(op, arguments, own.dtype, device);
    cast.clear();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool holds_tensors = ((op.tensor_arguments | op.list_arguments) >> i & 1) != 0;
        cast.push_back(holds_tensors ? cast_value(arguments[i], dtype, device) : arguments[i]);
    }
    return true;
}

}  // namespace loupe
