// SPDX-License-Identifier: Apache-2.0
// Random numbers by the device's generator, those that PyTorch draws on CUDA.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/registry.h"
#include "core/ops/random/bounds.h"
#include "core/ops/random/graph_draws.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/loops/ordering.h"
#include "plugins/cuda/loops/random.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

Philox& philox_of(const IValue& given, Device device) {
    Generator* generator = given.is_other() ? dynamic_cast<Generator*>(given.object_pointer()) : nullptr;
    if (given.is_none()) generator = &default_generator(device);
    auto* const philox = dynamic_cast<Philox*>(generator);
    if (philox != nullptr && philox->device() == device) return *philox;
    throw Error(ErrorKind::Run,
                concat("Expected a '", device_type_name(device.type), "' device type for generator but found '",
                       device_type_name(generator == nullptr ? DeviceType::Cpu : generator->device().type), "'"));
}

// Numbers are drawn in the order of memory.
Tensor in_memory_order(const Tensor& t) {
    if (t.is_contiguous()) return t;
    std::vector<std::size_t> order(t.sizes().size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return t.strides()[a] > t.strides()[b]; });
    Dims sizes, strides;
    for (const std::size_t d : order) {
        sizes.push_back(t.sizes()[d]);
        strides.push_back(t.strides()[d]);
    }
    return t.view_as_strided(span_of(sizes), span_of(strides), t.storage_offset());
}

void begin(Draw& draw, const Tensor& self, const IValue& generator, std::uint64_t numbers) {
    const PhiloxPlace place = take_for_kernel(philox_of(generator, self.device()), numbers);
    draw.seed = place.state.seed;
    draw.offset = place.state.offset;
    if (place.words != nullptr)
        draw.words = static_cast<const std::uint64_t*>(address_on_device(const_cast<void*>(place.words)));
}

const Tensor& fill(const Tensor& self, Draw draw, const IValue& generator) {
    const std::int64_t count = self.numel();
    draw.element = element_of(self.dtype());
    if (count == 0) return self;
    draw.threads = threads_for(count, resident_threads(self.device()));
    begin(draw, self, generator, numbers_for(draw, count));
    const Tensor ordered = in_memory_order(self);
    const Room room(ordered);
    run_draw(queue_of(self.device()), draw, address_of(room.tensor()), count);
    room.put_back();
    return self;
}

Draw of(Distribution distribution, double a, double b = 0) {
    Draw draw;
    draw.distribution = distribution;
    draw.a = a;
    draw.b = b;
    return draw;
}

void require(bool holds, const std::string& otherwise) {
    if (!holds) throw Error(ErrorKind::Run, otherwise);
}

