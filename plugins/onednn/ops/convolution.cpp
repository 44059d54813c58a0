// SPDX-License-Identifier: Apache-2.0
// Convolution and its gradients. oneDNN chooses the layouts (blocked, or channels last); tensors in other ones are
// reordered on the way in and out. Packed weights are kept.
#include "core/ops/nn/convolution.h"

#include <algorithm>
#include <optional>

#include "core/dispatch/bound_kernel.h"
#include "core/ops/matrix/layout.h"
#include "core/ops/nn/common.h"
#include "plugins/onednn/ops/kernels.h"
#include "plugins/onednn/runtime.h"

namespace loupe::onednn {
namespace {

using nn_ops::ConvolutionParameters;

// A convolution that is not transposed, seen through the tensors of one that may be: a transposed one computes the
// data gradient of the plain one, from `small` (its input) to `large` (its output).
struct Problem {
    Dims large;  // sizes of the plain convolution's input
    Dims small;  // of its output
    Dims weight;
    const ConvolutionParameters& parameters;

    Problem(IntSpan input, IntSpan weight_sizes, IntSpan output, const ConvolutionParameters& p)
        : large(to_dims(p.transposed ? output : input)),
          small(to_dims(p.transposed ? input : output)),
          weight(to_dims(weight_sizes)),
          parameters(p) {}

    std::size_t spatial() const { return weight.size() - 2; }
    Memory::dims weight_dims() const {
        if (parameters.groups == 1) return dims_of(span_of(weight));
        Memory::dims dims{parameters.groups, weight[0] / parameters.groups};
        dims.insert(dims.end(), weight.begin() + 1, weight.end());
        return dims;
    }
    ConvolutionGeometry geometry() const {
        ConvolutionGeometry g;
        for (std::size_t i = 0; i < spatial(); ++i) {
            const std::int64_t reach = parameters.dilation[i] * (weight[i + 2] - 1) + 1;
            const std::int64_t used = (small[i + 2] - 1) * parameters.stride[i] + reach;
            g.strides.push_back(parameters.stride[i]);
            g.dilates.push_back(parameters.dilation[i] - 1);
            g.padding_left.push_back(parameters.padding[i]);
            g.padding_right.push_back(used - large[i + 2] - parameters.padding[i]);
        }
        return g;
    }
    Key key(std::int64_t kind, const Tensor& a, const Tensor& b, const Tensor& w) const {
        Key k;
        k.add(kind).add(span_of(large)).add(span_of(small)).add(span_of(weight)).add(parameters.groups);
        k.add(span_of(parameters.stride)).add(span_of(parameters.padding)).add(span_of(parameters.dilation));
        k.add(a.strides()).add(b.strides()).add(w.strides());
        return k;
    }
};

// The weight's memory with groups as a separate dimension.
Layout weight_layout(const Tensor& weight, std::int64_t groups) {
    if (groups == 1) return layout_of(weight);
    Memory::dims sizes{groups, weight.sizes()[0] / groups};
    Memory::dims strides{weight.strides()[0] * sizes[1], weight.strides()[0]};
    sizes.insert(sizes.end(), weight.sizes().begin() + 1, weight.sizes().end());
    strides.insert(strides.end(), weight.strides().begin() + 1, weight.strides().end());
    return {sizes, Memory::data_type::f32, strides};
}

dnnl::convolution_forward::primitive_desc forward_descriptor(const Problem& p, bool with_bias) {
    const Layout bias = with_bias ? Layout({p.small[1]}, Memory::data_type::f32, Memory::format_tag::x) : Layout();
    return convolution_forward(engine(), any_layout(dims_of(span_of(p.large))), any_layout(p.weight_dims()), bias,
                               any_layout(dims_of(span_of(p.small))), p.geometry());
}

// Images of one pixel have channels last as much as first: the layout that needs no padding, else none.
std::optional<Layout> channels_last_layout(const Tensor& t) {
    if (nn_ops::prefers_channels_last(t)) return layout_of(t);
    if (t.dim() != 4 || !t.is_contiguous() || t.sizes()[2] != 1 || t.sizes()[3] != 1) return std::nullopt;
    return Layout(dims_of(t.sizes()), Memory::data_type::f32, Memory::format_tag::acdb);
}

// Channels last on both sides stays so: reordering would cost more than another layout gains.
dnnl::convolution_forward::primitive_desc forward_descriptor(const Problem& p, const Tensor& large, const Tensor& small,
                                                             bool with_bias) {
    const auto from = channels_last_layout(large), to = channels_last_layout(small);
    if (!from || !to) return forward_descriptor(p, with_bias);
    const Layout bias = with_bias ? Layout({p.small[1]}, Memory::data_type::f32, Memory::format_tag::x) : Layout();
    return convolution_forward(engine(), *from, any_layout(p.weight_dims()), bias, *to, p.geometry());
}

struct ForwardPlan {
    dnnl::convolution_forward::primitive_desc descriptor;
    dnnl::convolution_forward primitive;

