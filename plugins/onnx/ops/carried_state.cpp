// SPDX-License-Identifier: Apache-2.0
// Layers that carry a state over a sequence, and give it for what comes after: a causal convolution, linear attention.
#include <cmath>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

// input [batch, channels, length], weight [channels, 1, k], past_state [batch, channels, k - 1]; activation.
void convolve(Arguments in, IValue* results, bool gives_state) {
    const Tensor input = in[0].to_tensor(), weight = in[1].to_tensor(), past = in[3].to_tensor();
    require(input.dim() == 3 && weight.dim() == 3 && weight.size(0) == input.size(1) && weight.size(2) > 0,
            "a causal convolution of ", describe(input), " with ", describe(weight));
    const std::int64_t before = weight.size(2) - 1;
    const Tensor padded =
        past.defined() ? fn::cat(TensorList{past, input}, 2) : fn::constant_pad_nd(input, Dims{before, 0}, Scalar(0));
    Tensor out = call_one("aten::conv1d", {padded, weight, in[2], Dims{1}, Dims{0}, Dims{1}, input.size(1)});
    const std::string& activation = in[4].to_string();
    if (activation == "silu" || activation == "swish")
        out = cast(call_one("aten::silu", {cast(out, ScalarType::Float32)}), input.dtype());
    else
        require(activation == "none", "no activation '", activation, "'");
    results[0] = out;
    if (gives_state) results[1] = fn::narrow(padded, 2, padded.size(2) - before, before);
}
void causal_convolution(Arguments in, IValue* results) { convolve(in, results, true); }
void causal_convolution_one(Arguments in, IValue* results) { convolve(in, results, false); }

// [batch, length, heads x size] as [batch, heads, length, size] in float32.
Tensor by_heads(const Tensor& x, std::int64_t heads) {
    require(x.dim() == 3 && heads > 0 && x.size(2) % heads == 0, heads, " heads of ", describe(x));
    const Tensor parts = fn::reshape(x, Dims{x.size(0), x.size(1), heads, x.size(2) / heads});
    return cast(fn::transpose(parts, 1, 2), ScalarType::Float32);
}

struct LinearAttention {
    Tensor q, k, v, decay, beta, state;  // by heads, in float32; state: [batch, heads, size of k, size of v]
    double scale = 1;

    // What a query at a place reads, once its key and value are written.
    Tensor step(std::int64_t place) {
        const auto at = [&](const Tensor& x) { return fn::narrow(x, 2, place, 1); };  // [batch, heads, 1, size]
        if (decay.defined()) state = fn::mul(state, fn::transpose(fn::exp(at(decay)), -2, -1));
        Tensor value = at(v);
        if (beta.defined()) value = fn::mul(at(beta), fn::sub(value, fn::matmul(at(k), state)));
        state = fn::add(state, fn::mul(fn::transpose(at(k), -2, -1), value));
        Tensor read = state;
        if (const std::int64_t groups = q.size(1) / k.size(1); groups > 1) {
            const Tensor times = fn::expand(scalar_tensor(Scalar(groups), ScalarType::Int64), Dims{k.size(1)});
            read = fn::repeat_interleave(read, times, 1);
        }
        return fn::mul_scalar(fn::matmul(at(q), read), Scalar(scale));
    }
};

// query, key, value, past_state, decay, beta; chunk_size, kv_num_heads, q_num_heads, scale, update_rule.
void attend(Arguments in, IValue* results, bool gives_state) {
    const Tensor query = in[0].to_tensor(), past = in[3].to_tensor();
    const std::int64_t key_heads = in[7].to_int(), heads = in[8].to_int();
    const std::string& rule = in[10].to_string();
    const bool decays = rule == "gated" || rule == "gated_delta", corrects = rule == "delta" || rule == "gated_delta";
    require(decays || corrects || rule == "linear", "no rule '", rule, "'");
    require(key_heads > 0 && heads > 0 && heads % key_heads == 0, heads, " heads of queries and ", key_heads,
            " of keys");
    require(decays == !in[4].is_none() && corrects == !in[5].is_none(), "the rule '", rule,
            "' takes decay where it is gated and beta where it has a delta");
    LinearAttention net{by_heads(query, heads),
                        by_heads(in[1].to_tensor(), key_heads),
                        by_heads(in[2].to_tensor(), key_heads),
                        {},
                        {},
                        {}};
    if (decays) net.decay = by_heads(in[4].to_tensor(), key_heads);
    if (corrects) net.beta = by_heads(in[5].to_tensor(), in[5].to_tensor().size(-1) == 1 ? 1 : key_heads);
    const std::int64_t size = net.k.size(3), length = query.size(1);
    net.scale = in[9].to_double() != 0 ? in[9].to_double() : 1 / std::sqrt(static_cast<double>(size));
    net.state = past.defined() ? cast(past, ScalarType::Float32)
                               : fn::full(Dims{query.size(0), key_heads, size, net.v.size(3)}, Scalar(0.0));
    TensorList outputs;
    for (std::int64_t place = 0; place < length; ++place) outputs.push_back(net.step(place));
    require(!outputs.empty(), "no query");
    const Tensor all = fn::transpose(fn::cat(outputs, 2), 1, 2);  // [batch, length, heads, size of v]
    results[0] = cast(fn::reshape(all, Dims{all.size(0), length, heads * all.size(3)}), query.dtype());
    if (gives_state) results[1] = cast(net.state, past.defined() ? past.dtype() : query.dtype());
}
void linear_attention(Arguments in, IValue* results) { attend(in, results, true); }
void linear_attention_one(Arguments in, IValue* results) { attend(in, results, false); }

#define LOUPE_CONVOLUTION \
    "(Tensor input, Tensor weight, Tensor? bias=None, Tensor? past_state=None, *, str activation=\"none\") -> "
#define LOUPE_ATTENTION                                                                                            \
    "(Tensor query, Tensor key, Tensor value, Tensor? past_state=None, Tensor? decay=None, Tensor? beta=None, *, " \
    "int chunk_size=64, int kv_num_heads, int q_num_heads, float scale=0., str update_rule=\"gated_delta\") -> "

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::CausalConvWithState" LOUPE_CONVOLUTION "(Tensor, Tensor)",
            "A convolution of each channel with what came before, and the last inputs.", causal_convolution),
    made_of("onnx::CausalConvWithState.one" LOUPE_CONVOLUTION "Tensor",
            "A convolution of each channel with what came before.", causal_convolution_one),
    made_of("onnx::LinearAttention" LOUPE_ATTENTION "(Tensor, Tensor)",
            "Queries read a sum of keys and values that decays and is corrected, and that sum.", linear_attention),
    made_of("onnx::LinearAttention.one" LOUPE_ATTENTION "Tensor",
            "Queries read a sum of keys and values that decays and is corrected.", linear_attention_one),
};

#undef LOUPE_CONVOLUTION
#undef LOUPE_ATTENTION

}  // namespace

std::span<const OperatorRecord> carried_state_records() { return kRecords; }

}  // namespace loupe::onnx