Tensor uniform_(const Tensor& self, double from, double to, const IValue& generator) {
    if (is_complex(self.dtype())) {
        uniform_(fn::view_as_real(self), from, to, generator);
        return self;
    }
    require(from <= to, concat("uniform_ expects to return a [from, to) range, but found from=", from, " > to=", to));
    return fill(self, of(Distribution::Uniform, from, to), generator);
}
Tensor normal_(const Tensor& self, double mean, double std, const IValue& generator) {
    require(std >= 0, concat("normal expects std >= 0.0, but found std ", std));
    if (is_complex(self.dtype())) {
        fill(fn::view_as_real(self), of(Distribution::Normal, 0, std / std::numbers::sqrt2), generator);
        if (mean != 0) fn::add_(self, scalar_tensor(Scalar(mean), self.dtype()), Scalar(1));
        return self;
    }
    return fill(self, of(Distribution::Normal, mean, std), generator);
}
Tensor exponential_(const Tensor& self, double lambda, const IValue& generator) {
    require(lambda >= 0, concat("exponential_ expects lambda >= 0.0, but found lambda=", lambda));
    return fill(self, of(Distribution::Exponential, lambda), generator);
}
Tensor cauchy_(const Tensor& self, double median, double sigma, const IValue& generator) {
    return fill(self, of(Distribution::Cauchy, median, sigma), generator);
}
Tensor log_normal_(const Tensor& self, double mean, double std, const IValue& generator) {
    require(std > 0, concat("log_normal_ expects std > 0.0, but found std=", std));
    return fill(self, of(Distribution::LogNormal, mean, std), generator);
}
Tensor geometric_(const Tensor& self, double p, const IValue& generator) {
    require(p > 0 && p < 1, concat("geometric_ expects p to be in (0, 1), but got p=", p));
    return fill(self, of(Distribution::Geometric, p), generator);
}
Tensor bernoulli_(const Tensor& self, double p, const IValue& generator) {
    require(p >= 0 && p <= 1, concat("bernoulli_ expects p to be in [0, 1], but got p=", p));
    return fill(self, of(Distribution::Bernoulli, p), generator);
}
Tensor bernoulli_tensor_(const Tensor& self, const Tensor& p, const IValue& generator) {
    const std::int64_t count = self.numel();
    if (count == 0) return self;
    const Tensor chances =
        dense(fn::expand(p.device() == self.device() ? p : on_device(p, self.device()), to_dims(self.sizes()), false));
    const Room room(self);
    Draw draw;
    draw.element = element_of(self.dtype());
    constexpr std::uint64_t kNumbers = 10;  // as PyTorch counts them
    begin(draw, self, generator, kNumbers);
    const Queue queue = queue_of(self.device());
    run_bernoulli(queue, draw, address_of(chances), element_of(chances.dtype()), address_of(room.tensor()), count,
                  fault_for(queue, "aten::bernoulli_"));
    room.put_back();
    check_faults(queue);
    return self;
}

Tensor random_from(const Tensor& self, std::int64_t from, std::optional<std::int64_t> to, const IValue& generator) {
    Draw draw;
    draw.distribution = Distribution::Range;
    draw.first = from;
    if (to) {
        std::int64_t end = *to;
        require(from < end, concat("random_ expects 'from' to be less than 'to', but got from=", from, " >= to=", end));
        drawing::fit_bounds(self, draw.first, end);
        draw.range = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(draw.first);
    } else {
        draw.range = (std::uint64_t{1} << 63) - static_cast<std::uint64_t>(from);
    }
    return fill(self, draw, generator);
}
Tensor random_to(const Tensor& self, std::int64_t to, const IValue& generator) {
    return random_from(self, 0, to, generator);
}
Tensor random_(const Tensor& self, const IValue& generator) {
    Draw draw;
    draw.distribution = Distribution::Bits;
    return fill(self, draw, generator);
}

// PyTorch's calls take so many numbers of a thread each.
constexpr std::uint64_t kOfPoisson = 20, kOfBinomial = 42, kOfGamma = 10;

