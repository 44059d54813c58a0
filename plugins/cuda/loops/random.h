// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random numbers, those of PyTorch on CUDA for the same seed: Philox 4x32 with ten rounds, one stream a thread of
// PyTorch's launch, numbers as cuRAND makes them. Includes nothing of the engine.

#include "plugins/cuda/loops/fault.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

enum class Distribution : std::int8_t {
    Uniform,      // from a to b
    Normal,       // mean a, deviation b
    Bernoulli,    // chance a
    Exponential,  // rate a
    Cauchy,       // median a, width b
    LogNormal,    // mean a, deviation b
    Geometric,    // chance a
    Range,        // whole numbers: first + (drawn mod range), a range of 0 being that of all 2^64
    Bits,         // whole numbers that the type holds
};

struct Draw {
    Distribution distribution = Distribution::Uniform;
    double a = 0, b = 1;
    std::int64_t first = 0;
    std::uint64_t range = 0;
    std::uint64_t seed = 0;
    std::uint64_t offset = 0;    // a multiple of four
    std::int64_t threads = 256;  // of PyTorch's launch
    Element element = Element::Float32;
    // Of captured work: {seed, offset} of the replay, to which `offset` is added; null: they are as they are.
    const std::uint64_t* words = nullptr;
};

LOUPE_HD inline std::uint64_t seed_of(const Draw& d) { return d.words == nullptr ? d.seed : d.words[0]; }
LOUPE_HD inline std::uint64_t offset_of(const Draw& d) { return (d.words == nullptr ? 0 : d.words[1]) + d.offset; }

// Threads that PyTorch would launch for so many elements on a device that runs `resident` at once.
std::int64_t threads_for(std::int64_t count, std::int64_t resident);
// How far a thread's stream moves on.
std::uint64_t numbers_for(const Draw& draw, std::int64_t count);
// Dense elements. False for a dtype that the distribution has not.
bool run_draw(const Queue& queue, const Draw& draw, void* to, std::int64_t count);

// to[i] = 1 with chance p[i]. A chance that is none is a fault.
bool run_bernoulli(const Queue& queue, const Draw& draw, const void* chances, Element chance, void* to,
                   std::int64_t count, Fault* fault);
// y = x mask / keep, mask 1 with chance keep.
bool run_dropout(const Queue& queue, const Draw& draw, const void* x, void* y, std::uint8_t* mask, std::int64_t count,
                 double keep);
// rrelu in training: y = noise x, noise between draw.a and draw.b where x is not positive, else 1.
bool run_random_slopes(const Queue& queue, const Draw& draw, const void* x, void* y, void* noise, std::int64_t count);
// Counts and gamma numbers with parameters of their own, dense elements of draw.element. A rate below 0 is a fault.
bool run_poisson(const Queue& queue, const Draw& draw, const void* rates, void* to, std::int64_t count, Fault* fault);
bool run_binomial(const Queue& queue, const Draw& draw, const void* trials, const void* chances, void* to,
                  std::int64_t count);
bool run_gamma(const Queue& queue, const Draw& draw, const void* alpha, void* to, std::int64_t count);
// Shuffles places whose keys are equal, in PyTorch's way.
void run_shuffle_equals(const Queue& queue, const Draw& draw, const std::uint64_t* keys, std::int64_t* places,
                        std::int64_t count, int bits);
// Dense rows of weights, [rows, categories], and their running sums, both of draw.element; to[row][sample]: the
// category where each row's drawn number falls.
void run_multinomial(const Queue& queue, const Draw& draw, const void* weights, const void* sums, std::int64_t rows,
                     std::int64_t categories, std::int64_t samples, std::int64_t* to);
// How far a thread's stream moves on.
std::uint64_t multinomial_numbers(std::int64_t rows);

}  // namespace loupe::cuda