    ForwardPlan(const Problem& p, const Tensor& large, const Tensor& small, bool with_bias)
        : descriptor(forward_descriptor(p, large, small, with_bias)), primitive(descriptor) {}
};
struct DataPlan {
    dnnl::convolution_backward_data::primitive_desc descriptor;
    dnnl::convolution_backward_data primitive;

    explicit DataPlan(const Problem& p)
        : descriptor(convolution_backward_data(engine(), any_layout(dims_of(span_of(p.large))),
                                               any_layout(p.weight_dims()), any_layout(dims_of(span_of(p.small))),
                                               p.geometry(), forward_descriptor(p, false))),
          primitive(descriptor) {}
};
struct WeightsPlan {
    dnnl::convolution_backward_weights::primitive_desc descriptor;
    dnnl::convolution_backward_weights primitive;

    WeightsPlan(const Problem& p, bool with_bias)
        : descriptor(convolution_backward_weights(
              engine(), any_layout(dims_of(span_of(p.large))), any_layout(p.weight_dims()),
              with_bias ? Layout({p.small[1]}, Memory::data_type::f32, Memory::format_tag::x) : Layout(),
              any_layout(dims_of(span_of(p.small))), p.geometry(), forward_descriptor(p, with_bias))),
          primitive(descriptor) {}
};

PlanCache<ForwardPlan>& forward_plans() {
    static auto* cache = new PlanCache<ForwardPlan>;
    return *cache;
}
PlanCache<DataPlan>& data_plans() {
    static auto* cache = new PlanCache<DataPlan>;
    return *cache;
}
PlanCache<WeightsPlan>& weights_plans() {
    static auto* cache = new PlanCache<WeightsPlan>;
    return *cache;
}

// small = large * weight (+ bias).
void forward(const Problem& p, const Tensor& large, const Tensor& weight, const Tensor& bias, const Tensor& small) {
    const ForwardPlan& plan = forward_plans().get(p.key(bias.defined() ? 1 : 0, large, small, weight),
                                                  [&] { return ForwardPlan(p, large, small, bias.defined()); });
    const auto& d = plan.descriptor;
    Block src;
    const Memory x = reordered(memory_of(large), d.src_desc(), src);
    const Memory w = packed_weight(weight, weight_layout(weight, p.parameters.groups), d.weights_desc());
    const Target y(memory_of(small), d.dst_desc());
    std::unordered_map<int, Memory> arguments{{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, y.memory()}};
    if (bias.defined()) arguments.emplace(DNNL_ARG_BIAS, memory_of(bias));
    execute(plan.primitive, std::move(arguments), d.scratchpad_desc());
    y.finish();
}

// small's gradient in the last requested layout: both gradients often need the same.
class GradientSource {
  public:
    explicit GradientSource(const Tensor& t) : tensor_(t) {}
    Memory in(const Layout& layout) {
        if (block_.storage.defined() && block_.memory.get_desc() == layout) return block_.memory;
        return reordered(memory_of(tensor_), layout, block_);
    }

