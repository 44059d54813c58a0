// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/cuda/device_cases.h"

#include <limits>

#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"

namespace loupe::device_cases {
namespace {

Tensor drawn(std::initializer_list<std::int64_t> sizes, ScalarType dtype = ScalarType::Float32) {
    static Random random;
    return random_tensor(random, sizes, dtype);
}
Tensor whole(std::initializer_list<std::int64_t> sizes, std::int64_t limit) {
    static Random random;
    return random_indices(random, sizes, limit);
}
Tensor as(const Tensor& t, ScalarType dtype) { return fn::to_dtype(t, static_cast<std::int64_t>(dtype)); }
template <typename Tuple>
TensorList list_of(const Tuple& tuple) {
    return std::apply([](const auto&... t) { return TensorList{t...}; }, tuple);
}
IValue all_three() { return IValue(make_ptr<ListObject>(types::boolean(), std::vector<IValue>{true, true, true})); }

// 1, 2, 3, ... in each row.
Tensor rising(std::int64_t rows, std::int64_t count) {
    const Tensor line = fn::arange(Scalar(count), static_cast<std::int64_t>(ScalarType::Int64), IValue(), IValue());
    return fn::clone(fn::expand(fn::add_scalar(line, Scalar(1), Scalar(1)), Dims{rows, count}, false));
}

double tolerance_of(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float64:
        case ScalarType::Complex128:
            return 1e-12;
        case ScalarType::BFloat16:
            return 3e-2;
        case ScalarType::Float16:
            return 4e-3;
        default:
            return 2e-5;
    }
}

constexpr ScalarType kMultiplied[] = {ScalarType::UInt8,     ScalarType::Int8,      ScalarType::Int16,
                                      ScalarType::Int32,     ScalarType::Int64,     ScalarType::Float16,
                                      ScalarType::BFloat16,  ScalarType::Float32,   ScalarType::Float64,
                                      ScalarType::Complex64, ScalarType::Complex128};

}  // namespace

// Tiles of 64 by 64 and strips of 16 that end within, at and behind an edge; turned, strided and spread operands.
std::vector<Case> products() {
    static const OperatorHandle<> addbmm{"aten::addbmm"}, addmv{"aten::addmv"}, vdot{"aten::vdot"};
    std::vector<Case> all;
    for (const ScalarType dtype : kMultiplied) {
        // Sums of the small whole numbers wrap around.
        const bool is_complex_number = is_complex(dtype);
        const Scalar alpha = is_complex_number ? Scalar(std::complex<double>(0.5, -2)) : Scalar(3);
        const Scalar beta = is_complex_number ? Scalar(std::complex<double>(-1, 0.25)) : Scalar(2);
        const std::string of = concat(" of ", dtype_name(dtype));
        const Tensor wide = drawn({2, 70, 70}, dtype);
        const Tensor strided = fn::slice(drawn({129, 70}, dtype), 0, 0, 129, 2);
        all.push_back({"batches of products" + of,
                       {drawn({2, 65, 17}, dtype), fn::transpose(drawn({2, 63, 17}, dtype), 1, 2), wide,
                        drawn({1, 63}, dtype), strided},
                       [=](const TensorList& in) {
                           const Tensor product = fn::bmm(in[0], in[1]);
                           return TensorList{product, fn::bmm(fn::transpose(in[2], 1, 2), in[2]),
                                             fn::baddbmm(in[3], in[0], in[1], beta, alpha),
                                             fn::bmm(fn::unsqueeze(fn::t(in[4]), 0), fn::unsqueeze(in[4], 0))};
                       },
                       tolerance_of(dtype)});
        // The host rounds sums of 16 bits after each product.
        all.push_back({"sums of products" + of,
                       {drawn({3, 65, 17}, dtype), drawn({3, 17, 63}, dtype), drawn({1, 63}, dtype)},
                       [=](const TensorList& in) { return TensorList{addbmm(in[2], in[0], in[1], beta, alpha)}; },
                       tolerance_of(dtype) * (element_size(dtype) == 2 ? 16 : 1)});
        all.push_back({"matrices and vectors" + of,
                       {drawn({64, 48}, dtype), drawn({48, 128}, dtype), drawn({64}, dtype), drawn({48}, dtype),
                        fn::t(drawn({33, 64}, dtype)), drawn({1, 33}, dtype)},
                       [=](const TensorList& in) {
                           TensorList out{fn::mm(in[0], in[1]),
                                          fn::mv(in[0], in[3]),
                                          addmv(in[2], in[0], in[3], beta, alpha),
                                          fn::dot(in[3], in[3]),
                                          vdot(in[2], in[2]),
                                          fn::mm(fn::unsqueeze(in[3], 0), in[1]),
                                          fn::addmm(in[5], fn::t(in[0]), in[4], beta, alpha),
                                          fn::addmm(in[5], fn::t(in[0]), in[4], Scalar(0), alpha)};
                           return out;
                       },
                       tolerance_of(dtype)});
    }
    all.push_back(
        {"products of nothing", {drawn({3, 0}), drawn({0, 4}), drawn({4}), drawn({0})}, [](const TensorList& in) {
             return TensorList{fn::addmm(in[2], in[0], in[1], Scalar(2), Scalar(1)), fn::dot(in[3], in[3])};
         }});
    return all;
}

