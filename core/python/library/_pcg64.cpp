// SPDX-License-Identifier: Apache-2.0
// numpy's PCG64 (O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms"), seeded as its
// SeedSequence does, and what Generator draws from it. The state is an object of C++; _native draws into lists.
#include <cmath>
#include <vector>

#include "core/python/language/arguments.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/library/standard_modules.h"
#include "core/python/library/ziggurat_tables.h"

namespace loupe::python {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr std::size_t kPoolSize = 4;

// numpy.random.SeedSequence: entropy is mixed into a pool of words, from which states are made.
class SeedSequence {
  public:
    explicit SeedSequence(const std::vector<std::uint32_t>& entropy) {
        std::uint32_t hash = 0x43b0d7e5U;
        const auto mixed_word = [&](std::uint32_t value) {
            value ^= hash;
            hash *= 0x931e8875U;
            value *= hash;
            return value ^ (value >> 16U);
        };
        for (std::size_t i = 0; i < kPoolSize; ++i) pool_[i] = mixed_word(i < entropy.size() ? entropy[i] : 0);
        for (std::size_t from = 0; from < kPoolSize; ++from) {
            for (std::size_t to = 0; to < kPoolSize; ++to) {
                if (from != to) pool_[to] = mix(pool_[to], mixed_word(pool_[from]));
            }
        }
        for (std::size_t from = kPoolSize; from < entropy.size(); ++from) {
            for (std::uint32_t& to : pool_) to = mix(to, mixed_word(entropy[from]));
        }
    }

    std::vector<std::uint64_t> state(std::size_t count) const {
        std::vector<std::uint64_t> out(count);
        std::uint32_t hash = 0x8b51f9ddU;
        for (std::size_t i = 0; i < 2 * count; ++i) {
            std::uint32_t value = pool_[i % kPoolSize] ^ hash;
            hash *= 0x58f38dedU;
            value *= hash;
            value ^= value >> 16U;
            out[i / 2] |= static_cast<std::uint64_t>(value) << (32 * (i % 2));
        }
        return out;
    }

  private:
    static std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
        const std::uint32_t out = 0xca01f9ddU * x - 0x4973f715U * y;
        return out ^ (out >> 16U);
    }
    std::array<std::uint32_t, kPoolSize> pool_{};
};

class Pcg64 final : public PythonObject {
  public:
    explicit Pcg64(const std::vector<std::uint32_t>& entropy) {
        const std::vector<std::uint64_t> words = SeedSequence(entropy).state(4);
        const Wide start = (static_cast<Wide>(words[0]) << 64U) | words[1];
        increment_ = (((static_cast<Wide>(words[2]) << 64U) | words[3]) << 1U) | 1U;
        step();
        state_ += start;
        step();
    }

    std::string type_name() const override { return "PCG64"; }

    std::uint64_t next() {
        step();
        const auto folded = static_cast<std::uint64_t>(state_ >> 64U) ^ static_cast<std::uint64_t>(state_);
        const auto turn = static_cast<unsigned>(state_ >> 122U);
        return (folded >> turn) | (folded << ((64U - turn) & 63U));
    }
    // Halves of one draw, the low one first.
    std::uint32_t next_half() {
        if (has_half_) {
            has_half_ = false;
            return half_;
        }
        const std::uint64_t whole = next();
        has_half_ = true;
        half_ = static_cast<std::uint32_t>(whole >> 32U);
        return static_cast<std::uint32_t>(whole);
    }
    double uniform() { return static_cast<double>(next() >> 11U) * (1.0 / 9007199254740992.0); }

    double normal() {
        constexpr double kEdge = 3.6541528853610087963519472518;
        constexpr double kInverse = 0.27366123732975827203338247596;
        for (;;) {
            std::uint64_t bits = next();
            const std::size_t layer = bits & 0xffU;
            bits >>= 8U;
            const bool is_negative = (bits & 1U) != 0;
            const std::uint64_t magnitude = (bits >> 1U) & 0x000fffffffffffffU;
            double x = static_cast<double>(magnitude) * kNormalW[layer];
            if (is_negative) x = -x;
            if (magnitude < kNormalK[layer]) return x;
            if (layer != 0) {
                if ((kNormalF[layer - 1] - kNormalF[layer]) * uniform() + kNormalF[layer] < std::exp(-0.5 * x * x))
                    return x;
                continue;
            }
            for (;;) {
                const double beyond = -kInverse * std::log1p(-uniform());
                const double other = -std::log1p(-uniform());
                if (other + other > beyond * beyond)
                    return ((magnitude >> 8U) & 1U) != 0 ? -(kEdge + beyond) : kEdge + beyond;
            }
        }
    }

