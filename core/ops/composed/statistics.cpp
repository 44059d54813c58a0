// SPDX-License-Identifier: Apache-2.0
// Counts and covariances: bincount, histc, cov, corrcoef, renorm.

#include <algorithm>
#include <cmath>

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/boxing.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/integer_math.h"
#include "core/ops/composed/family.h"
#include "core/ops/indexing/indices.h"
#include "core/ops/samples.h"

namespace loupe::composed {
namespace {

using namespace arithmetic;

Tensor bincount(const Tensor& self, const Tensor& weights, std::int64_t minlength) {
    if ((self.dim() == 1 || !is_older_torch()) && !is_integral(self.dtype()))
        throw Error(ErrorKind::Run,
                    concat("\"bincount_cpu\" not implemented for '", dtype_graph_name(self.dtype()), "'"));
    if (self.dim() != 1) {
        throw Error(ErrorKind::Run, "bincount only supports 1-d non-negative integral inputs.");
    }
    if (self.dtype() == ScalarType::Bool) throw Error(ErrorKind::Run, "\"bincount_cpu\" not implemented for 'Bool'");
    if (minlength < 0) throw Error(ErrorKind::Run, "minlength should be >= 0");
    if (weights.defined() && (weights.dim() != 1 || weights.numel() != self.numel())) {
        throw Error(ErrorKind::Run, "weights should be 1-d and have the same length as input");
    }
    const Tensor dense_self = indexing::dense(self, ScalarType::Int64);
    const std::span<const std::int64_t> values(dense_self.data<std::int64_t>(), static_cast<std::size_t>(self.numel()));
    std::int64_t bins = minlength;
    if (!values.empty()) {
        std::int64_t least = values[0], most = values[0];
        for (const std::int64_t value : values) {
            least = std::min(least, value);
            most = std::max(most, value);
        }
        if (least < 0) throw Error(ErrorKind::Run, "bincount only supports 1-d non-negative integral inputs.");
        bins = std::max(bins, checked_sum(most, 1));
    }
    if (!weights.defined()) {
        const Tensor out = zeros(std::array{bins}, ScalarType::Int64);
        auto* counts = out.data<std::int64_t>();
        for (const std::int64_t value : values) ++counts[value];
        return out;
    }
    const ScalarType dtype = weights.dtype() == ScalarType::Float32 ? ScalarType::Float32 : ScalarType::Float64;
    const Tensor out = zeros(std::array{bins}, dtype);
    const Tensor added = indexing::dense(weights, dtype);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (dtype == ScalarType::Float32)
            out.data<float>()[values[i]] += added.data<float>()[i];
        else
            out.data<double>()[values[i]] += added.data<double>()[i];
    }
    return out;
}

// Outermost edges; equal ones mean the least and greatest element.
std::pair<double, double> histc_range(const Tensor& self, double from, double to) {
    if (from == to && self.numel() > 0) {
        const Tensor values = indexing::dense(self, ScalarType::Float64);
        const auto [least, most] = std::minmax_element(values.data<double>(), values.data<double>() + self.numel());
        from = *least;
        to = *most;
    }
    if (from == to) {
        from -= 1;
        to += 1;
    }
    if (!std::isfinite(from) || !std::isfinite(to)) {
        throw Error(ErrorKind::Run, concat("torch.histc: range of [", from, ", ", to, "] is not finite"));
    }
    if (from > to) throw Error(ErrorKind::Run, "torch.histc: max must be larger than min");
    return {from, to};
}

// Bins of equal width from low to high, found with the arithmetic of the elements' type.
Tensor histc(const Tensor& self, std::int64_t bins, const Scalar& low, const Scalar& high) {
    if (bins <= 0)
        throw Error(ErrorKind::Run, concat("torch.histogram(): bins must be > 0, but got ", bins, " for dimension 0"));
    if (is_complex(self.dtype())) {
        throw Error(ErrorKind::Run, concat("aminmax not implemented for ", dtype_graph_name(self.dtype())));
    }
    if (!is_floating(self.dtype())) {
        throw Error(ErrorKind::Run,
                    concat("\"histogram_cpu\" not implemented for '", dtype_graph_name(self.dtype()), "'"));
    }
    const std::pair<double, double> range = histc_range(self, low.to_double(), high.to_double());
    const Tensor counts = zeros(std::array{bins}, self.dtype());
    const Tensor values = indexing::dense(self);
    visit_dtype(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (is_floating(scalar_type_of<T>)) {
            using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
            const auto rounded = [](Wide x) { return static_cast<Wide>(T(x)); };
            const Wide from = rounded(static_cast<Wide>(range.first));
            const Wide to = rounded(static_cast<Wide>(range.second));
            const Wide count = rounded(static_cast<Wide>(bins));
            for (std::int64_t i = 0; i < self.numel(); ++i) {
                const auto x = static_cast<Wide>(values.data<T>()[i]);
                if (!(x >= from && x <= to)) continue;
                const auto bin =
                    static_cast<std::int64_t>(rounded(rounded(rounded(x - from) * count) / rounded(to - from)));
                T& total = counts.data<T>()[std::min(bin, bins - 1)];
                total = T(static_cast<Wide>(total) + 1);
            }
        }
    });
    return counts;
}