std::vector<Case> convolutions() {
    std::vector<Case> all;
    const auto add = [&](const char* name, ScalarType dtype, bool transposed, std::int64_t groups, Dims stride,
                         Dims padding, Dims dilation, Dims extra) {
        // Enough channels and pixels that tiles end within.
        const Tensor x = drawn({2, 4, 7, 9}, dtype);
        const Tensor w = transposed ? drawn({4, 70 / groups, 3, 2}, dtype) : drawn({70, 4 / groups, 3, 2}, dtype);
        all.push_back({concat(name, " of ", dtype_name(dtype)),
                       {x, w, drawn({70}, dtype)},
                       [=](const TensorList& in) {
                           const Tensor y = fn::convolution(in[0], in[1], in[2], stride, padding, dilation, transposed,
                                                            extra, groups);
                           const auto slopes =
                               fn::convolution_backward(y, in[0], in[1], IValue(Dims{70}), stride, padding, dilation,
                                                        transposed, extra, groups, all_three());
                           TensorList out = list_of(slopes);
                           out.push_back(y);
                           return out;
                       },
                       tolerance_of(dtype) * 10});
    };
    for (const ScalarType dtype : {ScalarType::Float64, ScalarType::Float32, ScalarType::Int64, ScalarType::Int32}) {
        add("convolution", dtype, false, 1, {1, 1}, {1, 0}, {1, 1}, {0, 0});
        add("convolution by groups", dtype, false, 2, {2, 3}, {2, 1}, {1, 2}, {0, 0});
        if (dtype == ScalarType::Int32) continue;  // the host refuses it
        add("transposed convolution", dtype, true, 1, {2, 2}, {1, 1}, {1, 1}, {1, 0});
        add("transposed convolution by groups", dtype, true, 2, {1, 3}, {0, 1}, {2, 1}, {0, 1});
    }
    return all;
}

namespace {

void spaced_numbers(std::vector<Case>& all) {
    static const OperatorHandle<> linspace{"aten::linspace"}, logspace{"aten::logspace"}, range{"aten::range.step"},
        eye{"aten::eye.m"};
    all.push_back({"evenly spaced numbers", {drawn({1})}, [](const TensorList& in) {
                       const IValue device = in[0].device();
                       TensorList out;
                       for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64, ScalarType::Int64,
                                                      ScalarType::Int32, ScalarType::BFloat16, ScalarType::Float16}) {
                           const IValue number = static_cast<std::int64_t>(dtype);
                           for (const std::int64_t count : {1, 2, 7, 100})
                               out.push_back(
                                   linspace(Scalar(-3), Scalar(11), count, number, IValue(), device, IValue()));
                           out.push_back(logspace(Scalar(0), Scalar(2.5), 6, 2.0, number, IValue(), device, IValue()));
                           out.push_back(range(Scalar(-2), Scalar(9), Scalar(3), number, IValue(), device, IValue()));
                           out.push_back(eye(3, 5, number, IValue(), device, IValue()));
                       }
                       return out;
                   }});
}

void ranks_and_slices(std::vector<Case>& all) {
    static const OperatorHandle<fn::TwoTensors> kth{"aten::kthvalue"};
    static const OperatorHandle<fn::ThreeTensors> slices{"aten::unique_dim"},
        neighbours{"aten::unique_dim_consecutive"};
    all.push_back({"ranks and whole slices",
                   {drawn({6, 40}), as(whole({5, 33}, 1 << 20), ScalarType::Int32), whole({60, 3}, 3),
                    fn::t(whole({2, 30}, 2)), as(whole({4, 25}, 2), ScalarType::Bool)},
                   [](const TensorList& in) {
                       TensorList out = list_of(kth(in[0], 7, 1, false));
                       out.push_back(std::get<0>(kth(in[1], 33, 1, true)));
                       out.push_back(std::get<0>(kth(in[1], 1, 0, false)));
                       for (const Tensor& t : {in[2], in[3], in[4]}) {
                           for (const std::int64_t dim : {0, 1}) {
                               for (const Tensor& each : list_of(slices(t, dim, true, true, true))) out.push_back(each);
                               for (const Tensor& each : list_of(neighbours(t, dim, true, true))) out.push_back(each);
                           }
                       }
                       return out;
                   }});
}

