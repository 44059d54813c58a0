// SPDX-License-Identifier: Apache-2.0
// The module random: the Mersenne twister as Python seeds and reads it, so that a seed gives Python's numbers.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "core/base/strings.h"
#include "core/ops/random/mersenne_twister.h"
#include "core/python/language/arguments.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

class Twister {
  public:
    void seed(std::uint64_t value) {
        std::vector<std::uint32_t> key = {static_cast<std::uint32_t>(value)};
        if (value >> 32U) key.push_back(static_cast<std::uint32_t>(value >> 32U));
        seed_from(19650218U);
        std::uint32_t i = 1;
        std::uint32_t j = 0;
        for (std::size_t k = std::max(kSize, key.size()); k > 0; --k) {
            state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30U)) * 1664525U)) + key[j] + j;
            step(i);
            if (++j >= key.size()) j = 0;
        }
        for (std::size_t k = kSize - 1; k > 0; --k) {
            state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30U)) * 1566083941U)) - i;
            step(i);
        }
        state_[0] = 0x80000000U;
        at_ = kSize;
        next_gauss.reset();
    }
    std::uint32_t next() {
        if (at_ >= kSize) refill();
        std::uint32_t y = state_[at_++];
        y ^= y >> 11U;
        y ^= (y << 7U) & 0x9D2C5680U;
        y ^= (y << 15U) & 0xEFC60000U;
        return y ^ (y >> 18U);
    }
    double uniform() {
        const std::uint32_t a = next() >> 5U;
        const std::uint32_t b = next() >> 6U;
        return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
    }
    std::uint64_t bits(int count) {
        if (count <= 32) return next() >> (32 - static_cast<unsigned>(count));
        const std::uint64_t low = next();
        return low | (static_cast<std::uint64_t>(next() >> (64 - static_cast<unsigned>(count))) << 32U);
    }
    // Below n, n > 0.
    std::int64_t below(std::int64_t n) {
        int count = 0;
        for (auto rest = static_cast<std::uint64_t>(n); rest != 0; rest >>= 1U) ++count;
        std::uint64_t drawn = bits(count);
        while (drawn >= static_cast<std::uint64_t>(n)) drawn = bits(count);
        return static_cast<std::int64_t>(drawn);
    }
    std::optional<double> next_gauss;

    // (3, (624 words, place), next gauss), as random.getstate().
    IValue state() const {
        std::vector<IValue> words;
        for (const std::uint32_t word : state_) words.emplace_back(static_cast<std::int64_t>(word));
        words.emplace_back(static_cast<std::int64_t>(at_));
        return make_tuple({std::int64_t{3}, make_tuple(std::move(words)), next_gauss ? IValue(*next_gauss) : IValue()});
    }
    void set_state(const IValue& value) {
        const std::vector<IValue> parts = to_vector(value);
        if (parts.size() != 3)
            throw_value_error(concat("not enough values to unpack (expected 3, got ", parts.size(), ")"));
        const std::vector<IValue> words = to_vector(parts[1]);
        if (!parts[0].is_int() || parts[0].to_int() != 3)
            throw_value_error(
                concat("state with version ", repr(parts[0]), " passed to Random.setstate() of version 3"));
        if (words.size() != kSize + 1) throw_value_error("state vector is the wrong size");
        const std::int64_t at = to_index(words.back());
        if (at < 0 || at > static_cast<std::int64_t>(kSize)) throw_value_error("invalid state");
        for (std::size_t i = 0; i < kSize; ++i) state_[i] = static_cast<std::uint32_t>(to_index(words[i]));
        at_ = static_cast<std::size_t>(at);
        next_gauss = parts[2].is_none() ? std::nullopt : std::optional(to_float(parts[2]));
    }

  private:
    static constexpr std::size_t kSize = 624;
    void seed_from(std::uint32_t value) {
        state_[0] = value;
        for (std::uint32_t i = 1; i < kSize; ++i)
            state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30U)) + i;
    }
    void step(std::uint32_t& i) {
        if (++i < kSize) return;
        state_[0] = state_[kSize - 1];
        i = 1;
    }
    void refill() {
        for (std::size_t i = 0; i < kSize; ++i) {
            const std::uint32_t y = (state_[i] & 0x80000000U) | (state_[(i + 1) % kSize] & 0x7FFFFFFFU);
            state_[i] = state_[(i + 397) % kSize] ^ (y >> 1U) ^ ((y & 1U) != 0 ? 0x9908B0DFU : 0U);
        }
        at_ = 0;
    }
    std::array<std::uint32_t, kSize> state_{};
    std::size_t at_ = kSize;
};

// Words of 32 bits, the lowest first, of the last one the upper bits.
IValue many_bits(Twister& twister, std::int64_t count) {
    if (count > (std::int64_t{1} << 22))
        throw_error("MemoryError", concat("an integer of ", count, " bits is too large"));
    std::string bytes;
    for (std::int64_t left = count; left > 0; left -= 32) {
        const auto word = static_cast<std::uint32_t>(twister.bits(static_cast<int>(std::min<std::int64_t>(left, 32))));
        for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((word >> shift) & 0xffU);
    }
    return integer_from_bytes(bytes, true, false);
}