  private:
    Tensor tensor_;
    Block block_;
};

void data_gradient(const Problem& p, GradientSource& small, const Tensor& small_tensor, const Tensor& weight,
                   const Tensor& large) {
    const DataPlan& plan = data_plans().get(p.key(2, large, small_tensor, weight), [&] { return DataPlan(p); });
    const auto& d = plan.descriptor;
    const Memory w = packed_weight(weight, weight_layout(weight, p.parameters.groups), d.weights_desc());
    const Target x(memory_of(large), d.diff_src_desc());
    execute(plan.primitive,
            {{DNNL_ARG_DIFF_DST, small.in(d.diff_dst_desc())}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DIFF_SRC, x.memory()}},
            d.scratchpad_desc());
    x.finish();
}

void weight_gradient(const Problem& p, const Tensor& large, GradientSource& small, const Tensor& small_tensor,
                     const Tensor& grad_weight, const Tensor& grad_bias) {
    const bool with_bias = grad_bias.defined();
    const WeightsPlan& plan = weights_plans().get(p.key(with_bias ? 4 : 3, large, small_tensor, grad_weight),
                                                  [&] { return WeightsPlan(p, with_bias); });
    const auto& d = plan.descriptor;
    Block src;
    const Memory x = reordered(memory_of(large), d.src_desc(), src);
    const Target w(memory_at(weight_layout(grad_weight, p.parameters.groups), grad_weight.raw_data()),
                   d.diff_weights_desc());
    std::unordered_map<int, Memory> arguments{
        {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, small.in(d.diff_dst_desc())}, {DNNL_ARG_DIFF_WEIGHTS, w.memory()}};
    if (with_bias) arguments.emplace(DNNL_ARG_DIFF_BIAS, memory_of(grad_bias));
    execute(plan.primitive, std::move(arguments), d.scratchpad_desc());
    w.finish();
}

// ---- operators

bool accepts_convolution(Arguments arguments, std::string* why) { return accepts_float32(arguments, {0, 1, 2}, why); }

void convolution(Arguments arguments, IValue* results) {
    const Tensor input = readable(arguments[0].to_tensor());
    const Tensor weight = readable(arguments[1].to_tensor());
    const Tensor bias = packed(arguments[2].to_tensor());
    const Tensor out = results[0].to_tensor();
    const auto p = nn_ops::convolution_parameters(arguments, 3, static_cast<std::size_t>(weight.dim()) - 2);
    const Problem problem(input.sizes(), weight.sizes(), out.sizes(), p);
    if (!p.transposed) return forward(problem, input, weight, bias, out);
    const Tensor target = bias.defined() ? buffer_for(out) : out;
    GradientSource source(input);
    data_gradient(problem, source, input, weight, target);
    if (bias.defined()) nn_ops::add_channel_bias(target, bias);
    put_back(out, target);
}

// The same, prepared: for moved tensors only addresses are updated.
class BoundConvolution final : public BoundKernel {
  public:
    BoundConvolution(Arguments arguments, std::span<const IValue> results, const ForwardPlan& plan, std::int64_t groups)
        : input_(arguments[0].to_tensor()),
          weight_(arguments[1].to_tensor()),
          bias_(arguments[2].to_tensor()),
          out_(results[0].to_tensor()),
          groups_(groups),
          plan_(plan),
          src_(layout_of(input_), plan.descriptor.src_desc()),
          dst_(layout_of(out_), plan.descriptor.dst_desc()) {
        if (src_.differs) src_.reorder = dnnl::reorder(src_.own, src_.wanted);
        if (dst_.differs) dst_.reorder = dnnl::reorder(dst_.wanted, dst_.own);
        if (bias_.defined()) bias_memory_ = memory_at(layout_of(bias_), nullptr);
        if (plan.descriptor.scratchpad_desc().get_size() != 0)
            scratch_ = memory_at(plan.descriptor.scratchpad_desc(), nullptr);
    }

    void run() override {
        if (!weights_.storage.defined() || version_ != weight_.version()) pack();
        const Block src = src_.block();
        const Block dst = dst_.block();
        src_.point(input_, src);
        dst_.point(out_, dst);
        Block scratch;
        if (scratch_) {
            scratch = allocate(plan_.descriptor.scratchpad_desc());
            set_address(scratch_, scratch.storage.raw_data());
        }
        if (src_.differs) src_.reorder.execute(stream(), src_.own, src_.wanted);
        std::array<dnnl_exec_arg_t, 5> arguments{{{DNNL_ARG_SRC, src_.used().get()},
                                                  {DNNL_ARG_WEIGHTS, weights_.memory.get()},
                                                  {DNNL_ARG_DST, dst_.used().get()}}};
        int count = 3;
        if (bias_.defined()) {
            set_address(bias_memory_, bias_.raw_data());
            arguments[static_cast<std::size_t>(count++)] = {DNNL_ARG_BIAS, bias_memory_.get()};
        }
        if (scratch_) arguments[static_cast<std::size_t>(count++)] = {DNNL_ARG_SCRATCHPAD, scratch_.get()};
        dnnl::error::wrap_c_api(dnnl_primitive_execute(plan_.primitive.get(), stream().get(), count, arguments.data()),
                                "could not execute a convolution");
        if (dst_.differs) dst_.reorder.execute(stream(), dst_.wanted, dst_.own);
        stream().wait();
    }

  private:
    static void set_address(const Memory& memory, void* address) {
        if (memory.get_data_handle() != address) memory.set_data_handle(address);
    }

    // A tensor, and the primitive's operand: the same memory, or a block in another layout.
    struct Side {
        Memory own;
        Memory wanted;
        bool differs;
        dnnl::reorder reorder;

        Side(const Layout& tensor, const Layout& layout) : own(memory_at(tensor, nullptr)), differs(tensor != layout) {
            if (differs) wanted = memory_at(layout, nullptr);
        }
        Block block() const { return differs ? allocate(wanted.get_desc()) : Block(); }
        void point(const Tensor& tensor, const Block& block) const {
            set_address(own, tensor.raw_data());
            if (differs) set_address(wanted, block.storage.raw_data());
        }
        const Memory& used() const { return differs ? wanted : own; }
    };