void numbers_among_others(std::vector<Case>& all) {
    static const OperatorHandle<> one_hot{"aten::one_hot"}, argwhere{"aten::argwhere"},
        repeats{"aten::repeat_interleave.Tensor"}, search{"aten::searchsorted.Scalar"},
        bucket{"aten::bucketize.Scalar"}, is_number{"aten::isin.Tensor_Scalar"}, has_number{"aten::isin.Scalar_Tensor"};
    all.push_back({"numbers among others",
                   {whole({40}, 6), drawn({5, 4}), fn::div_scalar(as(whole({30}, 90), ScalarType::Float32), Scalar(7))},
                   [](const TensorList& in) {
                       const Tensor sorted = std::get<0>(fn::topk(in[2], 30, 0, false, true));
                       return TensorList{is_number(in[0], Scalar(3), false, false),
                                         is_number(in[0], Scalar(2.5), false, true),
                                         has_number(Scalar(4), in[0], false, false),
                                         has_number(Scalar(77), in[0], false, true),
                                         search(sorted, Scalar(5), false, true, IValue(), Tensor()),
                                         bucket(Scalar(3.7), sorted, true, false),
                                         one_hot(in[0], -1),
                                         one_hot(in[0], 9),
                                         argwhere(fn::gt_scalar(in[1], Scalar(0))),
                                         repeats(in[0], IValue())};
                   }});
}

void histograms(std::vector<Case>& all) {
    static const OperatorHandle<fn::TwoTensors> histogram{"aten::histogram.bin_ct"},
        between{"aten::histogram.bins_tensor"};
    all.push_back({"histograms",
                   {drawn({300}), drawn({300}), drawn({40, 5}, ScalarType::Float64),
                    tensor_of<double>({-2, -0.5, 0, 0.25, 3}, {5})},
                   [](const TensorList& in) {
                       TensorList out = list_of(histogram(in[0], 11, IValue(), Tensor(), false));
                       const IValue limits(make_ptr<ListObject>(types::floating(), std::vector<IValue>{-1.0, 0.5}));
                       for (const Tensor& each : list_of(histogram(in[0], 4, limits, in[1], true))) out.push_back(each);
                       for (const Tensor& each : list_of(between(in[2], in[3], Tensor(), false))) out.push_back(each);
                       return out;
                   },
                   1e-4});
}

void meeting_numbers(std::vector<Case>& all) {
    static const OperatorHandle<> reduce{"aten::scatter_reduce.two"};
    all.push_back({"whole numbers that meet",
                   {whole({8, 5}, 100), whole({8, 9}, 5), fn::sub_scalar(whole({8, 9}, 100), Scalar(50), Scalar(1))},
                   [](const TensorList& in) {
                       TensorList out;
                       for (const ScalarType dtype : {ScalarType::Int64, ScalarType::Int32, ScalarType::Int8}) {
                           for (const char* const name : {"sum", "prod", "amax", "amin"}) {
                               for (const bool include : {true, false})
                                   out.push_back(reduce(as(in[0], dtype), 1, in[1], as(in[2], dtype), name, include));
                           }
                       }
                       return out;
                   }});
}

void masks_and_tables(std::vector<Case>& all) {
    static const OperatorHandle<> renorm{"aten::embedding_renorm_"}, scatter{"aten::masked_scatter"};
    all.push_back(
        {"a mask's places, rows of a table that are shortened",
         {drawn({4, 1, 6}), fn::gt_scalar(drawn({5, 6}), Scalar(0)), drawn({130}), drawn({9, 7}), whole({2, 8}, 9)},
         [](const TensorList& in) {
             TensorList out{scatter(fn::expand(in[0], Dims{4, 5, 6}, false), in[1], in[2])};
             for (const double p : {2.0, 1.0, std::numeric_limits<double>::infinity()})
                 out.push_back(renorm(fn::clone(in[3]), in[4], 1.5, p));
             return out;
         }});
}