// One generator: the module's, or that of random.Random(seed).
class RandomState final : public RefCounted {
  public:
    Twister twister;
    void seed(const IValue& value) {
        if (value.is_none()) {
            twister.seed(static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
        } else if (value.is_int() || value.is_bool()) {
            const std::int64_t number = value.to_int();
            twister.seed(number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number));
        } else {
            twister.seed(hash(value));
        }
    }
};
using StatePtr = Ptr<RandomState>;
using Define = std::function<void(std::string, NativeCallable::Body)>;

std::int64_t range_item(Twister& twister, std::int64_t start, std::int64_t stop, std::int64_t step) {
    const RangeObject range(start, stop, step);
    if (range.count == 0)
        throw_value_error(concat("empty range for randrange() (", start, ", ", stop, ", ", step, ")"));
    return range.at(twister.below(range.count));
}

IValue choice(Twister& twister, const IValue& sequence) {
    const std::int64_t size = length(sequence);
    if (size == 0) throw_error("IndexError", "Cannot choose from an empty sequence");
    return get_item(sequence, IValue(twister.below(size)));
}

IValue sample(Twister& twister, const IValue& population, std::int64_t count) {
    std::vector<IValue> pool = to_vector(population);
    const auto size = static_cast<std::int64_t>(pool.size());
    if (count < 0 || count > size) throw_value_error("Sample larger than population or is negative");
    std::vector<IValue> out;
    std::int64_t set_size = 21;
    if (count > 5) set_size += static_cast<std::int64_t>(std::pow(4, std::ceil(std::log(count * 3) / std::log(4))));
    if (size <= set_size) {
        for (std::int64_t i = 0; i < count; ++i) {
            const auto j = static_cast<std::size_t>(twister.below(size - i));
            out.push_back(pool[j]);
            pool[j] = pool[static_cast<std::size_t>(size - i - 1)];
        }
        return make_list(std::move(out));
    }
    std::vector<std::int64_t> chosen;
    while (static_cast<std::int64_t>(chosen.size()) < count) {
        const std::int64_t j = twister.below(size);
        if (std::find(chosen.begin(), chosen.end(), j) != chosen.end()) continue;
        chosen.push_back(j);
        out.push_back(pool[static_cast<std::size_t>(j)]);
    }
    return make_list(std::move(out));
}

IValue choices(Twister& twister, CallArguments& a) {
    const BoundArguments given(a, "choices", {"population", "weights=", "*", "cum_weights=", "k="});
    const std::vector<IValue> population = to_vector(given[0]);
    if (population.empty()) throw_error("IndexError", "list index out of range");
    const std::int64_t count = given.int_or(3, 1);
    std::vector<double> cumulative;
    const bool has_weights = !given.value_or(1, {}).is_none();
    const bool has_sums = !given.value_or(2, {}).is_none();
    if (has_weights || has_sums) {
        double total = 0;
        for (const IValue& weight : to_vector(given[has_weights ? 1 : 2])) {
            total = has_weights ? total + to_float(weight) : to_float(weight);
            cumulative.push_back(total);
        }
        if (cumulative.size() != population.size()) {
            throw_value_error("The number of weights does not match the population");
        }
    }
    std::vector<IValue> out;
    for (std::int64_t i = 0; i < count; ++i) {
        const double drawn = twister.uniform();
        if (cumulative.empty()) {
            out.push_back(
                population[static_cast<std::size_t>(std::floor(drawn * static_cast<double>(population.size())))]);
            continue;
        }
        const auto at = std::upper_bound(cumulative.begin(), cumulative.end() - 1, drawn * cumulative.back());
        out.push_back(population[static_cast<std::size_t>(at - cumulative.begin())]);
    }
    return make_list(std::move(out));
}

double gauss(Twister& twister, double mean, double deviation) {
    if (twister.next_gauss) {
        const double z = *twister.next_gauss;
        twister.next_gauss.reset();
        return mean + z * deviation;
    }
    const double angle = twister.uniform() * 2.0 * 3.141592653589793;
    const double radius = std::sqrt(-2.0 * std::log(1.0 - twister.uniform()));
    twister.next_gauss = std::sin(angle) * radius;
    return mean + std::cos(angle) * radius * deviation;
}

double normal(Twister& twister, double mean, double deviation) {
    constexpr double kMagic = 1.7155277699214135;  // 4 * exp(-0.5) / sqrt(2)
    while (true) {
        const double u1 = twister.uniform();
        const double u2 = 1.0 - twister.uniform();
        const double z = kMagic * (u1 - 0.5) / u2;
        if (z * z / 4.0 <= -std::log(u2)) return mean + z * deviation;
    }
}

