// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of data sets share. Expected numbers are PyTorch 1.13.1's for the same seeds.

#include <numeric>

#include "core/data/error.h"
#include "core/data/loader.h"
#include "tests/formats/formats_test.h"

namespace loupe::data {

using Numbers = std::vector<std::int64_t>;

inline Ptr<MersenneTwister> seeded(std::uint64_t seed) { return make_ptr<MersenneTwister>(seed); }

// 0, 1, 2, ... as samples.
inline DatasetPtr counting(std::int64_t size) {
    return make_ptr<FunctionDataset>(size, [](std::int64_t index) { return IValue(index); });
}

inline Numbers drawn(Sampler& sampler) {
    Numbers numbers;
    const auto keys = sampler.iterate();
    while (const auto key = keys->next()) numbers.push_back(key->to_int());
    return numbers;
}

// All batches of int64 tensors.
inline std::vector<Numbers> batches_of(BatchStream& stream) {
    std::vector<Numbers> batches;
    while (const auto batch = stream.next()) batches.push_back(elements<std::int64_t>(batch->to_tensor()));
    return batches;
}
inline std::vector<Numbers> batches_of(DataLoader& loader) { return batches_of(*loader.iterate()); }

// "ValueError: message" of what the work throws.
inline std::string raised_by(const std::function<void()>& work) {
    try {
        work();
    } catch (const ArgumentError& error) {
        return std::string(error.python_class()) + ": " + error.message();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace loupe::data
