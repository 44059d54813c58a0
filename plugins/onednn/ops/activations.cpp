// SPDX-License-Identifier: Apache-2.0
// sigmoid, tanh, gelu and its gradient: a third faster than ours on large inputs that fit in cache.
// Of the others
// - relu and exp would lose NaN, silu would make NaN of inf;
// - mish, softplus and elu would lose digits towards -inf (mish(-15) by a third);
// - hardswish and similar ones are bound by memory, with either.
#include "plugins/onednn/ops/kernels.h"
#include "plugins/onednn/runtime.h"

namespace loupe::onednn {
namespace {

constexpr std::int64_t kFewest = 16384;  // elements
constexpr std::int64_t kMost = std::int64_t{1} << 22;

struct ForwardPlan {
    Layout layout;
    dnnl::eltwise_forward::primitive_desc descriptor;
    dnnl::eltwise_forward primitive;

    ForwardPlan(dnnl::algorithm algorithm, std::int64_t count)
        : layout({count}, Memory::data_type::f32, Memory::format_tag::a),
          descriptor(eltwise_forward(engine(), algorithm, layout)),
          primitive(descriptor) {}
};
struct BackwardPlan {
    Layout layout;
    dnnl::eltwise_backward::primitive_desc descriptor;
    dnnl::eltwise_backward primitive;

    BackwardPlan(dnnl::algorithm algorithm, std::int64_t count)
        : layout({count}, Memory::data_type::f32, Memory::format_tag::a),
          descriptor(eltwise_backward(engine(), algorithm, layout)),
          primitive(descriptor) {}
};

PlanCache<ForwardPlan>& forward_plans() {
    static auto* cache = new PlanCache<ForwardPlan>;
    return *cache;
}
PlanCache<BackwardPlan>& backward_plans() {
    static auto* cache = new PlanCache<BackwardPlan>;
    return *cache;
}

dnnl::algorithm gelu_algorithm(const IValue& approximate) {
    return approximate.to_string() == "tanh" ? dnnl::algorithm::eltwise_gelu_tanh : dnnl::algorithm::eltwise_gelu_erf;
}

bool same_strides(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.strides(), b.strides()); }

// t with the elements in memory in the order of `like`'s, which is dense.
Tensor laid_out_as(const Tensor& t, const Tensor& like) {
    if (same_strides(t, like)) return t;
    const Tensor copy = empty_like(like);
    copy_strided(copy, t);
    return copy;
}

void run(dnnl::algorithm algorithm, const Tensor& x, const Tensor& out) {
    const Tensor y = same_strides(x, out) ? out : empty_like(x);
    const ForwardPlan& plan = forward_plans().get(Key().add(static_cast<std::int64_t>(algorithm)).add(x.numel()),
                                                  [&] { return ForwardPlan(algorithm, x.numel()); });
    execute(
        plan.primitive,
        {{DNNL_ARG_SRC, memory_at(plan.layout, x.raw_data())}, {DNNL_ARG_DST, memory_at(plan.layout, y.raw_data())}},
        plan.descriptor.scratchpad_desc());
    put_back(out, y);
}

// ---- operators

bool suits_size(std::int64_t count, std::string* why) {
    if (count < kFewest) return decline(why, "too few elements");
    return count <= kMost || decline(why, "more elements than the cache holds");
}
bool accepts(Arguments arguments, std::string* why) {
    if (!suits_size(arguments[0].tensor_impl()->numel, why)) return false;
    if (!accepts_float32(arguments, {0}, why)) return false;
    return arguments[0].to_tensor().is_non_overlapping_and_dense() || decline(why, "a view with gaps");
}

template <dnnl::algorithm algorithm>
void run_plain(Arguments arguments, IValue* results) {
    run(algorithm, arguments[0].to_tensor(), results[0].to_tensor());
}

void run_gelu(Arguments arguments, IValue* results) {
    run(gelu_algorithm(arguments[1]), arguments[0].to_tensor(), results[0].to_tensor());
}
bool accepts_gelu(Arguments arguments, std::string* why) {
    const std::string& approximate = arguments[1].to_string();
    if (approximate != "none" && approximate != "tanh") return decline(why, "no such approximation");
    return accepts(arguments, why);
}

bool accepts_gelu_backward(Arguments arguments, std::string* why) {
    if (!accepts_float32(arguments, {0, 1}, why)) return false;
    const Tensor grad = arguments[0].to_tensor();
    const Tensor x = arguments[1].to_tensor();
    if (!suits_size(x.numel(), why)) return false;
    if (!std::ranges::equal(grad.sizes(), x.sizes())) return decline(why, "sizes to broadcast");
    const std::string& approximate = arguments[2].to_string();
    if (approximate != "none" && approximate != "tanh") return decline(why, "no such approximation");
    return x.is_non_overlapping_and_dense() || decline(why, "a view with gaps");
}
void run_gelu_backward(Arguments arguments, IValue* results) {
    const Tensor x = arguments[1].to_tensor();
    const Tensor g = laid_out_as(arguments[0].to_tensor(), x);
    const Tensor out = results[0].to_tensor();
    const Tensor target = same_strides(x, out) ? out : empty_like(x);
    const dnnl::algorithm algorithm = gelu_algorithm(arguments[2]);
    const BackwardPlan& plan = backward_plans().get(Key().add(static_cast<std::int64_t>(algorithm)).add(x.numel()),
                                                    [&] { return BackwardPlan(algorithm, x.numel()); });
    execute(plan.primitive,
            {{DNNL_ARG_SRC, memory_at(plan.layout, x.raw_data())},
             {DNNL_ARG_DIFF_DST, memory_at(plan.layout, g.raw_data())},
             {DNNL_ARG_DIFF_SRC, memory_at(plan.layout, target.raw_data())}},
            plan.descriptor.scratchpad_desc());
    put_back(out, target);
}

}  // namespace

void register_activations(const PluginRegistries& registries) {
    const auto add = [&](const char* op, KernelFunction kernel, AcceptFunction accept) {
        registries.add_kernel(op, DeviceType::Cpu, {"onednn", kernel, accept});
    };
    add("aten::sigmoid", run_plain<dnnl::algorithm::eltwise_logistic>, accepts);
    add("aten::tanh", run_plain<dnnl::algorithm::eltwise_tanh>, accepts);
    add("aten::gelu", run_gelu, accepts_gelu);
    add("aten::gelu_backward", run_gelu_backward, accepts_gelu_backward);
}

}  // namespace loupe::onednn
