// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/nn.h>

#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/library/torch/box_options.h"
#include "core/nn/layer.h"

#include <loupe_torch/rnn.h>

using namespace loupe::torch_api;

namespace torch::nn {
namespace detail {
namespace {

loupe::nn::ModulePtr made(const char* record, const Arguments& arguments) {
    return translated([&] {
        loupe::plugins();
        return loupe::nn::make_layer(record, {}, arguments);
    });
}
at::Tensor member(const loupe::nn::Module& module, const char* name) {
    const loupe::IValue* found = module.find_attribute(name);
    return found != nullptr && found->is_tensor() ? at::Tensor(found->to_tensor()) : at::Tensor();
}

}  // namespace

Layer::Layer(const char* record, const Arguments& arguments)
    : Module(loupe::concat("torch::nn::", record, "Impl"), made(record, arguments)),
      weight(member(*engine(), "weight")),
      bias(member(*engine(), "bias")),
      running_mean(member(*engine(), "running_mean")),
      running_var(member(*engine(), "running_var")),
      num_batches_tracked(member(*engine(), "num_batches_tracked")) {}

void Layer::reset_parameters() {
    translated([&] { loupe::nn::reset_parameters(*engine()); });
}

at::Tensor Layer::run(std::vector<loupe::IValue> inputs) const {
    return translated([&] { return at::Tensor(engine()->call(std::move(inputs)).to_tensor()); });
}

}  // namespace detail

#include "layers_written.inc"

}  // namespace torch::nn