void distances_of_pairs(std::vector<Case>& all) {
    static const OperatorHandle<> pdist{"aten::_pdist_forward"}, pdist_backward{"aten::_pdist_backward"};
    for (const double p : {0.0, 1.0, 1.5, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
        all.push_back({concat("distances of each pair, p ", p),
                       {drawn({70, 5}, ScalarType::Float64), drawn({2415}, ScalarType::Float64)},
                       [=](const TensorList& in) {
                           const Tensor distances = pdist(in[0], p);
                           return TensorList{distances, pdist_backward(in[1], in[0], p, distances)};
                       },
                       1e-10});
    }
}

void segments_of_lines(std::vector<Case>& all) {
    static const OperatorHandle<> segments{"aten::segment_reduce"}, segments_backward{"aten::_segment_reduce_backward"};
    for (const ScalarType dtype : {ScalarType::Float32, ScalarType::BFloat16}) {
        for (const char* const name : {"max", "mean", "min", "sum", "prod"}) {
            all.push_back(
                {concat("segments of ", dtype_name(dtype), ", ", name),
                 {drawn({3, 9, 4}, dtype), tensor_of<std::int64_t>({2, 0, 7, 4, 4, 1, 0, 9, 0}, {3, 3}),
                  drawn({3, 3, 4}, dtype)},
                 [=](const TensorList& in) {
                     const Tensor y = segments(in[0], name, in[1], IValue(), IValue(), 1, false, IValue(1.0));
                     return TensorList{y, segments_backward(in[2], y, in[0], name, in[1], IValue(), 1, IValue(1.0))};
                 },
                 dtype == ScalarType::Float32 ? 1e-5 : 1e-2});
        }
    }
}

}  // namespace

std::vector<Case> arrangements() {
    std::vector<Case> all;
    for (const auto add : {spaced_numbers, ranks_and_slices, numbers_among_others, histograms, meeting_numbers,
                           masks_and_tables, distances_of_pairs, segments_of_lines})
        add(all);
    return all;
}

std::vector<Case> pools() {
    static const OperatorHandle<> unpool{"aten::max_unpool2d"},
        fractional_backward{"aten::fractional_max_pool2d_backward"}, nearest{"aten::upsample_nearest2d"};
    static const OperatorHandle<fn::TwoTensors> fractional{"aten::fractional_max_pool2d"},
        fractional3d{"aten::fractional_max_pool3d"}, pool3d{"aten::max_pool3d_with_indices"};
    const Dims two{2, 2}, three{3, 3}, one{1, 1};
    std::vector<Case> all;
    for (const ScalarType dtype : {ScalarType::UInt8, ScalarType::Int32, ScalarType::Int64}) {
        // Below zero too, where the dtype has such.
        const Tensor x = dtype == ScalarType::UInt8
                             ? as(whole({2, 3, 9, 11}, 256), dtype)
                             : as(fn::sub_scalar(whole({2, 3, 9, 11}, 1000), Scalar(5000), Scalar(1)), dtype);
        all.push_back({concat("pools of ", dtype_name(dtype)), {x}, [=](const TensorList& in) {
                           TensorList out = list_of(fn::max_pool2d_with_indices(in[0], three, two, one, one, true));
                           for (const Tensor& each : list_of(
                                    pool3d(in[0], Dims{2, 3, 3}, Dims{1, 2, 2}, Dims{1, 1, 0}, Dims{1, 1, 2}, false)))
                               out.push_back(each);
                           if (dtype == ScalarType::UInt8)
                               out.push_back(nearest(in[0], Dims{17, 5}, IValue(), IValue()));
                           if (dtype == ScalarType::Int64)
                               out.push_back(fn::avg_pool2d(in[0], three, two, one, false, false, IValue()));
                           return out;
                       }});
    }
    all.push_back({"values put back", {drawn({2, 3, 8, 10}), drawn({2, 3, 4, 5})}, [=](const TensorList& in) {
                       const auto [y, at] = fn::max_pool2d_with_indices(in[0], two, two, Dims{0, 0}, one, false);
                       return TensorList{unpool(fn::mul(y, in[1]), at, Dims{8, 10})};
                   }});
    for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64}) {
        all.push_back(
            {concat("windows at random places of ", dtype_name(dtype)),
             {drawn({2, 3, 13, 17}, dtype), fn::sigmoid(drawn({2, 3, 2}, dtype)), drawn({2, 2, 7, 9, 8}, dtype),
              fn::sigmoid(drawn({2, 2, 3}, dtype)), drawn({2, 3, 5, 1}, dtype)},
             [=](const TensorList& in) {
                 const auto narrow = fractional(in[0], Dims{3, 2}, Dims{5, 1}, in[1]);
                 TensorList out = list_of(narrow);
                 out.push_back(fractional_backward(in[4], in[0], Dims{3, 2}, Dims{5, 1}, std::get<1>(narrow)));
                 for (const Tensor& each : list_of(fractional3d(in[2], Dims{2, 3, 2}, Dims{4, 5, 6}, in[3])))
                     out.push_back(each);
                 return out;
             }});
    }
    return all;
}