Tensor poisson(const Tensor& self, const IValue& generator) {
    const Tensor rates = dense(self), out = empty(self.sizes(), self.dtype(), self.device());
    if (out.numel() == 0) return out;
    Draw draw;
    draw.element = element_of(out.dtype());
    begin(draw, out, generator, kOfPoisson);
    const Queue queue = queue_of(out.device());
    run_poisson(queue, draw, address_of(rates), address_of(out), out.numel(), fault_for(queue, "aten::poisson"));
    check_faults(queue);
    return out;
}
Tensor binomial(const Tensor& count, const Tensor& prob, const IValue& generator) {
    require(count.dtype() == prob.dtype(),
            concat("Found dtype ", dtype_graph_name(prob.dtype()), " but expected ", dtype_graph_name(count.dtype())));
    const Dims shape = broadcast_shapes(count.sizes(), prob.sizes());
    const Tensor n = dense(fn::expand(count, shape, false)), p = dense(fn::expand(prob, shape, false));
    const Tensor out = empty(span_of(shape), count.dtype(), count.device());
    if (out.numel() == 0) return out;
    Draw draw;
    draw.element = element_of(out.dtype());
    begin(draw, out, generator, kOfBinomial);
    run_binomial(queue_of(out.device()), draw, address_of(n), address_of(p), address_of(out), out.numel());
    return out;
}
Tensor standard_gamma(const Tensor& self, const IValue& generator) {
    const Tensor alpha = dense(self), out = empty(self.sizes(), self.dtype(), self.device());
    if (out.numel() == 0) return out;
    Draw draw;
    draw.element = element_of(out.dtype());
    begin(draw, out, generator, kOfGamma);
    run_gamma(queue_of(out.device()), draw, address_of(alpha), address_of(out), out.numel());
    return out;
}
// Below 1, and above 0.
Tensor sample_dirichlet(const Tensor& self, const IValue& generator) {
    const Tensor gammas = standard_gamma(self, generator);
    const Tensor shares = fn::div(gammas, fn::sum_dim(gammas, Dims{-1}, true, IValue()));
    const bool is_double = self.dtype() == ScalarType::Float64;
    const double least =
        is_double ? std::numeric_limits<double>::min() : static_cast<double>(std::numeric_limits<float>::min());
    const double most = is_double ? 1 - std::numeric_limits<double>::epsilon()
                                  : 1 - static_cast<double>(std::numeric_limits<float>::epsilon());
    return fn::clamp(shares, Scalar(least), Scalar(most));
}
// Numbers of one precision, that the CPU's kernels take too.
bool takes_wide_parameters(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const ScalarType dtype = a[0].to_tensor().dtype();
    const bool is_wide = dtype == ScalarType::Float32 || dtype == ScalarType::Float64;
    if (!is_wide && why != nullptr) *why = std::string(dtype_name(dtype)) + " input";
    return is_wide;
}

Tensor rrelu_with_noise(const Tensor& self, const Tensor& noise, const Scalar& lower, const Scalar& upper,
                        bool training, const IValue& generator) {
    if (!training) return fn::leaky_relu(self, Scalar((lower.to_double() + upper.to_double()) / 2));
    require(std::ranges::equal(noise.sizes(), self.sizes()), "rrelu_with_noise: noise must have self's shape");
    const Tensor x = dense(self), out = empty(self.sizes(), self.dtype(), self.device());
    const std::int64_t count = out.numel();
    if (count == 0) return out;
    const Room slopes(noise, self.dtype());
    Draw draw = of(Distribution::Uniform, lower.to_double(), upper.to_double());
    draw.element = element_of(out.dtype());
    draw.threads = threads_for(count, resident_threads(self.device()));
    begin(draw, out, generator, numbers_for(draw, count));
    run_random_slopes(queue_of(self.device()), draw, address_of(x), address_of(out), address_of(slopes.tensor()),
                      count);
    slopes.put_back();
    return out;
}

fn::TwoTensors native_dropout(const Tensor& input, double p, std::optional<bool>) {
    const Device device = input.device();
    const Tensor x = dense(input);
    const Tensor y = empty(x.sizes(), x.dtype(), device), mask = empty(x.sizes(), ScalarType::Bool, device);
    Draw draw;
    draw.element = element_of(x.dtype());
    const std::int64_t count = x.numel();
    draw.threads = threads_for(count, resident_threads(device));
    const auto rounds = static_cast<std::uint64_t>((count - 1) / (draw.threads * 4) + 1);
    begin(draw, x, IValue(), rounds * 4);
    run_dropout(queue_of(device), draw, address_of(x), address_of(y), static_cast<std::uint8_t*>(address_of(mask)),
                count, 1 - p);
    return {y, mask};
}
// Dropping all or nothing draws no number in PyTorch's kernel either.
bool takes_dropout(Arguments a, std::string* why) {
    if (!takes_floating<0>(a, why)) return false;
    const double p = a[1].to_double();
    const bool draws = p > 0 && p < 1 && a[0].to_tensor().numel() > 0 && (a[2].is_none() || a[2].to_bool());
    if (!draws && why != nullptr) *why = "nothing is drawn";
    return draws;
}