    void pack() {
        weights_ = packed_block(weight_, weight_layout(weight_, groups_), plan_.descriptor.weights_desc());
        version_ = weight_.version();
    }

    Tensor input_;
    Tensor weight_;
    Tensor bias_;
    Tensor out_;
    std::int64_t groups_;
    const ForwardPlan& plan_;
    Side src_;
    Side dst_;
    Memory bias_memory_;
    Memory scratch_;
    Block weights_;
    std::uint32_t version_ = 0;
};

bool is_readable(const Tensor& t) { return t.is_contiguous() || t.is_channels_last(); }

Ptr<BoundKernel> bind_convolution(Arguments arguments, std::span<const IValue> results) {
    const Tensor input = arguments[0].to_tensor();
    const Tensor weight = arguments[1].to_tensor();
    const Tensor bias = arguments[2].to_tensor();
    const Tensor out = results[0].to_tensor();
    if (!is_readable(input) || !is_readable(weight) || (bias.defined() && !bias.is_contiguous())) return nullptr;
    const auto p = nn_ops::convolution_parameters(arguments, 3, static_cast<std::size_t>(weight.dim()) - 2);
    if (p.transposed) return nullptr;
    const Problem problem(input.sizes(), weight.sizes(), out.sizes(), p);
    const ForwardPlan& plan = forward_plans().get(problem.key(bias.defined() ? 1 : 0, input, out, weight),
                                                  [&] { return ForwardPlan(problem, input, out, bias.defined()); });
    return make_ptr<BoundConvolution>(arguments, results, plan, p.groups);
}

Tensor empty_gradient(const Tensor& like) {
    const TensorMeta meta = nn_ops::follow_layout(to_dims(like.sizes()), like);
    return meta.strides.empty() ? empty(like.sizes(), like.dtype())
                                : empty_strided(like.sizes(), span_of(meta.strides), like.dtype());
}

// The bias gradient of a transposed convolution sums over its output, which no primitive includes.
Tensor channel_sums(const Tensor& grad) {
    const Tensor g = packed(grad);
    const std::int64_t channels = g.sizes()[1];
    const std::int64_t pixels = g.numel() / (g.sizes()[0] * channels);
    Tensor sums = zeros(IntSpan(&channels, 1));
    for (std::int64_t i = 0; i < g.sizes()[0] * channels; ++i) {
        const float* row = g.data<float>() + i * pixels;
        double sum = 0;
        for (std::int64_t j = 0; j < pixels; ++j) sum += static_cast<double>(row[j]);
        sums.data<float>()[i % channels] += static_cast<float>(sum);
    }
    return sums;
}

void convolution_backward(Arguments arguments, IValue* results) {
    const Tensor grad = readable(arguments[0].to_tensor());
    const Tensor input = readable(arguments[1].to_tensor());
    const Tensor weight = readable(arguments[2].to_tensor());
    const std::vector<bool> mask = arguments[10].to_bools();
    const auto p = nn_ops::convolution_parameters(arguments, 4, static_cast<std::size_t>(weight.dim()) - 2);
    const Problem problem(input.sizes(), weight.sizes(), grad.sizes(), p);
    GradientSource source(p.transposed ? input : grad);
    if (mask[0]) {
        const Tensor out = empty_gradient(input);
        if (p.transposed)
            forward(problem, grad, weight, Tensor(), out);
        else
            data_gradient(problem, source, grad, weight, out);
        results[0] = out;
    }
    const bool bias_alone = mask[2] && (!mask[1] || p.transposed);
    if (mask[1]) {
        const Tensor out = empty_gradient(weight);
        const Tensor grad_bias =
            mask[2] && !bias_alone ? empty(grad.sizes().subspan(1, 1), ScalarType::Float32) : Tensor();
        weight_gradient(problem, p.transposed ? grad : input, source, p.transposed ? input : grad, out, grad_bias);
        results[1] = out;
        if (grad_bias.defined()) results[2] = grad_bias;
    }
    if (bias_alone) results[2] = channel_sums(grad);
}

}  // namespace

void register_convolution(const PluginRegistries& registries) {
    registries.add_kernel("aten::convolution", DeviceType::Cpu, {"onednn", convolution, accepts_convolution});
    register_binding(convolution, bind_convolution);
    registries.add_kernel("aten::convolution_backward", DeviceType::Cpu,
                          {"onednn", convolution_backward, accepts_convolution});
}

}  // namespace loupe::onednn
