// SPDX-License-Identifier: Apache-2.0
#pragma once
// Options of a loader.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/data/collate.h"
#include "core/data/dataset.h"
#include "core/data/sampler.h"

namespace loupe::data {

// How to treat a sample whose file or record is damaged.
enum class OnDamage {
    Stop,  // next() throws the error
    Skip,  // the batch is made without it; see BatchStream::skipped()
};

struct LoaderOptions {
    std::optional<std::int64_t> batch_size = 1;  // nullopt: samples as they are, without batches
    bool shuffle = false;
    SamplerPtr sampler = nullptr;          // instead of shuffle
    BatchKeysPtr batch_sampler = nullptr;  // instead of batch_size, shuffle, sampler and drop_last
    int num_workers = 0;                   // 0: samples are made when next() is called
    Collate collate = nullptr;             // null: default_collate, without batches default_convert
    bool pin_memory = false;               // for copies of batches to a device; no effect on CPU memory
    bool drop_last = false;
    double timeout = 0;                                     // seconds that next() waits for a worker; 0: no limit
    std::function<void(int worker)> worker_init = nullptr;  // in the worker's thread, before its first batch
    Ptr<MersenneTwister> generator = nullptr;  // of the order and of the workers' seeds; null: the default one
    int prefetch_factor = 2;                   // batches a worker is ahead
    bool persistent_workers = false;           // threads are kept between passes
    OnDamage on_damage = OnDamage::Stop;
};

struct SkippedSample {
    IValue key;
    std::string message;
};

}  // namespace loupe::data
