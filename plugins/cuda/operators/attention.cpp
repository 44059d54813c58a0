// SPDX-License-Identifier: Apache-2.0
// Attention as one kernel; loupe::attention, which keeps its weights, in steps: products of batches of matrices and
// softmax.
#include "plugins/cuda/loops/attention.h"

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/registry.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

// (query, key, value, mask, scale, fill, joined)
void attention(const Tensor& out, const Tensor& weights, const Tensor& query, const Tensor& key, const Tensor& value,
               const Tensor& mask, const Scalar& scale, const Scalar& fill, bool) {
    Tensor scores = fn::mul_scalar(fn::matmul(query, fn::transpose(key, -2, -1)), scale);
    if (mask.defined()) scores = fn::masked_fill(scores, mask, fill);
    const Tensor shares = fn::_softmax(scores, std::int64_t{-1}, false);
    copy_into(weights, shares);
    copy_into(out, fn::matmul(shares, value));
}

// (grad_output, query, key, value, mask, scale, weights)
void attention_backward(const Tensor& of_query, const Tensor& of_key, const Tensor& of_value, const Tensor& grad,
                        const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                        const Scalar& scale, const Tensor& weights) {
    copy_into(of_value, fn::matmul(fn::transpose(weights, -2, -1), grad));
    const Tensor along = fn::matmul(grad, fn::transpose(value, -2, -1));
    Tensor scores =
        fn::_softmax_backward_data(along, weights, std::int64_t{-1}, static_cast<std::int64_t>(weights.dtype()));
    scores = fn::mul_scalar(scores, scale);
    if (mask.defined()) scores = fn::masked_fill(scores, mask, Scalar(0));
    copy_into(of_query, fn::matmul(scores, key));
    copy_into(of_key, fn::matmul(fn::transpose(scores, -2, -1), query));
}

bool takes_some(Arguments a, std::string* why) {
    if (!takes_floating<0, 1, 2>(a, why)) return false;
    bool some = true;
    for (std::size_t i = 0; i < 4; ++i) some = some && (!a[i].is_tensor() || a[i].to_tensor().numel() > 0);
    if (!some && why != nullptr) *why = "no elements";
    return some;
}

// --- without weights ---

Tensor dense_rows(const Tensor& t) { return !t.defined() || t.strides().back() == 1 || t.size(-1) <= 1 ? t : dense(t); }
HeadStrides strides_of(const Tensor& t) { return {t.strides()[0], t.strides()[1], t.strides()[2]}; }

// Room for a result of four dimensions whose rows are dense.
class Rows {
  public:
    explicit Rows(const Tensor& out) : out_(out) {
        const bool is_dense = out.strides().back() == 1 || out.size(-1) <= 1;
        room_ = is_dense ? out : empty(out.sizes(), out.dtype(), out.device());
    }
    const Tensor& tensor() const { return room_; }
    void put_back() const {
        if (!room_.is_same(out_)) copy_into(out_, room_);
    }

  private:
    Tensor out_, room_;
};

struct Operands {
    Tensor query, key, value, bias;

    AttentionShape shape(const IValue& scale, bool is_causal) const {
        AttentionShape s;
        s.batch = query.size(0);
        s.heads = query.size(1);
        s.rows = query.size(2);
        s.columns = key.size(2);
        s.width = static_cast<int>(query.size(3));
        s.out = static_cast<int>(value.size(3));
        s.scale =
            static_cast<float>(scale.is_none() ? 1 / std::sqrt(static_cast<double>(query.size(3))) : scale.to_double());
        s.is_causal = is_causal;
        s.element = element_of(query.dtype());
        s.query = strides_of(query);
        s.key = strides_of(key);
        s.value = strides_of(value);
        if (!bias.defined()) return s;
        const Tensor whole = fn::expand(bias, Dims{s.batch, s.heads, s.rows, s.columns}, false);
        s.bias = address_of(whole);
        s.of_bias = strides_of(whole);
        s.bias_column = whole.strides()[3];
        return s;
    }
};

void efficient_attention(Arguments a, IValue* results) {
    const Operands o{dense_rows(a[0].to_tensor()), dense_rows(a[1].to_tensor()), dense_rows(a[2].to_tensor()),
                     a[3].to_tensor()};
    const Rows out(results[0].to_tensor());
    const Tensor sums = results[1].to_tensor();
    AttentionShape s = o.shape(a[7], a[6].to_bool());
    s.sum_rows = sums.size(-1);
    if (s.sum_rows > s.rows) fill_with(sums, 0);
    run_attention(queue_of(o.query.device()), s, address_of(o.query), address_of(o.key), address_of(o.value),
                  address_of(out.tensor()), strides_of(out.tensor()),
                  s.sum_rows > 0 ? static_cast<float*>(address_of(sums)) : nullptr);
    out.put_back();
    fill_with(results[2].to_tensor(), 0);
    fill_with(results[3].to_tensor(), 0);
}

