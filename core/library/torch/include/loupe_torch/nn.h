// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::nn: the layers of the engine. Their options and classes are written from their records: layers.inc.

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <loupe_torch/arg.h>
#include <loupe_torch/enum.h>
#include <loupe_torch/expanding_array.h>
#include <loupe_torch/nn_module.h>

namespace torch::nn {

namespace detail {

// Arguments of a layer's constructor or of a function, by Python's names.
using Arguments = std::vector<std::pair<std::string, loupe::IValue>>;

// A layer of the engine. Members that it lacks stay undefined.
class Layer : public Module {
  public:
    at::Tensor weight, bias, running_mean, running_var, num_batches_tracked;
    // Gives the parameters their initial values again.
    void reset_parameters();

  protected:
    bool is_cloneable() const override { return true; }
    Layer(const char* record, const Arguments& arguments);
    at::Tensor run(std::vector<loupe::IValue> inputs) const;
    std::shared_ptr<Module> copied_to(std::shared_ptr<Module> copy, const std::optional<c10::Device>& device) const {
        copy_values_to(*copy, device);
        return copy;
    }
};

}  // namespace detail

#include <loupe_torch/layers.inc>

namespace detail {
template <std::size_t I, typename... Options>
using Chosen = std::tuple_element_t<I, std::tuple<Options...>>;
}

// The options of D dimensions.
template <std::size_t D>
using ConvOptions = detail::Chosen<D - 1, Conv1dOptions, Conv2dOptions, Conv3dOptions>;
template <std::size_t D>
using ConvTransposeOptions =
    detail::Chosen<D - 1, ConvTranspose1dOptions, ConvTranspose2dOptions, ConvTranspose3dOptions>;
template <std::size_t D>
using AvgPoolOptions = detail::Chosen<D - 1, AvgPool1dOptions, AvgPool2dOptions, AvgPool3dOptions>;
template <std::size_t D>
using MaxPoolOptions = detail::Chosen<D - 1, MaxPool1dOptions, MaxPool2dOptions, MaxPool3dOptions>;
template <std::size_t D>
using MaxUnpoolOptions = detail::Chosen<D - 1, MaxUnpool1dOptions, MaxUnpool2dOptions, MaxUnpool3dOptions>;
template <std::size_t D>
using LPPoolOptions = detail::Chosen<D - 1, LPPool1dOptions, LPPool2dOptions, LPPool3dOptions>;
template <std::size_t D>
using FractionalMaxPoolOptions = detail::Chosen<D - 2, FractionalMaxPool2dOptions, FractionalMaxPool3dOptions>;
template <std::size_t D>
using ReflectionPadOptions =
    detail::Chosen<D - 1, ReflectionPad1dOptions, ReflectionPad2dOptions, ReflectionPad3dOptions>;
template <std::size_t D>
using ReplicationPadOptions =
    detail::Chosen<D - 1, ReplicationPad1dOptions, ReplicationPad2dOptions, ReplicationPad3dOptions>;
template <std::size_t D>
using ZeroPadOptions = detail::Chosen<D - 1, ZeroPad1dOptions, ZeroPad2dOptions, ZeroPad3dOptions>;
template <std::size_t D>
using ConstantPadOptions = detail::Chosen<D - 1, ConstantPad1dOptions, ConstantPad2dOptions, ConstantPad3dOptions>;

}  // namespace torch::nn