    double exponential() {
        constexpr double kEdge = 7.69711747013104972;
        for (;;) {
            std::uint64_t bits = next() >> 3U;
            const std::size_t layer = bits & 0xffU;
            bits >>= 8U;
            const double x = static_cast<double>(bits) * kExponentialW[layer];
            if (bits < kExponentialK[layer]) return x;
            if (layer == 0) return kEdge - std::log1p(-uniform());
            if ((kExponentialF[layer - 1] - kExponentialF[layer]) * uniform() + kExponentialF[layer] < std::exp(-x))
                return x;
        }
    }

    // In [0, most], by Lemire's method, as Generator.integers draws 64-bit numbers.
    std::uint64_t below(std::uint64_t most) {
        if (most == 0) return 0;
        if (most <= 0xffffffffU) {
            if (most == 0xffffffffU) return next_half();
            const auto range = static_cast<std::uint32_t>(most) + 1U;
            std::uint64_t product = static_cast<std::uint64_t>(next_half()) * range;
            auto low = static_cast<std::uint32_t>(product);
            if (low < range) {
                const std::uint32_t threshold = (0xffffffffU - static_cast<std::uint32_t>(most)) % range;
                while (low < threshold) {
                    product = static_cast<std::uint64_t>(next_half()) * range;
                    low = static_cast<std::uint32_t>(product);
                }
            }
            return product >> 32U;
        }
        if (most == ~std::uint64_t{0}) return next();
        const std::uint64_t range = most + 1U;
        Wide product = static_cast<Wide>(next()) * range;
        auto low = static_cast<std::uint64_t>(product);
        if (low < range) {
            const std::uint64_t threshold = (~std::uint64_t{0} - most) % range;
            while (low < threshold) {
                product = static_cast<Wide>(next()) * range;
                low = static_cast<std::uint64_t>(product);
            }
        }
        return static_cast<std::uint64_t>(product >> 64U);
    }

    // In [0, most], by masking, as shuffles and permutations draw.
    std::uint64_t interval(std::uint64_t most) {
        if (most == 0) return 0;
        std::uint64_t mask = most;
        for (const unsigned shift : {1U, 2U, 4U, 8U, 16U, 32U}) mask |= mask >> shift;
        std::uint64_t value = 0;
        if (most <= 0xffffffffU) {
            do value = next_half() & mask;
            while (value > most);
        } else {
            do value = next() & mask;
            while (value > most);
        }
        return value;
    }

  private:
    void step() {
        constexpr Wide kMultiplier = (static_cast<Wide>(2549297995355413924ULL) << 64U) | 4865540595714422341ULL;
        state_ = state_ * kMultiplier + increment_;
    }

    Wide state_ = 0;
    Wide increment_ = 0;
    bool has_half_ = false;
    std::uint32_t half_ = 0;
};

// The words of the seeds, the lowest first; one that is 0 is one word.
std::vector<std::uint32_t> words_of(const IValue& seeds) {
    std::vector<std::uint32_t> out;
    for (const IValue& each : to_vector(seeds)) {
        IValue left = each;
        const IValue base(std::int64_t{1} << 32U);
        do {
            out.push_back(static_cast<std::uint32_t>(to_index(binary(OperatorKind::Mod, left, base))));
            left = binary(OperatorKind::FloorDiv, left, base);
        } while (truth(left));
    }
    return out;
}

Pcg64& generator_of(const IValue& value) {
    auto* generator = object_as<Pcg64>(value);
    if (generator == nullptr) throw_type_error("a PCG64 generator is needed");
    return *generator;
}

// draw(generator, kind, count[, most]): "uniform", "normal", "exponential"; whole numbers "below" and "interval".
IValue draw(CallArguments arguments) {
    const BoundArguments given(arguments, "draw", {"generator", "kind", "count", "most=", "/"});
    Pcg64& generator = generator_of(given[0]);
    const std::string kind = str(given[1]);
    const std::int64_t count = to_index(given[2]);
    const std::uint64_t most = given.has(3) ? integer_to_unsigned(given[3]).value_or(0) : 0;
    std::vector<IValue> out;
    for (std::int64_t i = 0; i < count; ++i) {
        if (kind == "uniform")
            out.emplace_back(generator.uniform());
        else if (kind == "normal")
            out.emplace_back(generator.normal());
        else if (kind == "exponential")
            out.emplace_back(generator.exponential());
        else if (kind == "below")
            out.push_back(integer_of_unsigned(generator.below(most)));
        else if (kind == "interval")
            out.push_back(integer_of_unsigned(generator.interval(most)));
        else
            out.push_back(integer_of_unsigned(generator.next()));
    }
    return make_list(std::move(out));
}

IValue make(CallArguments arguments) {
    check_positional(arguments, "make", 1, 1);
    return IValue::other(make_ptr<Pcg64>(words_of(arguments.positional[0])));
}

}  // namespace

void fill_pcg64(PythonModule& module) {
    module.define("make", make);
    module.define("draw", draw);
}

}  // namespace loupe::python