namespace {

// Matrices well away from singular.
Tensor steady(std::initializer_list<std::int64_t> sizes, ScalarType dtype) {
    const Tensor t = fn::mul_scalar(drawn(sizes, dtype), Scalar(0.1));
    fn::add_(fn::diagonal(t, 0, -2, -1), fn::ones_like(fn::diagonal(t, 0, -2, -1)), Scalar(4));
    if (is_complex(dtype)) fn::fill_(fn::imag(fn::diagonal(t, 0, -2, -1)), Scalar(0));
    return t;
}

}  // namespace

std::vector<Case> systems() {
    static const OperatorHandle<> triangular{"aten::linalg_solve_triangular"}, by_cholesky{"aten::cholesky_solve"},
        inverse{"aten::cholesky_inverse"}, by_factors{"aten::linalg_lu_solve"}, remainder{"aten::remainder.Tensor"};
    static const OperatorHandle<fn::TwoTensors> old{"aten::triangular_solve"};
    std::vector<Case> all;
    for (const ScalarType dtype :
         {ScalarType::Float32, ScalarType::Float64, ScalarType::Complex64, ScalarType::Complex128}) {
        // Rows exchanged at random; the last exchanges with itself.
        const Tensor rest = fn::add_scalar(fn::neg(rising(3, 70)), Scalar(71), Scalar(1));
        const Tensor pivots =
            as(fn::add(rising(3, 70), remainder(whole({3, 70}, 1 << 20), rest), Scalar(1)), ScalarType::Int32);
        all.push_back({concat("systems of ", dtype_name(dtype)),
                       {steady({3, 70, 70}, dtype), drawn({3, 70, 5}, dtype), drawn({5, 70}, dtype),
                        fn::transpose(steady({1, 2, 2}, dtype), 1, 2), drawn({4, 2, 3}, dtype), pivots},
                       [=](const TensorList& in) {
                           TensorList out;
                           for (const bool upper : {false, true}) {
                               for (const bool unit : {false, true}) {
                                   out.push_back(triangular(in[3], in[4], upper, true, unit));
                                   if (unit) continue;
                                   out.push_back(triangular(in[0], in[1], upper, true, false));
                                   out.push_back(triangular(in[0], in[2], upper, false, false));
                               }
                               for (const Tensor& each : list_of(old(in[1], in[0], upper, true, false)))
                                   out.push_back(each);
                               out.push_back(by_cholesky(in[1], in[0], upper));
                               out.push_back(inverse(in[0], upper));
                               for (const bool left : {false, true})
                                   out.push_back(by_factors(in[0], in[5], left ? in[1] : fn::transpose(in[1], 1, 2),
                                                            left, upper));
                           }
                           return out;
                       },
                       tolerance_of(dtype) * 10});
    }
    return all;
}