// Of variables in rows and observations in columns.
// Counts (fweights) or importances (aweights) of observations.
void check_weights(const Tensor& weights, std::string_view name, std::int64_t observations) {
    if (!weights.defined()) return;
    const auto require = [](bool holds, const auto&... parts) {
        if (!holds) throw Error(ErrorKind::Run, concat("cov(): ", parts...));
    };
    const bool are_counts = name == "fweights";
    require(weights.dim() <= 1, "expected ", name, " to have one or fewer dimensions but got ", name, " with ",
            weights.dim(), " dimensions");
    require(are_counts ? is_integral(weights.dtype()) : is_floating(weights.dtype()), "expected ", name, " to have ",
            are_counts ? "integral" : "floating point", " dtype but got ", name, " with ",
            dtype_graph_name(weights.dtype()), " dtype");
    require(weights.numel() == observations, "expected ", name,
            " to have the same numel as there are observations in the input but got ", weights.numel(),
            " != ", observations);
    require(observations == 0 || item(fn::amin(weights, Dims{}, false)).to_double() >= 0, name, " cannot be negative");
}
Tensor cov(const Tensor& self, std::int64_t correction, const Tensor& fweights, const Tensor& aweights) {
    if (self.dim() > 2) {
        throw Error(ErrorKind::Run,
                    concat("cov(): expected input to have two or fewer dimensions but got an input with ", self.dim(),
                           " dimensions"));
    }
    if (self.dtype() == ScalarType::Bool) throw Error(ErrorKind::Run, "cov(): bool dtype is not supported for input");
    Tensor rows = self.dim() < 2 ? fn::reshape(self, Dims{1, -1}) : self;
    const std::int64_t observations = rows.size(1);
    check_weights(fweights, "fweights", observations);
    check_weights(aweights, "aweights", observations);
    Tensor weights = fweights;
    if (aweights.defined()) weights = weights.defined() ? weights * aweights : aweights;
    const auto weighted = [&](const Tensor& t) { return weights.defined() ? t * weights : t; };
    const auto float_type =
        static_cast<std::int64_t>(is_integral(self.dtype()) ? ScalarType::Float32 : to_real_type(self.dtype()));
    const Tensor total = weights.defined() ? fn::sum(weights) : Tensor();
    const Tensor sums = fn::sum_dim(weighted(rows), Dims{1}, false);
    const Tensor mean = total.defined() ? sums / total : sums / Scalar(static_cast<double>(observations));
    Tensor factor;
    if (!total.defined())
        factor =
            scalar_tensor(static_cast<double>(observations) - static_cast<double>(correction), ScalarType::Float64);
    else if (correction == 0)
        factor = total;
    else if (aweights.defined())
        factor = total - fn::sum(weights * aweights) / total * Scalar(static_cast<double>(correction));
    else
        factor = total - Scalar(correction);
    factor = fn::clamp(fn::to_dtype(factor, float_type), Scalar(0), IValue());
    rows = rows - fn::unsqueeze(mean, 1);
    const Tensor product = fn::mm(rows, conj(fn::t(weighted(rows))));
    static const OperatorHandle<> squeeze_all{"aten::squeeze"};
    return squeeze_all(product / factor);
}
Tensor corrcoef(const Tensor& self) {
    if (self.dim() > 2) {
        throw Error(ErrorKind::Run,
                    concat("corrcoef(): expected input to have two or fewer dimensions but got an input with ",
                           self.dim(), " dimensions"));
    }
    const Tensor c = cov(self, 1, {}, {});
    if (c.dim() == 0) return c / c;
    const Tensor variances = fn::diagonal(c, 0, 0, 1);
    const Tensor deviations = fn::sqrt(is_complex(c.dtype()) ? fn::real(variances) : variances);
    const Tensor scaled_c = c / fn::unsqueeze(deviations, 1) / fn::unsqueeze(deviations, 0);
    if (!is_complex(c.dtype())) return fn::clamp(scaled_c, Scalar(-1), Scalar(1));
    return fn::complex(fn::clamp(fn::real(scaled_c), Scalar(-1), Scalar(1)),
                       fn::clamp(fn::imag(scaled_c), Scalar(-1), Scalar(1)));
}

