// SPDX-License-Identifier: Apache-2.0
#include "core/ops/random/generator.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/device_fallback.h"
#include "core/ops/random/mersenne_twister.h"
#include "core/ops/random/philox.h"
#include "core/tensor/device_interface.h"

namespace loupe {
namespace {

thread_local MersenneTwister* generator_of_thread = nullptr;

// visit(generator) for each device that has one of its own.
template <typename Visit>
void each_device_generator(const Visit& visit) {
    if (!any_device_but_cpu()) return;
    for (int type = 1; type < kDeviceTypes; ++type) {
        DeviceInterface* const devices = device_interface(static_cast<DeviceType>(type));
        for (int i = 0; devices != nullptr && i < devices->count(); ++i) {
            const Device device{static_cast<DeviceType>(type), static_cast<std::int8_t>(i)};
            if (Generator* const generator = devices->generator(device)) visit(*generator);
        }
    }
}

Generator* own_generator(Device device) {
    DeviceInterface* const devices = device.is_cpu() ? nullptr : device_interface(device.type);
    return devices == nullptr ? nullptr : devices->generator(device);
}

MersenneTwister& seeded_by(Generator& generator) {
    thread_local const auto twister = make_ptr<MersenneTwister>();
    twister->set_seed(generator.draw_seed());
    return *twister;
}

}  // namespace

DefaultGeneratorScope::DefaultGeneratorScope(Ptr<MersenneTwister> generator)
    : generator_(std::move(generator)),
      scope_(generator_of_thread, generator_ ? generator_.get() : generator_of_thread) {}
DefaultGeneratorScope::~DefaultGeneratorScope() = default;

MersenneTwister& default_generator() {
    if (generator_of_thread != nullptr) return *generator_of_thread;
    static auto* generator = [] {
        auto* made = new MersenneTwister;
        intrusive_ptr_add_ref(made);
        return made;
    }();
    return *generator;
}

Generator& default_generator(Device device) {
    Generator* const own = own_generator(device);
    return own != nullptr ? *own : default_generator();
}

Ptr<Generator> make_generator(Device device) {
    if (own_generator(device) != nullptr) return make_ptr<Philox>(device);
    return make_ptr<MersenneTwister>();
}

void seed_generators(std::uint64_t seed) {
    default_generator().set_seed(seed);
    each_device_generator([&](Generator& generator) { generator.set_seed(seed); });
}

RandomState random_state() {
    RandomState all{std::get<TwisterState>(default_generator().state())};
    each_device_generator(
        [&](const Generator& generator) { all.devices.emplace_back(generator.device(), generator.state()); });
    return all;
}

void set_random_state(const RandomState& state) {
    default_generator().set_state(state.cpu);
    for (const auto& [device, own] : state.devices) {
        if (Generator* const generator = own_generator(device)) generator->set_state(own);
    }
}

MersenneTwister& generator_of(const IValue& value) {
    auto* const given = value.is_other() ? dynamic_cast<Generator*>(value.object_pointer()) : nullptr;
    if (auto* const twister = dynamic_cast<MersenneTwister*>(given)) return *twister;
    const Device device = fallback_device();
    if (value.is_none()) {
        Generator* const own = own_generator(device);
        return own != nullptr ? seeded_by(*own) : default_generator();
    }
    if (given != nullptr && given->device() == device) return seeded_by(*given);
    if (given != nullptr)
        throw Error(ErrorKind::Run,
                    concat("Expected a '", device_type_name(device.type), "' device type for generator but found '",
                           device_type_name(given->device().type), "'"));
    throw Error(ErrorKind::Run, "Expected a 'Generator' for the argument generator");
}

}  // namespace loupe