// Keys of so many bits are equal with a chance of a tenth at most (PyTorch's Randperm.cu).
int key_bits(std::int64_t n) {
    const double threshold = std::log(0.9) * 12, nd = static_cast<double>(n);
    return std::min(64, static_cast<int>(std::ceil(std::log2(nd - (6 * nd * nd + 1) / threshold))));
}
Tensor shuffled(std::int64_t n, const IValue& generator, ScalarType dtype, Device device) {
    require(n >= 0, concat("n must be non-negative, got", n));
    const Tensor places = empty(std::array{n}, ScalarType::Int64, device);
    if (n == 0) return fn::to_dtype(places, static_cast<std::int64_t>(dtype));
    const int bits = key_bits(n);
    const bool narrow = bits <= 32;
    const Tensor drawn = empty(std::array{n}, narrow ? ScalarType::Int32 : ScalarType::Int64, device);
    random_from(drawn, narrow ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min(),
                narrow ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max(),
                generator);
    // Only the lowest bits order them.
    const Tensor keys = dense(drawn, ScalarType::Int64);
    const Tensor room = empty(std::array{2 * n}, ScalarType::Int64, device);
    const Queue queue = queue_of(device);
    auto* const place = static_cast<std::int64_t*>(address_of(places));
    auto* const more = static_cast<std::int64_t*>(address_of(room));
    const Sorted<std::uint64_t> sorted =
        run_sort<std::uint64_t>(queue, {static_cast<std::uint64_t*>(address_of(keys)), place}, n, bits,
                                {reinterpret_cast<std::uint64_t*>(more + n), more});
    Draw draw;
    begin(draw, places, generator, static_cast<std::uint64_t>(n));
    run_shuffle_equals(queue, draw, sorted.keys, sorted.places, n, bits);
    const Tensor shuffled = sorted.places == place ? places : fn::slice(room, 0, 0, n, 1);
    return fn::to_copy(shuffled, static_cast<std::int64_t>(dtype), IValue(), IValue(), IValue(), false, IValue());
}
// (n, [generator,] dtype, layout, device, pin_memory)
template <bool kGenerator>
void randperm(Arguments a, IValue* results) {
    constexpr std::size_t kFirst = kGenerator ? 2 : 1;
    const auto dtype = detail::Unbox<std::optional<ScalarType>>::from(a[kFirst]).value_or(ScalarType::Int64);
    results[0] = shuffled(a[0].to_int(), kGenerator ? a[1] : IValue(), dtype, a[kFirst + 2].to_device());
}

