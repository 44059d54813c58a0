// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::serialize: archives of tensors and values by name, as LibTorch writes and reads them; torch::save and load of
// tensors, modules, optimisers and what a program gives operators << and >> for.

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <loupe_torch/functions.h>
#include <loupe_torch/ivalue.h>
#include <loupe_torch/nn_module.h>

namespace torch {
namespace jit {
// LibTorch's archives share one; here it holds nothing.
class CompilationUnit {};
}  // namespace jit

namespace serialize {

class OutputArchive {
  public:
    OutputArchive();
    explicit OutputArchive(std::shared_ptr<jit::CompilationUnit> unit);
    OutputArchive(OutputArchive&&) = default;
    OutputArchive& operator=(OutputArchive&&) = default;

    std::shared_ptr<jit::CompilationUnit> compilation_unit() const { return unit_; }
    // Throw c10::Error for a name that is taken.
    void write(const std::string& key, const c10::IValue& value);
    void write(const std::string& key, const at::Tensor& tensor, bool is_buffer = false);
    void write(const std::string& key, OutputArchive& nested);
    // Throw c10::Error when they cannot be written. function: gets pieces of the file, returns how much it took.
    void save_to(const std::string& file);
    void save_to(std::ostream& out);
    void save_to(const std::function<std::size_t(const void*, std::size_t)>& function);
    template <typename... T>
    void operator()(T&&... arguments) {
        write(std::forward<T>(arguments)...);
    }

  private:
    std::shared_ptr<jit::CompilationUnit> unit_;
    loupe::nn::ModulePtr module_;
};

class InputArchive {
  public:
    InputArchive() = default;
    InputArchive(InputArchive&&) = default;
    InputArchive& operator=(InputArchive&&) = default;

    // Throw c10::Error for a name that is not there or names something else; the others return false.
    void read(const std::string& key, c10::IValue& value);
    bool try_read(const std::string& key, c10::IValue& value);
    // A tensor that is defined keeps its gradient's history and gets the data of the one that is read.
    void read(const std::string& key, at::Tensor& tensor, bool is_buffer = false);
    bool try_read(const std::string& key, at::Tensor& tensor, bool is_buffer = false);
    void read(const std::string& key, InputArchive& nested);
    bool try_read(const std::string& key, InputArchive& nested);
    // Throw c10::Error. device: where the tensors go.
    void load_from(const std::string& file, std::optional<c10::Device> device = std::nullopt);
    void load_from(std::istream& in, std::optional<c10::Device> device = std::nullopt);
    void load_from(const char* data, std::size_t size, std::optional<c10::Device> device = std::nullopt);
    void load_from(const std::function<std::size_t(std::uint64_t at, void* to, std::size_t count)>& read,
                   const std::function<std::size_t()>& size, std::optional<c10::Device> device = std::nullopt);
    std::vector<std::string> keys();
    template <typename... T>
    void operator()(T&&... arguments) {
        read(std::forward<T>(arguments)...);
    }

  private:
    void take(loupe::nn::ModulePtr module, const std::optional<c10::Device>& device);

    loupe::nn::ModulePtr module_;
    std::string prefix_;  // of messages
};

}  // namespace serialize

namespace nn {
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const std::shared_ptr<Module>& module);
serialize::InputArchive& operator>>(serialize::InputArchive& archive, const std::shared_ptr<Module>& module);
template <typename Impl>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const ModuleHolder<Impl>& holder) {
    return archive << std::shared_ptr<Module>(holder.ptr());
}
template <typename Impl>
serialize::InputArchive& operator>>(serialize::InputArchive& archive, ModuleHolder<Impl>& holder) {
    return archive >> std::shared_ptr<Module>(holder.ptr());
}
}  // namespace nn

inline serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const at::Tensor& tensor) {
    archive.write("0", tensor);
    return archive;
}
inline serialize::InputArchive& operator>>(serialize::InputArchive& archive, at::Tensor& tensor) {
    archive.read("0", tensor);
    return archive;
}
using nn::operator<<;
using nn::operator>>;

// to: a file's name, a stream or a function, as OutputArchive::save_to takes them. Throw c10::Error.
template <typename Value, typename... To>
void save(const Value& value, To&&... to) {
    serialize::OutputArchive archive;
    archive << value;
    archive.save_to(std::forward<To>(to)...);
}
template <typename... To>
void save(const std::vector<at::Tensor>& tensors, To&&... to) {
    serialize::OutputArchive archive;
    for (std::size_t i = 0; i < tensors.size(); ++i) archive.write(std::to_string(i), tensors[i]);
    archive.save_to(std::forward<To>(to)...);
}
// from: as InputArchive::load_from takes it. Throw c10::Error.
template <typename Value, typename... From>
void load(Value& value, From&&... from) {
    serialize::InputArchive archive;
    archive.load_from(std::forward<From>(from)...);
    archive >> value;
}
template <typename... From>
void load(std::vector<at::Tensor>& tensors, From&&... from) {
    serialize::InputArchive archive;
    archive.load_from(std::forward<From>(from)...);
    at::Tensor tensor;
    for (std::size_t i = 0; archive.try_read(std::to_string(i), tensor); ++i) {
        tensors.push_back(std::move(tensor));
        tensor = at::Tensor();
    }
}

}  // namespace torch