// Slices along dim whose p-norm is over maxnorm are shortened to it.
Tensor renorm(const Tensor& self, const Scalar& p, std::int64_t dim, const Scalar& maxnorm) {
    if (self.dim() < 2) {
        throw Error(ErrorKind::Run,
                    concat("renorm: input needs at least 2 dimensions, got ", self.dim(), " dimensions"));
    }
    if (p.to_double() <= 0) throw Error(ErrorKind::Run, "renorm: non-positive-norm not supported");
    const std::int64_t along = wrap_dim(dim, self.dim());
    Dims others;
    for (std::int64_t d = 0; d < self.dim(); ++d) {
        if (d != along) others.push_back(d);
    }
    const bool is_narrow = self.dtype() == ScalarType::Float16 || self.dtype() == ScalarType::BFloat16;
    const Tensor norm = fn::vector_norm(self, p, others, true,
                                        is_narrow ? IValue(static_cast<std::int64_t>(ScalarType::Float32)) : IValue());
    const Tensor factor =
        fn::where(fn::gt_scalar(norm, maxnorm), maxnorm * fn::reciprocal(norm + Scalar(1e-7)), fn::ones_like(norm));
    return self * fn::to_dtype(factor, static_cast<std::int64_t>(self.dtype()));
}

std::vector<Sample> cov_samples(Random& random, ScalarType dtype) {
    if (!is_differentiable(dtype)) return {};
    return {{{random_tensor(random, {3, 5}, dtype), 1, IValue(), IValue()}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor",
     .summary = "How often each non-negative integer is there, or the sum of its weights.",
     .results_from = ResultsFrom::Elements,
     .kernel = boxed<bincount>,
     .variants = kOut,
     .is_gradient_stop = true},
    {.schema = "aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
     .summary = "How many elements fall in each bin of equal width.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<histc>,
     .variants = kOut,
     .is_gradient_stop = true,
     .dtypes = {.kernel = "linspace_cpu"}},
    {.schema = "aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
     .summary = "The covariances of the rows.",
     .composite = boxed<cov>,
     .samples = cov_samples},
    {.schema = "aten::corrcoef(Tensor self) -> Tensor",
     .summary = "The correlations of the rows.",
     .composite = boxed<corrcoef>},
    {.schema = "aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor",
     .summary = "With slices along dim shortened to maxnorm.",
     .composite = boxed<renorm>,
     .variants = kOut,
     .autocast = {.cuda = Autocast::Float32}},
};

}  // namespace

std::span<const OperatorRecord> statistics_records() { return kRecords; }

}  // namespace loupe::composed
