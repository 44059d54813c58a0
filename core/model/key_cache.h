// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cache of keys and values that forward gives with use_cache and takes as past_key_values: a tuple with one for
// each layer, (key, value), [batch, heads, places, width]. Layers of a decoder with an encoder have two more, the key
// and value of what the encoder gives, which stay as they are.

#include <cstddef>
#include <vector>

#include "core/value/ivalue.h"

namespace loupe::session {

struct KeptLayer {
    Tensor key, value;
    Tensor encoded_key, encoded_value;  // undefined: the layer has none
};
// Throws Error (Run) for a value that is no such cache.
std::vector<KeptLayer> layers_of_cache(const IValue& cache);

// The cache behind the first so many places.
IValue cut_cache(const IValue& cache, std::size_t places);
// Row i of the batch is row rows[i] of the given one; rows that are beams of one text: what the encoder gave is equal
// for all.
IValue reorder_cache(const IValue& cache, const Tensor& rows);

// Of the result of forward with use_cache, which is (logits, cache), the cache; result is then the logits. Throws
// Error (Run) where it is no such pair.
IValue take_cache(IValue& result);

}  // namespace loupe::session