void define_integers(const StatePtr& state, const Define& define) {
    define("randrange", [state](CallArguments a) -> IValue {
        const BoundArguments given(a, "randrange", {"start", "stop=", "step="});
        const bool has_stop = given.has(1) && !given[1].is_none();
        const std::int64_t first = to_index(given[0]);
        return range_item(state->twister, has_stop ? first : 0, has_stop ? to_index(given[1]) : first,
                          given.int_or(2, 1));
    });
    define("randint", [state](CallArguments a) -> IValue {
        const BoundArguments given(a, "randint", {"a", "b"});
        return range_item(state->twister, to_index(given[0]), to_index(given[1]) + 1, 1);
    });
    define("getrandbits", [state](CallArguments a) -> IValue {
        check_positional(a, "getrandbits", 1, 1);
        const std::int64_t count = to_index(a.positional[0]);
        if (count < 0) throw_value_error("number of bits must be non-negative");
        if (count > 63) return many_bits(state->twister, count);
        return count == 0 ? 0 : static_cast<std::int64_t>(state->twister.bits(static_cast<int>(count)));
    });
    define("choice", [state](CallArguments a) {
        check_positional(a, "choice", 1, 1);
        return choice(state->twister, a.positional[0]);
    });
    define("choices", [state](CallArguments a) { return choices(state->twister, a); });
    define("sample", [state](CallArguments a) {
        const BoundArguments given(a, "sample", {"population", "k"});
        return sample(state->twister, given[0], to_index(given[1]));
    });
    define("shuffle", [state](CallArguments a) -> IValue {
        check_positional(a, "shuffle", 1, 1);
        for (std::int64_t i = length(a.positional[0]) - 1; i > 0; --i) {
            const std::int64_t j = state->twister.below(i + 1);
            const IValue x = get_item(a.positional[0], IValue(i));
            set_item(a.positional[0], IValue(i), get_item(a.positional[0], IValue(j)));
            set_item(a.positional[0], IValue(j), x);
        }
        return {};
    });
}

void define_reals(const StatePtr& state, const Define& define) {
    define("random", [state](CallArguments a) -> IValue {
        check_positional(a, "random", 0, 0);
        return state->twister.uniform();
    });
    define("uniform", [state](CallArguments a) -> IValue {
        const BoundArguments given(a, "uniform", {"a", "b"});
        const double low = to_float(given[0]);
        return low + (to_float(given[1]) - low) * state->twister.uniform();
    });
    const auto two = [&](std::string name, double (*draw)(Twister&, double, double)) {
        define(name, [state, name, draw](CallArguments a) -> IValue {
            const BoundArguments given(a, name, {"mu=", "sigma="});
            return draw(state->twister, given.has(0) ? to_float(given[0]) : 0.0,
                        given.has(1) ? to_float(given[1]) : 1.0);
        });
    };
    two("gauss", gauss);
    two("normalvariate", normal);
    define("expovariate", [state](CallArguments a) -> IValue {
        check_positional(a, "expovariate", 1, 1);
        return -std::log(1.0 - state->twister.uniform()) / to_float(a.positional[0]);
    });
    define("triangular", [state](CallArguments a) -> IValue {
        const BoundArguments given(a, "triangular", {"low=", "high=", "mode="});
        double low = given.has(0) ? to_float(given[0]) : 0.0;
        double high = given.has(1) ? to_float(given[1]) : 1.0;
        double u = state->twister.uniform();
        double c = given.has(2) && !given[2].is_none() ? (to_float(given[2]) - low) / (high - low) : 0.5;
        if (u > c) {
            u = 1.0 - u;
            c = 1.0 - c;
            std::swap(low, high);
        }
        return low + (high - low) * std::sqrt(u * c);
    });
}

void define_all(const StatePtr& state, const Define& define) {
    state->seed({});
    define("seed", [state](CallArguments a) -> IValue {
        const BoundArguments given(a, "seed", {"a=", "version="});
        state->seed(given.value_or(0, {}));
        return {};
    });
    define("getstate", [state](CallArguments a) -> IValue {
        check_positional(a, "getstate", 0, 0);
        return state->twister.state();
    });
    define("setstate", [state](CallArguments a) -> IValue {
        check_positional(a, "setstate", 1, 1);
        state->twister.set_state(a.positional[0]);
        return {};
    });
    define_integers(state, define);
    define_reals(state, define);
}

}  // namespace

void fill_random(PythonModule& module) {
    const auto own = make_ptr<RandomState>();
    define_all(own,
               [&](std::string name, NativeCallable::Body body) { module.define(std::move(name), std::move(body)); });
    // A program that seeds nothing begins where the generator of tensors does, so that its runs can be repeated.
    own->seed(IValue(static_cast<std::int64_t>(default_generator().seed())));
    // random.Random(seed): the same functions over a state of its own.
    auto cls = make_ptr<ClassObject>("Random", "random", std::vector<ClassPtr>{builtin_classes().object});
    cls->set_builtin([](ClassObject& of, CallArguments& a) -> ClassObject::Made {
        auto instance = make_ptr<Instance>(ClassPtr(&of));
        auto state = make_ptr<RandomState>();
        define_all(state, [&](const std::string& name, NativeCallable::Body body) {
            instance->attributes.set(name, IValue::other(make_ptr<NativeCallable>(name, std::move(body))));
        });
        if (!a.positional.empty()) state->seed(a.positional[0]);
        return {IValue::other(instance), true};
    });
    module.define("Random", IValue::other(cls));
}

}  // namespace loupe::python
