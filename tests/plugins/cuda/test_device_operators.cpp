// SPDX-License-Identifier: Apache-2.0
// Kernels of devices against the CPU's, on the device for tests: layouts, sizes and edges that the operators' samples
// have not; that they copy nothing to the host; and what they say of indices that are out of bounds.

#include <QFile>
#include <QtTest>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/fallback_observer.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/registry.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/plugin/plugin_loader.h"
#include "core/tensor/device_copy.h"
#include "tests/ops/layouts.h"
#include "tests/ops/sweep.h"
#include "tests/plugins/cuda/device_cases.h"

using namespace loupe;
using sweep::difference;

namespace {

constexpr Device kOwn{DeviceType::PrivateUse1, 1};
const OperatorHandle<fn::TwoTensors> kSort{"aten::sort"};
const OperatorHandle<> kEmbedding{"aten::embedding"};
const OperatorHandle<> kIndexPut{"aten::index_put"};
const OperatorHandle<> kMseLoss{"aten::mse_loss"};
const OperatorHandle<> kSmoothLoss{"aten::smooth_l1_loss"};
using FourTensors = std::tuple<Tensor, Tensor, Tensor, Tensor>;
const OperatorHandle<FourTensors> kAttention{"aten::_scaled_dot_product_efficient_attention"};
const OperatorHandle<FourTensors> kAttentionBackward{"aten::_scaled_dot_product_efficient_attention_backward"};
const OperatorHandle<> kBilinear{"aten::upsample_bilinear2d"};

class Counter : public FallbackObserver, public ExecutionObserver {
  public:
    std::vector<std::string> fallbacks;
    void on_fallback(const FallbackCost&) override { fallbacks.emplace_back("a loop"); }
    void on_kernel(const KernelChoice& choice) override {
        if (choice.backend == "cpu fallback") fallbacks.emplace_back(choice.op);
    }
};

Tensor drawn(std::initializer_list<std::int64_t> sizes, ScalarType dtype = ScalarType::Float32) {
    static Random random;
    return random_tensor(random, sizes, dtype);
}
Tensor whole(std::initializer_list<std::int64_t> sizes, std::int64_t limit) {
    static Random random;
    return random_indices(random, sizes, limit);
}
Tensor channels_last(const Tensor& t) {
    const Dims order{0, 2, 3, 1}, back{0, 3, 1, 2};
    return fn::permute(fn::contiguous(fn::permute(t, order), 0), back);
}
IValue all_three() { return IValue(make_ptr<ListObject>(types::boolean(), std::vector<IValue>{true, true, true})); }

using device_cases::Case;

template <typename Tuple>
TensorList list_of(const Tuple& tuple) {
    return std::apply([](const auto&... t) { return TensorList{t...}; }, tuple);
}

std::vector<Case> cases_of_rows() {
    const Tensor odd = fn::slice(drawn({70, 91}), 1, 3, 90, 2);
    return {{"softmax of turned rows",
             {fn::t(drawn({37, 130}))},
             [](const TensorList& in) {
                 return TensorList{fn::softmax(in[0], -1, IValue()), fn::softmax(in[0], 0, IValue())};
             }},
            {"softmax of long rows",
             {drawn({3, 5000})},
             [](const TensorList& in) { return TensorList{fn::log_softmax(in[0], 1, IValue())}; }},
            {"softmax of an odd slice",
             {odd},
             [](const TensorList& in) { return TensorList{fn::softmax(in[0], 1, IValue())}; }},
            {"layer_norm with its gradient",
             {drawn({40, 6, 50}), drawn({6, 50}), drawn({6, 50}), drawn({40, 6, 50})},
             [=](const TensorList& in) {
                 const auto [y, mean, rstd] = fn::native_layer_norm(in[0], Dims{6, 50}, in[1], in[2], 1e-5);
                 TensorList out = list_of(
                     fn::native_layer_norm_backward(in[3], in[0], Dims{6, 50}, mean, rstd, in[1], in[2], all_three()));
                 out.push_back(y);
                 return out;
             }},
            {"layer_norm of bfloat16 with wide parameters",
             {drawn({8, 64}, ScalarType::BFloat16), drawn({64}), drawn({64})},
             [](const TensorList& in) {
                 return TensorList{std::get<0>(fn::native_layer_norm(in[0], Dims{64}, in[1], in[2], 1e-5))};
             },
             2e-2}};
}

std::vector<Case> cases_of_indices() {
    return {
        {"sort with NaN",
         {fn::masked_fill(drawn({6, 50}), fn::gt_scalar(drawn({6, 50}), Scalar(0.8)),
                          Scalar(std::numeric_limits<double>::quiet_NaN()))},
         [](const TensorList& in) {
             return TensorList{std::get<0>(kSort(in[0], std::int64_t{1}, false)),
                               std::get<0>(kSort(in[0], std::int64_t{0}, true))};
         }},
        {"sort of float64 rows",
         {drawn({7, 33}, ScalarType::Float64)},
         [=](const TensorList& in) { return list_of(kSort(in[0], std::int64_t{1}, true)); }},
        {"sort of int64",
         {fn::t(whole({9, 40}, 1 << 30))},
         [](const TensorList& in) { return TensorList{std::get<0>(kSort(in[0], std::int64_t{0}, false))}; }},
        {"index_put adds up",
         {drawn({20, 3, 4}), whole({50}, 20), whole({50}, 4), drawn({50, 3})},
         [](const TensorList& in) {
             return TensorList{kIndexPut(in[0], TensorList{in[1], Tensor(), in[2]}, in[3], true)};
         }},
        {"index by a mask",
         {drawn({12, 5}), fn::gt_scalar(drawn({12}), Scalar(0.5))},
         [](const TensorList& in) { return TensorList{fn::index(in[0], TensorList{in[1]})}; }},
        {"scatter_add of many",
         {drawn({16, 30}), whole({16, 200}, 30), drawn({16, 200})},
         [](const TensorList& in) { return TensorList{fn::scatter_add(in[0], 1, in[1], in[2])}; }},
        {"embedding gradient by frequency",
         {drawn({64, 12}), whole({64}, 9)},
         [](const TensorList& in) {
             return TensorList{fn::embedding_dense_backward(in[0], in[1], std::int64_t{10}, std::int64_t{3}, true)};
         }},
        {"cat along the last of many",
         {drawn({40, 8}), drawn({40, 3}), drawn({40, 5})},
         [](const TensorList& in) {
             return TensorList{fn::cat(in, 1), fn::stack(TensorList{in[0], in[0]}, 1)};
         }},
        {"attention of interleaved heads",
         {drawn({2, 16, 24})},
         [](const TensorList& in) {
             const auto heads = [&](std::int64_t i) {
                 return fn::transpose(fn::view(fn::slice(in[0], 2, 8 * i, 8 * i + 8, 1), Dims{2, 16, 2, 4}), 1, 2);
             };
             const Tensor scores = fn::mul_scalar(heads(0), Scalar(0.5));
             return TensorList{fn::reshape(fn::transpose(scores, 1, 2), Dims{2, 16, 8}),
                               fn::reshape(heads(1), Dims{4, 16, 4}), fn::zero_(fn::empty_like(scores))};
         }},
        {"running sums of long lines",
         {drawn({3, 3000}), drawn({200, 4})},
         [](const TensorList& in) {
             return TensorList{fn::cumsum(in[0], 1, IValue()), fn::cumsum(in[1], 0, IValue())};
         }},
        {"pictures turned around",
         {drawn({2, 3, 7, 9})},
         [](const TensorList& in) {
             return TensorList{fn::flip(in[0], Dims{1, 3}), fn::roll(in[0], Dims{2, -3}, Dims{2, 3}),
                               fn::tril(fn::t(fn::select(fn::select(in[0], 0, 0), 0, 0)), 1)};
         }},
        {"losses of strided pairs",
         {fn::t(drawn({30, 20})), drawn({20, 30})},
         [](const TensorList& in) {
             return TensorList{kMseLoss(in[0], in[1], std::int64_t{1}),
                               kSmoothLoss(in[0], in[1], std::int64_t{2}, 0.3)};
         }},
    };
}

std::vector<Case> cases_of_pictures() {
    const Dims two{2, 2}, three{3, 3}, one{1, 1};
    std::vector<Case> all;
    for (const bool last : {false, true}) {
        const auto laid = [last](const Tensor& t) { return last ? channels_last(t) : t; };
        const std::string suffix = last ? ", channels last" : "";
        const Tensor image = laid(drawn({4, 6, 11, 13})), grad = laid(drawn({4, 6, 11, 13}));
        all.push_back(
            {"batch_norm" + suffix,
             {image, drawn({6}), drawn({6}), drawn({6}), fn::abs(drawn({6})), grad},
             [=](const TensorList& in) {
                 // The running statistics are written: on copies.
                 const Tensor mean = fn::clone(in[3]), spread = fn::clone(in[4]);
                 const auto y = fn::native_batch_norm(in[0], in[1], in[2], mean, spread, true, 0.1, 1e-5);
                 TensorList out = list_of(fn::native_batch_norm_backward(
                     in[5], in[0], in[1], mean, spread, std::get<1>(y), std::get<2>(y), true, 1e-5, all_three()));
                 for (const Tensor& t : {std::get<0>(y), mean, spread}) out.push_back(t);
                 out.push_back(std::get<0>(fn::native_batch_norm(in[0], in[1], in[2], mean, spread, false, 0.1, 1e-5)));
                 return out;
             },
             1e-4});
        all.push_back({"pools" + suffix, {image}, [=](const TensorList& in) {
                           const auto most = fn::max_pool2d_with_indices(in[0], three, two, one, one, true);
                           TensorList out = list_of(most);
                           out.push_back(fn::max_pool2d_with_indices_backward(std::get<0>(most), in[0], three, two, one,
                                                                              one, true, std::get<1>(most)));
                           out.push_back(fn::avg_pool2d(in[0], three, two, one, false, false, IValue()));
                           out.push_back(fn::adaptive_avg_pool2d(in[0], Dims{3, 5}));
                           out.push_back(kBilinear(in[0], Dims{17, 8}, false, IValue(), IValue()));
                           return out;
                       }});
    }
    return all;
}

// Several tiles of queries and keys, none of them whole; queries that see nothing; heads that lie side by side.
std::vector<Case> cases_of_attention() {
    std::vector<Case> all;
    const auto add = [&](const std::string& name, ScalarType dtype, std::int64_t width, bool is_causal, bool has_bias,
                         double tolerance) {
        const std::int64_t rows = 130, columns = 150;
        const auto heads = [&](std::int64_t length, std::int64_t wide) {
            return fn::transpose(drawn({2, length, 3, wide}, dtype), 1, 2);
        };
        TensorList inputs{heads(rows, width), heads(columns, width), heads(columns, width - 5), heads(rows, width - 5)};
        if (has_bias) {
            const Tensor bias = drawn({2, 1, rows, columns}, dtype);
            const Scalar hidden(-std::numeric_limits<double>::infinity());
            fn::fill_(fn::narrow(bias, 2, std::int64_t{7}, std::int64_t{2}), hidden);
            inputs.push_back(fn::masked_fill(bias, fn::gt_scalar(bias, Scalar(1.2)), hidden));
        }
        all.push_back({name, inputs,
                       [=](const TensorList& in) {
                           const Tensor bias = has_bias ? in[4] : Tensor();
                           const auto [out, sums, seed, offset] =
                               kAttention(in[0], in[1], in[2], bias, true, 0.0, is_causal, 0.2);
                           const IValue wanted(
                               make_ptr<ListObject>(types::boolean(), std::vector<IValue>{true, true, true, false}));
                           const auto grads = kAttentionBackward(in[3], in[0], in[1], in[2], bias, out, sums, seed,
                                                                 offset, 0.0, wanted, is_causal, 0.2);
                           return TensorList{out, sums, std::get<0>(grads), std::get<1>(grads), std::get<2>(grads)};
                       },
                       tolerance});
    };
    add("attention", ScalarType::Float32, 16, false, false, 2e-5);
    add("attention, causal", ScalarType::Float32, 40, true, false, 2e-5);
    add("attention with a bias", ScalarType::Float32, 64, false, true, 2e-5);
    add("attention of bfloat16", ScalarType::BFloat16, 128, true, false, 3e-2);
    add("attention of float16 with a bias", ScalarType::Float16, 30, true, true, 4e-3);
    return all;
}

// Points inside, outside, on the border and at NaN.
Tensor grid_of(std::initializer_list<std::int64_t> sizes) {
    const Tensor grid = fn::mul_scalar(drawn(sizes), Scalar(1.3));
    return fn::masked_fill(grid, fn::gt_scalar(grid, Scalar(1.9)), Scalar(1.0));
}

std::vector<Case> cases_of_grids() {
    std::vector<Case> all;
    static const OperatorHandle<fn::TwoTensors> backward2d{"aten::grid_sampler_2d_backward"},
        backward3d{"aten::grid_sampler_3d_backward"};
    static const OperatorHandle<> forward2d{"aten::grid_sampler_2d"}, forward3d{"aten::grid_sampler_3d"};
    const IValue both(make_ptr<ListObject>(types::boolean(), std::vector<IValue>{true, true}));
    for (std::int64_t mode = 0; mode < 3; ++mode) {
        for (std::int64_t padding = 0; padding < 3; ++padding) {
            const bool align = (mode + padding) % 2 == 0;
            all.push_back({concat("grid_sampler_2d, mode ", mode, ", padding ", padding),
                           {drawn({2, 3, 5, 7}), grid_of({2, 4, 6, 2}), drawn({2, 3, 4, 6})},
                           [=](const TensorList& in) {
                               TensorList out = list_of(backward2d(in[2], in[0], in[1], mode, padding, align, both));
                               out.push_back(forward2d(in[0], in[1], mode, padding, align));
                               return out;
                           }});
            if (mode == 2) continue;
            all.push_back({concat("grid_sampler_3d, mode ", mode, ", padding ", padding),
                           {drawn({2, 3, 3, 5, 4}), grid_of({2, 2, 3, 4, 3}), drawn({2, 3, 2, 3, 4})},
                           [=](const TensorList& in) {
                               TensorList out = list_of(backward3d(in[2], in[0], in[1], mode, padding, align, both));
                               out.push_back(forward3d(in[0], in[1], mode, padding, align));
                               return out;
                           }});
        }
    }
    static const OperatorHandle<> blocks{"aten::im2col"}, image{"aten::col2im"};
    const Dims kernel{3, 2}, dilation{1, 2}, padding{2, 1}, stride{2, 1};
    all.push_back(
        {"blocks as columns, and back", {fn::transpose(drawn({2, 3, 8, 9}), 2, 3)}, [=](const TensorList& in) {
             const Tensor columns = blocks(in[0], kernel, dilation, padding, stride);
             return TensorList{columns, image(columns, Dims{9, 8}, kernel, dilation, padding, stride)};
         }});
    return all;
}

// Few values, so that there are equals, with NaN among them.
Tensor coarse(std::initializer_list<std::int64_t> sizes, bool with_nan) {
    const Tensor t = fn::round(fn::mul_scalar(drawn(sizes), Scalar(3)));
    if (!with_nan) return t;
    return fn::masked_fill(t, fn::gt_scalar(drawn(sizes), Scalar(1.2)),
                           Scalar(std::numeric_limits<double>::quiet_NaN()));
}

std::vector<Case> cases_of_selection() {
    static const OperatorHandle<fn::TwoTensors> greatest{"aten::cummax"}, least{"aten::cummin"},
        median{"aten::median.dim"}, nanmedian{"aten::nanmedian.dim"}, mode{"aten::mode"};
    static const OperatorHandle<fn::ThreeTensors> unique{"aten::_unique2"}, consecutive{"aten::unique_consecutive"};
    static const OperatorHandle<> search{"aten::searchsorted.Tensor"}, buckets{"aten::bucketize.Tensor"},
        middle{"aten::median"}, lower{"aten::tril_indices"}, upper{"aten::triu_indices"},
        scatter{"aten::scatter.reduce"}, scatter_value{"aten::scatter.value_reduce"};
    std::vector<Case> all;
    for (const bool with_nan : {false, true}) {
        const std::string suffix = with_nan ? " with NaN" : "";
        all.push_back({"running extremes" + suffix,
                       {coarse({3, 2000}, with_nan), fn::t(coarse({40, 5}, with_nan)), whole({6, 30}, 9)},
                       [=](const TensorList& in) {
                           TensorList out;
                           for (const Tensor& t : in) {
                               for (const std::int64_t dim : {0, 1}) {
                                   for (const Tensor& each : list_of(greatest(t, dim))) out.push_back(each);
                                   for (const Tensor& each : list_of(least(t, dim))) out.push_back(each);
                               }
                           }
                           return out;
                       }});
        all.push_back(
            {"medians" + suffix, {coarse({5, 12}, with_nan), coarse({7, 3, 4}, with_nan)}, [=](const TensorList& in) {
                 TensorList out{middle(in[0])};
                 for (const Tensor& t : in) {
                     for (const std::int64_t dim : {0, -1}) {
                         for (const Tensor& each : list_of(median(t, dim, dim == 0))) out.push_back(each);
                         for (const Tensor& each : list_of(nanmedian(t, dim, dim != 0))) out.push_back(each);
                     }
                 }
                 return out;
             }});
        all.push_back({"each once" + suffix, {coarse({6, 9}, with_nan), whole({50}, 8)}, [=](const TensorList& in) {
                           TensorList out;
                           for (const Tensor& t : in) {
                               for (const Tensor& each : list_of(unique(t, true, true, true))) out.push_back(each);
                               for (const Tensor& each : list_of(consecutive(t, true, true, IValue())))
                                   out.push_back(each);
                           }
                           return out;
                       }});
        all.push_back({"places in sorted rows" + suffix,
                       {std::get<0>(kSort(coarse({4, 11}, with_nan), std::int64_t{1}, false)), coarse({4, 6}, with_nan),
                        std::get<0>(kSort(whole({9}, 20), std::int64_t{0}, false)), whole({3, 5}, 20)},
                       [=](const TensorList& in) {
                           return TensorList{search(in[0], in[1], false, false, IValue(), Tensor()),
                                             search(in[0], in[1], true, false, "right", Tensor()),
                                             buckets(in[3], in[2], false, true), buckets(in[1], in[2], true, false)};
                       }});
    }
    all.push_back({"the most frequent", {coarse({6, 40}, false), whole({30, 4}, 5)}, [=](const TensorList& in) {
                       // Which of the equals it names is left open.
                       const auto [rows, in_rows] = mode(in[0], std::int64_t{1}, true);
                       const auto [columns, in_columns] = mode(in[1], std::int64_t{0}, true);
                       return TensorList{rows, fn::gather(in[0], 1, in_rows, false), columns,
                                         fn::gather(in[1], 0, in_columns, false)};
                   }});
    all.push_back(
        {"triangles' places, sums and products that meet",
         {drawn({8, 5}), whole({8, 9}, 5), drawn({8, 9})},
         [=](const TensorList& in) {
             const IValue device = in[0].device();
             return TensorList{
                 lower(std::int64_t{5}, std::int64_t{7}, std::int64_t{-1}, IValue(), IValue(), device, IValue()),
                 upper(std::int64_t{6}, std::int64_t{4}, std::int64_t{1}, IValue(), IValue(), device, IValue()),
                 scatter(in[0], std::int64_t{1}, in[1], in[2], "multiply"),
                 scatter_value(in[0], std::int64_t{1}, in[1], Scalar(0.5), "add")};
         }});
    return all;
}

std::vector<Case> cases_of_counting() {
    static const OperatorHandle<> bincount{"aten::bincount"}, histc{"aten::histc"}, isin{"aten::isin.Tensor_Tensor"};
    static const OperatorHandle<FourTensors> bag{"aten::_embedding_bag"};
    std::vector<Case> all;
    all.push_back({"how often, and whether",
                   {whole({200}, 17), drawn({200}), coarse({6, 8}, true), coarse({5}, true), whole({30}, 9)},
                   [=](const TensorList& in) {
                       return TensorList{bincount(in[0], Tensor(), std::int64_t{3}),
                                         bincount(in[0], in[1], std::int64_t{40}),
                                         histc(in[1], std::int64_t{7}, Scalar(-1), Scalar(1)),
                                         histc(in[1], std::int64_t{5}, Scalar(0), Scalar(0)),
                                         isin(in[2], in[3], false, false),
                                         isin(in[0], in[4], false, true)};
                   }});
    for (std::int64_t mode = 0; mode < 3; ++mode) {
        all.push_back({concat("bags, mode ", mode),
                       {drawn({9, 6}), whole({20}, 9), tensor_of<std::int64_t>({0, 3, 3, 12}, {4}), drawn({20})},
                       [=](const TensorList& in) {
                           TensorList out =
                               list_of(bag(in[0], in[1], in[2], false, mode, false, Tensor(), false, std::int64_t{4}));
                           for (const Tensor& t : list_of(bag(in[0], in[1], in[2], false, mode, false,
                                                              mode == 0 ? in[3] : Tensor(), true, std::int64_t{-1})))
                               out.push_back(t);
                           return out;
                       }});
    }
    static const OperatorHandle<fn::TwoTensors> spell{"aten::_ctc_loss"};
    static const OperatorHandle<> spell_backward{"aten::_ctc_loss_backward"};
    // Repetitions, a target that is longer than its input, one without labels.
    const Dims inputs{7, 2, 5, 7}, lengths{3, 3, 0, 2};
    for (const bool zero_infinity : {false, true}) {
        all.push_back({concat("ctc_loss, zero_infinity ", zero_infinity),
                       {fn::log_softmax(drawn({7, 4, 5}), 2, IValue()),
                        tensor_of<std::int64_t>({1, 1, 2, 3, 3, 3, 4, 2}, {8}), drawn({4})},
                       [=](const TensorList& in) {
                           const auto [losses, alpha] =
                               spell(in[0], in[1], inputs, lengths, std::int64_t{0}, zero_infinity);
                           TensorList out{losses, alpha};
                           if (zero_infinity)
                               out.push_back(spell_backward(in[2], in[0], in[1], inputs, lengths, losses, alpha,
                                                            std::int64_t{0}, true));
                           return out;
                       }});
    }
    return all;
}

std::vector<Case> cases_of_distances() {
    static const OperatorHandle<> forward{"aten::_cdist_forward"}, backward{"aten::_cdist_backward"},
        norm{"aten::linalg_vector_norm"};
    std::vector<Case> all;
    for (const double p : {0.0, 1.0, 1.5, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
        all.push_back({concat("distances and norms, p ", p),
                       {drawn({2, 1, 6, 4}), drawn({3, 5, 4}), drawn({2, 3, 6, 5})},
                       [=](const TensorList& in) {
                           const Tensor whole_distance = forward(in[0], in[1], p, std::int64_t{2});
                           return TensorList{whole_distance, backward(in[2], in[0], in[1], p, whole_distance),
                                             norm(in[2], Scalar(p), Dims{1, -1}, true, IValue()),
                                             norm(in[1], Scalar(p), IValue(), false, IValue())};
                       },
                       1e-4});
    }
    return all;
}

std::vector<Case> cases() {
    std::vector<Case> all = cases_of_rows();
    for (const auto& more : {cases_of_indices(), cases_of_pictures(), cases_of_attention(), cases_of_grids(),
                             cases_of_selection(), cases_of_counting(), cases_of_distances(), device_cases::cases()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

const std::vector<Case>& all_cases() {
    static const std::vector<Case> all = cases();
    return all;
}

// ---- what falls back

using Listed = std::map<std::string, std::set<std::string>>;  // operator: dtypes

std::string joined(const std::set<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += " " + name;
    return all;
}

// Lines "aten::name: float32 int64", or names alone.
Listed listed_fallbacks(const char* name) {
    QFile file(QString(LOUPE_SOURCE_DIR "/tests/plugins/cuda/") + name);
    Listed listed;
    if (!file.open(QIODevice::ReadOnly)) throw Error(ErrorKind::File, name);
    for (const QByteArray& bytes : file.readAll().split('\n')) {
        const std::string line = bytes.toStdString();
        if (line.empty() || line.starts_with('#')) continue;
        const std::size_t colon = line.find(": ");
        std::set<std::string>& dtypes = listed[line.substr(0, colon)];
        if (colon == std::string::npos) continue;
        std::istringstream words(line.substr(colon + 2));
        for (std::string word; words >> word;) dtypes.insert(word);
    }
    return listed;
}

// Operators on lists, numbers and texts have no tensor to run on.
bool can_run_there(const Operator& op) {
    const bool has_tensors = op.tensor_arguments != 0 || op.list_arguments != 0 || op.device_argument >= 0;
    return op.variant == OperatorVariant::Functional && op.record->kernel.function != nullptr && !op.is_composite() &&
           !op.works_anywhere && op.record->placement != Placement::Host && has_tensors;
}

// Which operator it is whose work goes to the host: as a whole, or one of its loops.
class FallbackWatcher : public FallbackObserver, public ExecutionObserver {
  public:
    std::set<std::string> operators;
    void on_kernel(const KernelChoice& choice) override {
        if (choice.backend == "cpu fallback") {
            operators.emplace(choice.op);
            ++announced_;
        } else if (choice.backend == "loops") {
            current_ = choice.op;
        }
    }
    void on_fallback(const FallbackCost&) override {
        if (announced_ > 0)
            --announced_;
        else
            operators.insert(current_);
    }

  private:
    std::string current_;
    int announced_ = 0;
};

struct Fallbacks {
    Listed tried, fell;
};

// Runs each operator's samples on the device, forward.
Fallbacks fallbacks_of_samples() {
    constexpr ScalarType kDtypes[] = {ScalarType::Float32,  ScalarType::Float64, ScalarType::Float16,
                                      ScalarType::BFloat16, ScalarType::Int64,   ScalarType::Int32,
                                      ScalarType::UInt8,    ScalarType::Bool,    ScalarType::Complex64};
    Fallbacks all;
    for (const Operator* const op : all_operators()) {
        if (!can_run_there(*op) || op->record->samples == nullptr || !op->full_name.starts_with("aten::")) continue;
        for (const ScalarType dtype : kDtypes) {
            Random random;
            std::vector<Sample> samples;
            try {
                samples = op->record->samples(random, dtype);
            } catch (const Error&) {
                continue;  // no samples in this dtype
            }
            const std::string name(dtype_name(dtype));
            for (const Sample& sample : samples) {
                FallbackWatcher watcher;
                try {
                    std::vector<IValue> there = sweep::changed(sample.arguments, [](const Tensor& t) {
                        return t.device().is_cpu() && !t.is_sparse() ? on_device(fn::clone(t), kOwn) : t;
                    });
                    for (IValue& value : there) {
                        if (value.is_device()) value = kOwn;
                    }
                    const ObserverScope watched(&watcher);
                    set_fallback_observer(&watcher);
                    sweep::call(*op, there);
                } catch (const Error&) {
                    set_fallback_observer(nullptr);
                    continue;  // refused, as on the host
                }
                set_fallback_observer(nullptr);
                all.tried[op->full_name].insert(name);
                if (watcher.operators.contains(op->full_name)) all.fell[op->full_name].insert(name);
            }
        }
    }
    return all;
}

}  // namespace

class TestDeviceOperators : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { load_plugins_from(LOUPE_BINARY_DIR "/lib/test_plugins"); }

    void asOnTheHost_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const Case& c : all_cases()) QTest::addRow("%s", c.name.c_str()) << index++;
    }
    void asOnTheHost() {
        QFETCH(int, index);
        const Case& c = all_cases()[static_cast<std::size_t>(index)];
        TensorList there;
        for (const Tensor& t : c.inputs) there.push_back(on_device(t, kOwn));
        const TensorList wanted = c.work(c.inputs);
        Counter counter;
        TensorList found;
        {
            const ObserverScope watched(&counter);
            set_fallback_observer(&counter);
            found = c.work(there);
            set_fallback_observer(nullptr);
        }
        QVERIFY2(counter.fallbacks.empty(), counter.fallbacks.empty() ? "" : counter.fallbacks.front().c_str());
        QCOMPARE(found.size(), wanted.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            QVERIFY(found[i].device() == kOwn);
            QCOMPARE(found[i].dtype(), wanted[i].dtype());
            const std::string differs = difference(on_host(found[i]), wanted[i], c.tolerance);
            QVERIFY2(differs.empty(), concat("output ", i, ": ", differs).c_str());
        }
    }

    // What runs on copies on the host: lists that may only get shorter. fallbacks.txt has what the operators' samples
    // show, by dtype; without_loops.txt the operators without samples, by the table of kernels.
    void fallbacks() {
        const Listed listed = listed_fallbacks("fallbacks.txt");
        const Fallbacks found = fallbacks_of_samples();
        std::size_t pairs = 0, native = 0, operators = 0, whole = 0;
        for (const auto& [name, dtypes] : found.tried) {
            const auto fell = found.fell.find(name);
            ++operators;
            whole += fell == found.fell.end() ? 1 : 0;
            pairs += dtypes.size();
            native += dtypes.size() - (fell == found.fell.end() ? 0 : fell->second.size());
        }
        qInfo("%s",
              concat(whole, " of ", operators, " operators with samples have kernels on a device for every dtype, ",
                     native, " of ", pairs, " pairs of operator and dtype")
                  .c_str());
        if (qEnvironmentVariableIsSet("LOUPE_WRITE_FALLBACKS")) {
            for (const auto& [name, dtypes] : found.fell) std::printf("%s:%s\n", name.c_str(), joined(dtypes).c_str());
        }
        for (const auto& [name, dtypes] : found.fell) {
            const auto known = listed.find(name);
            QVERIFY2(known != listed.end(),
                     concat(name, " runs on copies on the host for", joined(dtypes), " and is not listed").c_str());
            for (const std::string& dtype : dtypes)
                QVERIFY2(known->second.contains(dtype),
                         concat(name, " runs on copies on the host for ", dtype, ", which is not listed").c_str());
        }
        for (const auto& [name, dtypes] : listed) {
            const auto fell = found.fell.find(name);
            for (const std::string& dtype : dtypes)
                QVERIFY2(fell != found.fell.end() && fell->second.contains(dtype),
                         concat(name, " has a kernel for ", dtype, ": take it out of fallbacks.txt").c_str());
        }
    }

    void withoutSamples() {
        const Listed listed = listed_fallbacks("without_loops.txt");
        std::set<std::string> found;
        for (const Operator* const op : all_operators()) {
            if (!can_run_there(*op) || op->record->samples != nullptr) continue;
            const auto& candidates = op->kernels->candidates[static_cast<std::size_t>(DeviceType::PrivateUse1)];
            const bool has_loops =
                std::ranges::any_of(candidates, [](const KernelCandidate& c) { return c.backend == "loops"; });
            if (!has_loops && op->full_name.starts_with("aten::")) found.insert(op->full_name);
        }
        if (qEnvironmentVariableIsSet("LOUPE_WRITE_FALLBACKS")) {
            for (const std::string& name : found) std::printf("without loops: %s\n", name.c_str());
        }
        for (const std::string& name : found)
            QVERIFY2(listed.contains(name), concat(name, " has no form on devices and is not listed").c_str());
        for (const auto& [name, dtypes] : listed)
            QVERIFY2(found.contains(name), concat(name, " is listed and has a form on devices").c_str());
    }

    void indicesOutOfBounds() {
        const Tensor table = on_device(drawn({5, 3}), kOwn);
        const auto refusal = [](const std::function<void()>& work) -> std::string {
            try {
                work();
            } catch (const Error& error) {
                return error.message();
            }
            return {};
        };
        const Tensor bad = on_device(tensor_of<std::int64_t>({1, 7}, {2}), kOwn);
        QCOMPARE(refusal([&] { kEmbedding(table, bad, std::int64_t{-1}, false, false); }),
                 std::string("index out of range in self: 7 of 5 rows (in aten::embedding)"));
        QCOMPARE(refusal([&] {
                     fn::index(table, TensorList{Tensor(), bad});
                 }),
                 std::string("index 7 is out of bounds for dimension 1 with size 3 (in aten::index)"));
        QCOMPARE(refusal([&] {
                     fn::nll_loss(fn::t(fn::slice(table, 1, 0, 2, 1)),
                                  on_device(tensor_of<std::int64_t>({0, -3}, {2}), kOwn), Tensor(), std::int64_t{1},
                                  std::int64_t{-100});
                 }),
                 std::string("Target -3 is out of bounds. (in aten::nll_loss)"));
        static const OperatorHandle<fn::ThreeTensors> unpack{"aten::lu_unpack"};
        QVERIFY(refusal([&] {
                    unpack(fn::narrow(table, 0, std::int64_t{0}, std::int64_t{3}),
                           on_device(fn::to_dtype(tensor_of<std::int64_t>({1, 4, 3}, {3}), 3), kOwn), true, true);
                }).starts_with("pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."));
        static const OperatorHandle<> masked_scatter{"aten::masked_scatter"};
        QCOMPARE(refusal([&] { masked_scatter(table, fn::gt_scalar(table, Scalar(-1e9)), fn::select(table, 0, 0)); }),
                 std::string("Number of elements of source < number of ones in mask"));
        static const OperatorHandle<fn::TwoTensors> fractional{"aten::fractional_max_pool2d"};
        QCOMPARE(refusal([&] {
                     fractional(on_device(drawn({1, 5, 5}), kOwn), Dims{2, 2}, Dims{3, 3},
                                on_device(tensor_of<float>({0.5F, 1.5F}, {1, 1, 2}), kOwn));
                 }),
                 std::string("Expect _random_samples from 0 to 1, but got 1.5 (in aten::fractional_max_pool2d)"));
        // And the next call is none the worse.
        QCOMPARE(refusal([&] { fn::index_select(table, 0, on_device(tensor_of<std::int64_t>({4}, {1}), kOwn)); }),
                 std::string());
    }

    // What asks for sizes and dtypes, or for one number, copies nothing else.
    void metadataStaysThere() {
        static const OperatorHandle<> resize{"aten::resize_"}, set{"aten::set_.source_Tensor"};
        const Tensor x = on_device(tensor_of<float>({1, 2, 3, 4}, {4}), kOwn), other = on_device(drawn({2, 2}), kOwn);
        Counter counter;
        {
            const ObserverScope watched(&counter);
            set_fallback_observer(&counter);
            const auto call = [](const char* name, std::vector<IValue> arguments) {
                return sweep::call(*find_operator(name), std::move(arguments))[0];
            };
            QCOMPARE(call("aten::item", {fn::select(x, 0, 2)}).to_scalar().to_double(), 3.0);
            QCOMPARE(call("aten::Bool.Tensor", {fn::select(x, 0, 2)}).to_bool(), true);
            QCOMPARE(call("aten::result_type.Scalar", {x, IValue(2)}).to_int(),
                     static_cast<std::int64_t>(ScalarType::Float32));
            const IValue list(
                make_ptr<ListObject>(types::tensor(), std::vector<IValue>{fn::select(x, 0, 2), fn::select(x, 0, 1)}));
            QCOMPARE(call("aten::count.Tensor", {list, fn::select(x, 0, 1)}).to_int(), std::int64_t{1});
            const Tensor made = call("aten::tensor.float", {2.5, IValue(), kOwn, false}).to_tensor();
            QVERIFY(made.device() == kOwn);
            // Elements are kept where the memory must grow.
            resize(x, Dims{2, 3}, IValue());
            set_fallback_observer(nullptr);
        }
        QVERIFY(counter.fallbacks.empty());
        QVERIFY(x.device() == kOwn);
        const Tensor grown = on_host(x);
        for (int i = 0; i < 4; ++i) QCOMPARE(grown.data<float>()[i], static_cast<float>(i + 1));
        set(x, other);
        QVERIFY(x.storage() == other.storage());
    }

    // Indices and values of a sparse tensor stay on the device; what meets is added up there.
    void sparseTensors() {
        static const OperatorHandle<> backward{"aten::embedding_sparse_backward"}, coalesce{"aten::coalesce"},
            to_dense{"aten::to_dense"}, mask{"aten::sparse_mask"}, values{"aten::_values"}, indices{"aten::_indices"};
        const Tensor grad = drawn({2, 6, 3}),
                     rows = tensor_of<std::int64_t>({4, 0, 4, 2, 0, 4, 1, 4, 6, 2, 2, 0}, {2, 6});
        const Tensor table = drawn({7, 3});
        const auto run = [&](Device device) {
            const auto there = [&](const Tensor& t) { return on_device(t, device); };
            const Tensor sparse = backward(there(grad), there(rows), std::int64_t{7}, std::int64_t{1}, false);
            const Tensor once = coalesce(sparse);
            const Tensor kept = mask(there(table), once);
            const Tensor again = to_dense(fn::add(there(table), sparse, Scalar(0.5)), IValue());
            return TensorList{values(sparse),           indices(once), values(once), values(kept),
                              to_dense(once, IValue()), again};
        };
        const TensorList wanted = run(Device{});
        Counter counter;
        TensorList found;
        {
            const ObserverScope watched(&counter);
            set_fallback_observer(&counter);
            found = run(kOwn);
            set_fallback_observer(nullptr);
        }
        QVERIFY2(counter.fallbacks.empty(), counter.fallbacks.empty() ? "" : counter.fallbacks.front().c_str());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            QVERIFY(found[i].device() == kOwn);
            const std::string differs = difference(on_host(found[i]), wanted[i], 1e-5);
            QVERIFY2(differs.empty(), concat("output ", i, ": ", differs).c_str());
        }
    }

    void dropoutIsDifferentiated() {
        const Tensor x = on_device(drawn({1000}), kOwn);
        set_requires_grad(x, true);
        const Tensor y = fn::dropout(x, 0.25, true);
        QVERIFY(y.device() == kOwn);
        backward({fn::sum(y)});
        // Kept elements were scaled up, the gradients of the others are 0.
        const Tensor here = on_host(fn::detach(y)), own = on_host(fn::detach(x)), slope = on_host(grad_of(x));
        int kept = 0;
        for (std::int64_t i = 0; i < 1000; ++i) {
            const bool is_kept = here.data<float>()[i] != 0;
            kept += is_kept ? 1 : 0;
            QCOMPARE(slope.data<float>()[i], is_kept ? 1 / 0.75F : 0.0F);
            QVERIFY(std::abs(here.data<float>()[i] - slope.data<float>()[i] * own.data<float>()[i]) < 1e-6F);
        }
        QVERIFY(kept > 690 && kept < 810);
    }
};

QTEST_GUILESS_MAIN(TestDeviceOperators)
#include "test_device_operators.moc"
