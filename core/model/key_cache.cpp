// SPDX-License-Identifier: Apache-2.0
#include "core/model/key_cache.h"

#include <utility>

#include "core/base/error.h"
#include "core/dispatch/functions.h"

namespace loupe::session {
namespace {

[[noreturn]] void refuse() { throw Error(ErrorKind::Run, "the model gives no cache of keys and values"); }

const std::vector<IValue>& elements_of(const IValue& value) {
    if (!value.is_tuple()) refuse();
    return value.to_tuple().elements;
}

// Keys and values of the decoder's own tokens changed; what the encoder gave stays.
template <typename Change>
IValue with_own_changed(const IValue& cache, Change change) {
    std::vector<IValue> layers;
    for (const IValue& layer : elements_of(cache)) {
        std::vector<IValue> kept = elements_of(layer);
        for (std::size_t i = 0; i < kept.size() && i < 2; ++i) kept[i] = IValue(change(kept[i].to_tensor()));
        layers.push_back(make_ptr<TupleObject>(std::move(kept), layer.to_tuple().type));
    }
    return make_ptr<TupleObject>(std::move(layers), cache.to_tuple().type);
}

}  // namespace

std::vector<KeptLayer> layers_of_cache(const IValue& cache) {
    std::vector<KeptLayer> out;
    for (const IValue& layer : elements_of(cache)) {
        const std::vector<IValue>& kept = elements_of(layer);
        if (kept.size() != 2 && kept.size() != 4) refuse();
        std::vector<Tensor> tensors(4);
        for (std::size_t i = 0; i < kept.size(); ++i) {
            if (!kept[i].is_tensor() || !kept[i].to_tensor().defined() || kept[i].to_tensor().dim() != 4) refuse();
            tensors[i] = kept[i].to_tensor();
        }
        out.push_back({tensors[0], tensors[1], tensors[2], tensors[3]});
    }
    return out;
}

IValue cut_cache(const IValue& cache, std::size_t places) {
    return with_own_changed(cache, [&](const Tensor& t) {
        return fn::contiguous(fn::narrow(t, -2, 0, static_cast<std::int64_t>(places)), 0);
    });
}

IValue reorder_cache(const IValue& cache, const Tensor& rows) {
    return with_own_changed(cache, [&](const Tensor& t) { return fn::index_select(t, 0, rows); });
}

IValue take_cache(IValue& result) {
    if (!result.is_tuple() || result.to_tuple().elements.size() != 2) refuse();
    IValue cache = result.to_tuple().elements[1];
    layers_of_cache(cache);
    result = IValue(result.to_tuple().elements[0]);
    return cache;
}

}  // namespace loupe::session