// With replacement; without, and of one sample, the kernel of the host draws by exponential numbers on the device.
Tensor multinomial(const Tensor& self, std::int64_t samples, bool replacement, const IValue& generator) {
    const bool is_shaped = self.dim() == 1 || self.dim() == 2;
    if (!replacement || samples <= 1 || !is_shaped || !is_computed(self.dtype()) || self.size(-1) > (1 << 24) ||
        self.numel() == 0) {
        static const KernelFunction host = find_operator("aten::multinomial")->record->kernel.function;
        IValue result;
        const std::array<IValue, 4> arguments{self, samples, replacement, generator};
        host(arguments, &result);
        return result.to_tensor();
    }
    const Tensor rows = fn::reshape(self, Dims{-1, self.size(-1)});
    require(!fn::is_nonzero(fn::any(fn::lt_scalar(rows, Scalar(0)))),
            "invalid multinomial distribution (encountering probability entry < 0)");
    require(fn::is_nonzero(fn::all(fn::isfinite(rows))),
            "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
    const Tensor whole = fn::sum_dim(rows, Dims{1}, true, IValue());
    require(fn::is_nonzero(fn::all(fn::gt_scalar(whole, Scalar(0)))),
            "invalid multinomial distribution (sum of probabilities <= 0)");
    const Tensor weights = dense(fn::div(rows, whole)), sums = dense(fn::cumsum(weights, 1, IValue()));
    Dims sizes = to_dims(self.sizes());
    sizes.back() = samples;
    const Tensor out = empty(span_of(sizes), ScalarType::Int64, self.device());
    Draw draw;
    draw.element = element_of(self.dtype());
    begin(draw, self, generator, multinomial_numbers(rows.size(0)));
    run_multinomial(queue_of(self.device()), draw, address_of(weights), address_of(sums), rows.size(0), rows.size(1),
                    samples, static_cast<std::int64_t*>(address_of(out)));
    return out;
}

bool takes_real(Arguments a, std::string* why) { return takes_floating<0>(a, why); }
// Complex numbers have the parts drawn.
bool takes_parts(Arguments a, std::string* why) {
    return is_complex_element(a[0].to_tensor().dtype()) ? takes(a, why) : takes_real(a, why);
}
bool takes_whole(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const ScalarType dtype = a[0].to_tensor().dtype();
    if (!is_known(dtype) && why != nullptr) *why = std::string(dtype_name(dtype)) + " input";
    return is_known(dtype);
}
bool takes_chances(Arguments a, std::string* why) { return takes_whole(a, why) && takes_floating<1>(a, why); }

// Made of the operators above, on the device that they are asked for.
constexpr std::string_view kMade[] = {"aten::rand",
                                      "aten::rand.generator",
                                      "aten::rand_like",
                                      "aten::randn",
                                      "aten::randn.generator",
                                      "aten::randn_like",
                                      "aten::randint",
                                      "aten::randint.generator",
                                      "aten::randint.low",
                                      "aten::randint.low_generator",
                                      "aten::randint_like",
                                      "aten::randint_like.low_dtype",
                                      "aten::bernoulli",
                                      "aten::bernoulli.p",
                                      "aten::bernoulli.Tensor",
                                      "aten::normal.float_float",
                                      "aten::normal.Tensor_float",
                                      "aten::normal.float_Tensor",
                                      "aten::normal.Tensor_Tensor"};

}  // namespace

void register_random(const Registration& to) {
    to.add("aten::uniform_", boxed<uniform_>, takes_parts);
    to.add("aten::normal_", boxed<normal_>, takes_parts);
    to.add("aten::exponential_", boxed<exponential_>, takes_real);
    to.add("aten::cauchy_", boxed<cauchy_>, takes_real);
    to.add("aten::log_normal_", boxed<log_normal_>, takes_real);
    to.add("aten::geometric_", boxed<geometric_>, takes_whole);
    to.add("aten::bernoulli_.float", boxed<bernoulli_>, takes_whole);
    to.add("aten::bernoulli_.Tensor", boxed<bernoulli_tensor_>, takes_chances);
    to.add("aten::random_", boxed<random_>, takes_whole);
    to.add("aten::random_.to", boxed<random_to>, takes_whole);
    to.add("aten::random_.from", boxed<random_from>, takes_whole);
    to.add("aten::native_dropout", boxed<native_dropout>, takes_dropout);
    to.add("aten::poisson", boxed<poisson>, takes_real);
    to.add("aten::binomial", boxed<binomial>, takes_real);
    to.add("aten::_standard_gamma", boxed<standard_gamma>, takes_wide_parameters);
    to.add("aten::_sample_dirichlet", boxed<sample_dirichlet>, takes_wide_parameters);
    to.add("aten::rrelu_with_noise", boxed<rrelu_with_noise>, takes_real);
    to.add("aten::randperm", &randperm<false>);
    to.add("aten::randperm.generator", &randperm<true>);
    to.add("aten::multinomial", boxed<multinomial>);
    for (const std::string_view name : kMade) to.add(name, find_operator(name)->record->kernel.function);
}

}  // namespace loupe::cuda