// (grad_out_, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p, grad_input_mask,
// is_causal, scale)
void efficient_attention_backward(Arguments a, IValue* results) {
    const Tensor grad = dense_rows(a[0].to_tensor()), out = dense_rows(a[5].to_tensor()),
                 sums = dense(a[6].to_tensor());
    const Operands o{dense_rows(a[1].to_tensor()), dense_rows(a[2].to_tensor()), dense_rows(a[3].to_tensor()),
                     a[4].to_tensor()};
    AttentionShape s = o.shape(a[12], a[11].to_bool());
    s.sum_rows = sums.size(-1);
    const Queue queue = queue_of(o.query.device());
    const Tensor along = empty(std::array{s.batch, s.heads, s.rows}, ScalarType::Float32, o.query.device());
    run_attention_along(queue, s, address_of(grad), strides_of(grad), address_of(out), strides_of(out),
                        static_cast<float*>(address_of(along)));
    const std::vector<bool> wanted = a[10].to_bools();
    std::vector<std::optional<Rows>> rooms(3);
    AttentionGradients gradients;
    const auto room = [&](std::size_t i, void*& place, HeadStrides& strides) {
        if (!wanted[i]) return;
        rooms[i].emplace(results[i].to_tensor());
        place = address_of(rooms[i]->tensor());
        strides = strides_of(rooms[i]->tensor());
    };
    room(0, gradients.query, gradients.of_query);
    room(1, gradients.key, gradients.of_key);
    room(2, gradients.value, gradients.of_value);
    run_attention_gradients(queue, s, address_of(o.query), address_of(o.key), address_of(o.value), address_of(grad),
                            strides_of(grad), static_cast<const float*>(address_of(sums)),
                            static_cast<const float*>(address_of(along)), gradients);
    for (const auto& used : rooms) {
        if (used) used->put_back();
    }
}

bool declines(std::string* why, std::string_view reason) {
    if (why != nullptr) *why = std::string(reason);
    return false;
}
// query, key and value from an argument on, and a bias behind them.
bool takes_heads(Arguments a, std::size_t first, bool with_gradients, std::string* why) {
    const Tensor query = a[first].to_tensor(), key = a[first + 1].to_tensor(), value = a[first + 2].to_tensor();
    const Tensor bias = a[first + 3].to_tensor();
    if (query.dim() != 4 || key.dim() != 4 || value.dim() != 4) return declines(why, "not four dimensions");
    for (const Tensor& t : {query, key, value}) {
        if (t.numel() == 0) return declines(why, "no elements");
    }
    if (bias.defined() && bias.dtype() != query.dtype()) return declines(why, "a bias of another dtype");
    const std::int64_t width = std::max(query.size(3), value.size(3));
    if (width > kMostWidth || !has_attention(element_of(query.dtype()), static_cast<int>(width), with_gradients))
        return declines(why, concat(dtype_name(query.dtype()), " heads of ", width, " numbers"));
    return true;
}
bool takes_forward(Arguments a, std::string* why) {
    if (!takes(a, why) || !takes_heads(a, 0, a[4].to_bool(), why)) return false;
    return a[5].to_double() == 0 || declines(why, "dropout");
}
bool takes_backward(Arguments a, std::string* why) {
    if (!takes(a, why) || !takes_heads(a, 1, true, why)) return false;
    const std::vector<bool> wanted = a[10].to_bools();
    return wanted.size() < 4 || !wanted[3] || declines(why, "the gradient of the bias");
}

}  // namespace

void register_attention(const Registration& to) {
    to.add("loupe::attention", filling<attention, 2>, takes_some);
    to.add("loupe::attention_backward", filling<attention_backward, 3>, takes_some);
    // Of float64, wide heads and the gradient of a bias: in steps, as the host does it.
    for (const char* const name :
         {"aten::_scaled_dot_product_efficient_attention", "aten::_scaled_dot_product_efficient_attention_backward"})
        to.add(name, find_operator(name)->record->kernel.function);
    to.add("aten::_scaled_dot_product_efficient_attention", efficient_attention, takes_forward);
    to.add("aten::_scaled_dot_product_efficient_attention_backward", efficient_attention_backward, takes_backward);
}

}  // namespace loupe::cuda