// Factors are unique: LAPACK's, up to rounding.
std::vector<Case> factorizations() {
    static const OperatorHandle<fn::TwoTensors> cholesky{"aten::linalg_cholesky_ex"}, geqrf{"aten::geqrf"},
        qr{"aten::linalg_qr"};
    static const OperatorHandle<fn::ThreeTensors> lu{"aten::linalg_lu_factor_ex"};
    static const OperatorHandle<> product{"aten::linalg_householder_product"}, ormqr{"aten::ormqr"};
    std::vector<Case> all;
    for (const ScalarType dtype :
         {ScalarType::Float32, ScalarType::Float64, ScalarType::Complex64, ScalarType::Complex128}) {
        const Tensor root = steady({2, 40, 40}, dtype);
        const Tensor positive =
            fn::matmul(root, fn::transpose(is_complex(dtype) ? fn::conj_physical(root) : root, 1, 2));
        all.push_back({concat("factors of ", dtype_name(dtype)),
                       {positive, drawn({2, 41, 33}, dtype), drawn({3, 6, 11}, dtype), drawn({2, 41, 5}, dtype),
                        drawn({2, 5, 41}, dtype), drawn({1, 1}, dtype), fn::neg(positive),
                        fn::zeros(Dims{2, 3, 3}, static_cast<std::int64_t>(dtype))},
                       [=](const TensorList& in) {
                           TensorList out;
                           const auto put = [&](const TensorList& more) {
                               out.insert(out.end(), more.begin(), more.end());
                           };
                           for (const bool upper : {false, true}) put(list_of(cholesky(in[0], upper, false)));
                           // Not positive: which column is what counts.
                           out.push_back(std::get<1>(cholesky(in[6], false, false)));
                           for (const Tensor& t : {in[1], in[2], in[5]}) {
                               put(list_of(lu(t, true, false)));
                               put(list_of(geqrf(t)));
                               for (const char* const mode : {"reduced", "complete", "r"}) put(list_of(qr(t, mode)));
                           }
                           out.push_back(std::get<2>(lu(in[7], true, false)));
                           const auto [vectors, tau] = geqrf(in[1]);
                           out.push_back(product(vectors, tau));
                           for (const bool transpose : {false, true}) {
                               out.push_back(ormqr(vectors, tau, in[3], true, transpose));
                               out.push_back(ormqr(vectors, tau, in[4], false, transpose));
                           }
                           return out;
                       },
                       tolerance_of(dtype) * 50});
    }
    return all;
}

std::vector<Case> wide_heads() {
    static const OperatorHandle<std::tuple<Tensor, Tensor, Tensor, Tensor>> attention{
        "aten::_scaled_dot_product_efficient_attention"};
    std::vector<Case> all;
    for (const ScalarType dtype : {ScalarType::Float16, ScalarType::BFloat16}) {
        for (const std::int64_t width : {std::int64_t{256}, std::int64_t{200}}) {
            all.push_back(
                {concat("heads of ", width, " ", dtype_name(dtype)),
                 {drawn({1, 2, 70, width}, dtype), drawn({1, 2, 130, width}, dtype),
                  drawn({1, 2, 130, width - 8}, dtype)},
                 [](const TensorList& in) {
                     return TensorList{
                         std::get<0>(attention(in[0], in[1], in[2], Tensor(), false, 0.0, true, IValue())),
                         std::get<0>(attention(in[0], in[1], in[2], Tensor(), false, 0.0, false, IValue(0.1)))};
                 },
                 dtype == ScalarType::Float16 ? 4e-3 : 3e-2});
        }
    }
    // One head of keys for all of queries.
    static const OperatorHandle<> general{"aten::scaled_dot_product_attention"};
    all.push_back({"attention to one head of keys",
                   {drawn({2, 4, 11, 8}), drawn({2, 1, 11, 8}), drawn({2, 1, 11, 8})},
                   [](const TensorList& in) {
                       return TensorList{general(in[0], in[1], in[2], Tensor(), 0.0, true, IValue(), false)};
                   },
                   2e-5});
    return all;
}

std::vector<Case> packed_weights() {
    static const OperatorHandle<> pack{"aten::_convert_weight_to_int4pack_for_cpu"},
        multiply{"aten::_weight_int4pack_mm_for_cpu"}, pack_rounded{"aten::_dyn_quant_pack_4bit_weight"},
        multiply_rounded{"aten::_dyn_quant_matmul_4bit"}, multiply_bytes{"aten::_weight_int8pack_mm"};
    std::vector<Case> all;
    all.push_back({"weights of 4 and 8 bits",
                   {as(whole({112, 64}, 16), ScalarType::Int32), drawn({9, 64}), drawn({2, 112, 2}),
                    as(whole({24, 32}, 256), ScalarType::UInt8), drawn({24, 2}), drawn({112, 64}, ScalarType::Int8),
                    drawn({112})},
                   [](const TensorList& in) {
                       const Tensor packed = pack(in[0], 2);
                       const Tensor rounded = pack_rounded(in[3], in[4], Tensor(), 32, 64, 24);
                       return TensorList{packed, multiply(in[1], packed, 32, in[2]), rounded,
                                         multiply_rounded(in[1], rounded, 32, 64, 24),
                                         multiply_bytes(in[1], in[5], in[6])};
                   },
                   1e-4});
    return all;
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const auto& some : {products(), convolutions(), arrangements(), pools(), systems(), factorizations(),
                             wide_heads(), packed_weights()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

}  // namespace loupe::device_cases
