// SPDX-License-Identifier: Apache-2.0
#pragma once
// Generators of random numbers (torch.Generator, torch.manual_seed): one for the CPU, and one for each device that has
// its own. Where a device has none, and where an operator falls back to the CPU, numbers are drawn on the host.

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/ref_counted.h"
#include "core/base/scoped_value.h"
#include "core/tensor/device.h"
#include "core/value/ivalue.h"

namespace loupe {

class MersenneTwister;

struct TwisterState {
    static constexpr std::size_t kWords = 624;
    std::array<std::uint32_t, kWords> words{};
    std::size_t next = kWords;
    std::uint64_t seed = 0;
    std::optional<double> spare_normal;
};
// Of a generator whose numbers are functions of the seed and their place.
struct PhiloxState {
    std::uint64_t seed = 0;
    std::uint64_t offset = 0;  // numbers that each thread has drawn
};
using GeneratorState = std::variant<TwisterState, PhiloxState>;

class Generator : public RefCounted {
  public:
    static constexpr std::uint64_t kDefaultSeed = 67280421310721;

    virtual Device device() const = 0;
    virtual void set_seed(std::uint64_t seed) = 0;
    virtual std::uint64_t seed() const = 0;
    // 64 random bits: the seed of another generator.
    virtual std::uint64_t draw_seed() = 0;
    virtual GeneratorState state() const = 0;
    // Throws Error (Run) for the state of another kind.
    virtual void set_state(const GeneratorState& state) = 0;
};

// torch.default_generator: of the process, or this thread's replacement.
MersenneTwister& default_generator();
// A device's; the CPU's where it has none of its own.
Generator& default_generator(Device device);
// A new one for a device.
Ptr<Generator> make_generator(Device device);
// torch.manual_seed: the CPU's generator and those of all devices.
void seed_generators(std::uint64_t seed);

// The states of the CPU's generator and of those of all devices that have one.
struct RandomState {
    TwisterState cpu;
    std::vector<std::pair<Device, GeneratorState>> devices = {};
};
RandomState random_state();
// Generators of devices that the state does not have stay as they are.
void set_random_state(const RandomState& state);

// Sets this thread's default generator, for workers that prepare data. Null: the process's.
class DefaultGeneratorScope {
  public:
    explicit DefaultGeneratorScope(Ptr<MersenneTwister> generator);
    DefaultGeneratorScope(const DefaultGeneratorScope&) = delete;
    DefaultGeneratorScope& operator=(const DefaultGeneratorScope&) = delete;
    ~DefaultGeneratorScope();

  private:
    Ptr<MersenneTwister> generator_;
    ScopedValue<MersenneTwister*> scope_;
};
// For kernels of the CPU: the generator that an operator was given; the default one for None. In an operator that fell
// back from a device with a generator of its own, one seeded by that. Throws Error (Run) for anything else.
MersenneTwister& generator_of(const IValue& value);

}  // namespace loupe
