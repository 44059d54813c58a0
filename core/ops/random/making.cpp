// SPDX-License-Identifier: Apache-2.0
// Operators that make tensors of random numbers: rand, randn, randint, randperm, bernoulli, normal, multinomial.

#include <numeric>

#include "core/base/torch_release.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/ops/random/family.h"
#include "core/ops/random/mersenne_twister.h"

namespace loupe {
namespace {

using namespace drawing;

ScalarType dtype_or(const IValue& dtype, ScalarType otherwise) {
    return detail::Unbox<std::optional<ScalarType>>::from(dtype).value_or(otherwise);
}
Device device_or(const IValue& device, Device otherwise) { return device.is_none() ? otherwise : device.to_device(); }

// (size, dtype, layout, device, pin_memory), with a generator after the size in the other overload.
enum class Draw { Uniform, Normal };
template <Draw kDraw, bool kGenerator>
void sized(Arguments arguments, IValue* results) {
    constexpr std::size_t kFirst = kGenerator ? 2 : 1;
    const IValue generator = kGenerator ? arguments[1] : IValue();
    const Dims sizes = arguments[0].to_ints();
    const Tensor out =
        empty(span_of(sizes), dtype_or(arguments[kFirst], kDefaultDtype), device_or(arguments[kFirst + 2], {}));
    results[0] =
        kDraw == Draw::Uniform ? fn::uniform_(out, 0.0, 1.0, generator) : fn::normal_(out, 0.0, 1.0, generator);
}
template <Draw kDraw>
void like(Arguments arguments, IValue* results) {
    const Tensor out =
        fn::empty_like(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
    results[0] = kDraw == Draw::Uniform ? fn::uniform_(out, 0.0, 1.0, IValue()) : fn::normal_(out, 0.0, 1.0, IValue());
}

// ([low,] high, size, [generator,] dtype, layout, device, pin_memory)
template <bool kLow, bool kGenerator>
void randint(Arguments arguments, IValue* results) {
    constexpr std::size_t kSize = kLow ? 2 : 1;
    constexpr std::size_t kFirst = kSize + (kGenerator ? 2 : 1);
    const std::int64_t low = kLow ? arguments[0].to_int() : 0;
    const std::int64_t high = arguments[kLow ? 1 : 0].to_int();
    const IValue generator = kGenerator ? arguments[kSize + 1] : IValue();
    const Dims sizes = arguments[kSize].to_ints();
    const Tensor out =
        empty(span_of(sizes), dtype_or(arguments[kFirst], ScalarType::Int64), device_or(arguments[kFirst + 2], {}));
    results[0] = fn::random_from_(out, low, high, generator);
}
template <bool kLow>
void randint_like(Arguments arguments, IValue* results) {
    constexpr std::size_t kFirst = kLow ? 3 : 2;
    const Tensor out = fn::empty_like(arguments[0], arguments[kFirst], arguments[kFirst + 1], arguments[kFirst + 2],
                                      arguments[kFirst + 3], arguments[kFirst + 4]);
    results[0] = fn::random_from_(out, kLow ? arguments[1].to_int() : 0, arguments[kLow ? 2 : 1].to_int(), IValue());
}

// (n, [generator,] dtype, layout, device, pin_memory)
template <bool kGenerator>
void randperm(Arguments arguments, IValue* results) {
    const std::int64_t n = arguments[0].to_int();
    require(n >= 0 || is_older_torch(), "Trying to create tensor with negative dimension ", n, ": [", n, "]");
    require(n >= 0, "n must be non-negative, got", n);
    MersenneTwister& g = generator_of(kGenerator ? arguments[1] : IValue());
    const Dims sizes{n};
    const Tensor order = empty(span_of(sizes), ScalarType::Int64);
    auto* place = order.data<std::int64_t>();
    std::iota(place, place + n, std::int64_t{0});
    for (std::int64_t i = 0; i + 1 < n; ++i)
        std::swap(place[i], place[i + static_cast<std::int64_t>(g.next32() % static_cast<std::uint64_t>(n - i))]);
    const ScalarType dtype = dtype_or(arguments[kGenerator ? 2 : 1], ScalarType::Int64);
    results[0] = fn::to_dtype(order, static_cast<std::int64_t>(dtype));
}

Tensor bernoulli(const Tensor& self, const IValue& generator) {
    return fn::bernoulli_tensor_(fn::empty_like(self), self, generator);
}
Tensor bernoulli_p(const Tensor& self, double p, const IValue& generator) {
    return fn::bernoulli_(fn::empty_like(self), p, generator);
}
Tensor bernoulli_tensor(const Tensor& self, const Tensor& p, const IValue& generator) {
    return fn::bernoulli_tensor_(fn::empty_like(self), p, generator);
}

Tensor normal_sized(double mean, double std, const Dims& size, const IValue& generator, const IValue& dtype,
                    const IValue&, const IValue& device, const IValue&) {
    return fn::normal_(empty(span_of(size), dtype_or(dtype, kDefaultDtype), device_or(device, {})), mean, std,
                       generator);
}
Tensor normal_of_means(const Tensor& mean, double std, const IValue& generator) {
    const Tensor out = fn::normal_(empty(mean.sizes(), mean.dtype()), 0.0, std, generator);
    return fn::add_(out, mean, Scalar(1));
}
Tensor normal_of_spreads(double mean, const Tensor& std, const IValue& generator) {
    const Tensor out = fn::normal_(empty(std.sizes(), std.dtype(), std.device()), 0.0, 1.0, generator);
    return fn::add_scalar(fn::mul_(out, std), Scalar(mean), Scalar(1));
}
Tensor normal_of_both(const Tensor& mean, const Tensor& std, const IValue& generator) {
    const Dims shape = broadcast_shapes(mean.sizes(), std.sizes());
    const Tensor out = fn::normal_(empty(span_of(shape), mean.dtype(), mean.device()), 0.0, 1.0, generator);
    return fn::add_(fn::mul_(out, std), mean, Scalar(1));
}

// Sum and search: one draw a sample.
void draw_with_replacement(const double* weights, std::int64_t categories, std::int64_t* out, std::int64_t samples,
                           MersenneTwister& g) {
    std::vector<double> running(static_cast<std::size_t>(categories));
    double sum = 0;
    for (std::int64_t i = 0; i < categories; ++i) {
        require(weights[i] >= 0, "invalid multinomial distribution (encountering probability entry < 0)");
        require(std::isfinite(weights[i]),
                "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
        running[static_cast<std::size_t>(i)] = sum += weights[i];
    }
    require(sum > 0, "invalid multinomial distribution (sum of probabilities <= 0)");
    for (double& r : running) r /= sum;
    running.back() = 1;
    for (std::int64_t s = 0; s < samples; ++s) {
        out[s] = std::lower_bound(running.begin(), running.end(), g.uniform_double()) - running.begin();
    }
}
Tensor multinomial(const Tensor& self, std::int64_t samples, bool replacement, const IValue& generator) {
    require(self.dim() == 1 || self.dim() == 2, "prob_dist must be 1 or 2 dim");
    require(is_floating(self.dtype()),
            "multinomial only supports floating-point dtypes for input, got: ", dtype_graph_name(self.dtype()));
    require(samples > 0, "cannot sample n_sample <= 0 samples");
    const std::int64_t categories = self.size(-1);
    require(replacement || samples <= categories,
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    require(categories <= (1 << 24), "number of categories cannot exceed 2^24");
    // One sample is drawn the same way, as PyTorch does.
    if (!replacement || samples == 1) {
        const Tensor is_weight = fn::logical_and(fn::isfinite(self), fn::ge_scalar(self, Scalar(0)));
        require(fn::is_nonzero(fn::all(is_weight)), "probability tensor contains either `inf`, `nan` or element < 0");
        const Tensor has_none = fn::eq_scalar(fn::sum_dim(self, Dims{-1}, false, IValue()), Scalar(0));
        require(!fn::is_nonzero(fn::any(has_none)), "invalid multinomial distribution (sum of probabilities <= 0)");
        // The largest of weights over exponential draws (Efraimidis, Spirakis 2006).
        const Tensor keys = fn::div(self, fn::exponential_(fn::empty_like(self), 1.0, generator));
        if (samples == 1) return fn::argmax(keys, -1, true);
        return std::get<1>(fn::topk(keys, samples, -1, true, true));
    }
    MersenneTwister& g = generator_of(generator);
    const Tensor weights = fn::contiguous(fn::to_dtype(self, static_cast<std::int64_t>(ScalarType::Float64)), 0);
    Dims sizes = to_dims(self.sizes());
    sizes.back() = samples;
    const Tensor out = empty(span_of(sizes), ScalarType::Int64);
    const std::int64_t rows = self.dim() == 2 ? self.size(0) : 1;
    for (std::int64_t row = 0; row < rows; ++row) {
        draw_with_replacement(weights.data<double>() + row * categories, categories,
                              out.data<std::int64_t>() + row * samples, samples, g);
    }
    return out;
}

void manual_seed(Arguments arguments, IValue*) { seed_generators(static_cast<std::uint64_t>(arguments[0].to_int())); }

constexpr OperatorRecord made(std::string_view schema, std::string_view summary, KernelFunction kernel) {
    return {.schema = schema, .summary = summary, .kernel = kernel, .is_random = true, .is_gradient_stop = true};
}

// From tensors, the arguments kFrom, whose gradients are zeros.
template <std::size_t... kFrom>
constexpr OperatorRecord drawn_from(std::string_view schema, std::string_view summary, KernelFunction kernel) {
    OperatorRecord record = made(schema, summary, kernel);
    record.is_gradient_stop = false;
    record.derivative = {
        [](GradientContext& c) { (c.grad(kFrom, [&] { return fn::zeros_like(c.grad_output()); }), ...); }};
    return record;
}

#define LOUPE_OPTIONS "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
#define LOUPE_INT_OPTIONS "ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None"

constexpr OperatorRecord kRecords[] = {
    made("aten::rand(int[] size, *, " LOUPE_OPTIONS ") -> Tensor", "Uniform numbers in [0, 1).",
         &sized<Draw::Uniform, false>),
    made("aten::rand.generator(int[] size, *, Generator? generator, " LOUPE_OPTIONS ") -> Tensor",
         "Uniform numbers in [0, 1).", &sized<Draw::Uniform, true>),
    made("aten::rand_like(Tensor self, *, " LOUPE_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor",
         "Uniform numbers in [0, 1).", &like<Draw::Uniform>)
        .with_dtypes({kCommonDtypes | kFloat8Dtypes}),
    made("aten::randn(int[] size, *, " LOUPE_OPTIONS ") -> Tensor", "Standard normal numbers.",
         &sized<Draw::Normal, false>),
    made("aten::randn.generator(int[] size, *, Generator? generator, " LOUPE_OPTIONS ") -> Tensor",
         "Standard normal numbers.", &sized<Draw::Normal, true>),
    made("aten::randn_like(Tensor self, *, " LOUPE_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor",
         "Standard normal numbers.", &like<Draw::Normal>),
    made("aten::randint(int high, int[] size, *, " LOUPE_INT_OPTIONS ") -> Tensor", "Integers in [0, high).",
         &randint<false, false>)
        .with_dtypes({kWithUnsigned, "random_update_from_to"}),
    made("aten::randint.generator(int high, int[] size, *, Generator? generator, " LOUPE_INT_OPTIONS ") -> Tensor",
         "Integers in [0, high).", &randint<false, true>),
    made("aten::randint.low(int low, int high, int[] size, *, " LOUPE_INT_OPTIONS ") -> Tensor",
         "Integers in [low, high).", &randint<true, false>)
        .with_dtypes({kWithUnsigned, "random_update_from_to"}),
    made("aten::randint.low_generator(int low, int high, int[] size, *, Generator? generator, " LOUPE_INT_OPTIONS
         ") -> Tensor",
         "Integers in [low, high).", &randint<true, true>),
    made("aten::randint_like(Tensor self, int high, *, " LOUPE_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor",
         "Integers in [0, high).", &randint_like<false>)
        .with_dtypes({kAnyDtype}),
    made("aten::randint_like.low_dtype(Tensor self, int low, int high, *, " LOUPE_OPTIONS
         ", MemoryFormat? memory_format=None) -> Tensor",
         "Integers in [low, high).", &randint_like<true>)
        .with_dtypes({kAnyDtype}),
    made("aten::randperm(int n, *, " LOUPE_INT_OPTIONS ") -> Tensor", "A random order of 0 to n - 1.",
         &randperm<false>),
    made("aten::randperm.generator(int n, *, Generator? generator, " LOUPE_INT_OPTIONS ") -> Tensor",
         "A random order of 0 to n - 1.", &randperm<true>),
    drawn_from<0>("aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
                  "1 with the chance that self has there, else 0.", boxed<bernoulli>)
        .with_out({})
        .with_gradient("self: 0; what is drawn hangs on nothing"),
    made("aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor",
         "1 with chance p, else 0, in self's shape.", boxed<bernoulli_p>)
        .with_out({.overload = "float_out"}),
    drawn_from<0, 1>("aten::bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor",
                     "1 with the chance that p has there, else 0, in self's shape.", boxed<bernoulli_tensor>)
        .with_out({.overload = "Tensor_out"}),
    made("aten::normal.float_float(float mean, float std, int[] size, *, Generator? generator=None, " LOUPE_OPTIONS
         ") -> Tensor",
         "Normal numbers.", boxed<normal_sized>),
    drawn_from<0>("aten::normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor",
                  "Normal numbers around means.", boxed<normal_of_means>)
        .with_dtypes({.kernel = "normal_kernel_cpu"})
        .with_out({.overload = "Tensor_float_out"})
        .with_gradient("mean: 0\nstd: 0"),
    drawn_from<1>("aten::normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor",
                  "Normal numbers of several spreads.", boxed<normal_of_spreads>)
        .with_out({.overload = "float_Tensor_out"}),
    drawn_from<0, 1>("aten::normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor",
                     "Normal numbers of several means and spreads.", boxed<normal_of_both>)
        .with_dtypes({.kernel = "min_all"})
        .with_out({.overload = "Tensor_Tensor_out"}),
    made("aten::multinomial(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None) -> "
         "Tensor",
         "Indices drawn by weight.", boxed<multinomial>)
        .with_dtypes({.kernel = "aminmax_cpu"})
        .with_out({.refusal = {"{n} expects Long tensor out, got: {O}"}}),
    {.schema = "aten::manual_seed(int seed) -> ()",
     .summary = "Seeds the default generator.",
     .kernel = &manual_seed,
     .is_random = true},
};

#undef LOUPE_OPTIONS
#undef LOUPE_INT_OPTIONS

}  // namespace

std::span<const OperatorRecord> drawing::making_records() { return kRecords; }

}  // namespace loupe
