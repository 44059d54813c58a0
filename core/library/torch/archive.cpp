// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/archive.h>

#include <istream>
#include <ostream>
#include <sstream>

#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/formats/format_registry.h"
#include "core/formats/torch_writer.h"
#include "core/formats/torchscript/torchscript_reader.h"
#include "core/library/torch/call.h"
#include "core/nn/module.h"

using namespace loupe::torch_api;

namespace torch {
namespace serialize {
namespace {

// A copy with a class of its own for each archive, as LibTorch names them. An archive is a module without methods.
loupe::nn::ModulePtr with_classes(const loupe::nn::Module& module, int& count) {
    auto out = loupe::make_ptr<loupe::nn::Module>(
        count == 0 ? "__torch__.Module" : loupe::concat("__torch__.___torch_mangle_", count - 1, ".Module"));
    ++count;
    for (const auto& [name, tensor] : module.own_parameters()) out->register_parameter(name, tensor);
    for (const auto& [name, tensor] : module.own_buffers()) out->register_buffer(name, tensor);
    for (const auto& [name, value] : module.attributes())
        if (name != "training") out->set_attribute(name, value);
    for (const auto& [name, child] : module.children())
        if (child != nullptr) out->register_module(name, with_classes(*child, count));
    // LibTorch takes every name for one of the archive's.
    out->delete_attribute("training");
    return out;
}

loupe::FileTarget memory_target(const std::shared_ptr<loupe::FileHandle>& memory) {
    return loupe::FileTarget("a stream", memory);
}

}  // namespace

OutputArchive::OutputArchive() : OutputArchive(std::make_shared<jit::CompilationUnit>()) {}
OutputArchive::OutputArchive(std::shared_ptr<jit::CompilationUnit> unit)
    : unit_(std::move(unit)), module_((loupe::plugins(), loupe::make_ptr<loupe::nn::Module>("__torch__.Module"))) {}

void OutputArchive::write(const std::string& key, const c10::IValue& value) {
    translated([&] { module_->set_attribute(key, value.engine()); });
}
void OutputArchive::write(const std::string& key, const at::Tensor& tensor, bool is_buffer) {
    translated([&] {
        if (is_buffer) return module_->register_buffer(key, loupe::detach(tensor.engine()));
        module_->register_parameter(key, loupe::make_parameter(tensor.engine(), tensor.requires_grad()));
    });
}
void OutputArchive::write(const std::string& key, OutputArchive& nested) {
    translated([&] { module_->register_module(key, nested.module_); });
}

void OutputArchive::save_to(const std::string& file) {
    translated([&] {
        int count = 0;
        loupe::write_script_module(*with_classes(*module_, count), file);
    });
}
void OutputArchive::save_to(std::ostream& out) {
    save_to([&](const void* data, std::size_t count) {
        out.write(static_cast<const char*>(data), static_cast<std::streamsize>(count));
        return out ? count : 0;
    });
}
void OutputArchive::save_to(const std::function<std::size_t(const void*, std::size_t)>& function) {
    const std::string bytes = translated([&] {
        int count = 0;
        const auto memory = std::make_shared<loupe::FileHandle>(loupe::memory_file());
        loupe::write_script_module(*with_classes(*module_, count), memory_target(memory));
        return loupe::contents_of(*memory, "a stream");
    });
    TORCH_CHECK(function(bytes.data(), bytes.size()) == bytes.size(), "the archive could not be written");
}

bool InputArchive::try_read(const std::string& key, c10::IValue& value) {
    const loupe::IValue* found = module_ == nullptr ? nullptr : module_->find_attribute(key);
    if (found == nullptr) return false;
    value = c10::IValue(*found);
    return true;
}
void InputArchive::read(const std::string& key, c10::IValue& value) {
    TORCH_CHECK(try_read(key, value), "No such serialized IValue '", prefix_, key, "'");
}
bool InputArchive::try_read(const std::string& key, at::Tensor& tensor, bool) {
    c10::IValue value;
    if (!try_read(key, value) || !value.isTensor()) return false;
    if (tensor.defined())
        tensor.set_data(value.toTensor());
    else
        tensor = value.toTensor();
    return true;
}
void InputArchive::read(const std::string& key, at::Tensor& tensor, bool is_buffer) {
    TORCH_CHECK(try_read(key, tensor, is_buffer), "No such serialized tensor '", prefix_, key, "'");
}
bool InputArchive::try_read(const std::string& key, InputArchive& nested) {
    c10::IValue value;
    const loupe::nn::ModulePtr module = try_read(key, value) ? loupe::nn::as_module(value.engine()) : nullptr;
    if (module == nullptr) return false;
    nested.module_ = module;
    nested.prefix_ = prefix_ + key + ".";
    return true;
}
void InputArchive::read(const std::string& key, InputArchive& nested) {
    TORCH_CHECK(try_read(key, nested), "No such serialized submodule: '", prefix_, key, "'");
}

void InputArchive::take(loupe::nn::ModulePtr module, const std::optional<c10::Device>& device) {
    if (device) module->to({.device = engine_device(*device)});
    module_ = std::move(module);
    prefix_.clear();
}
void InputArchive::load_from(const std::string& file, std::optional<c10::Device> device) {
    translated([&] {
        loupe::plugins();
        take(loupe::open_model(file).module, device);
    });
}
void InputArchive::load_from(std::istream& in, std::optional<c10::Device> device) {
    std::ostringstream bytes;
    bytes << in.rdbuf();
    const std::string text = bytes.str();
    load_from(text.data(), text.size(), device);
}
void InputArchive::load_from(const char* data, std::size_t size, std::optional<c10::Device> device) {
    translated([&] {
        loupe::plugins();
        const loupe::FileHandle memory = loupe::memory_file();
        loupe::write_at(memory, 0, std::string_view(data, size), "a stream");
        take(loupe::read_torchscript(loupe::MappedFile::map(memory, "a stream")).module, device);
    });
}
void InputArchive::load_from(const std::function<std::size_t(std::uint64_t, void*, std::size_t)>& read,
                             const std::function<std::size_t()>& size, std::optional<c10::Device> device) {
    std::string bytes(size(), '\0');
    TORCH_CHECK(read(0, bytes.data(), bytes.size()) == bytes.size(), "the archive could not be read");
    load_from(bytes.data(), bytes.size(), device);
}
std::vector<std::string> InputArchive::keys() {
    std::vector<std::string> names;
    if (module_ == nullptr) return names;
    for (const auto& [name, tensor] : module_->own_parameters()) names.push_back(name);
    for (const auto& [name, tensor] : module_->own_buffers()) names.push_back(name);
    for (const auto& [name, value] : module_->attributes())
        if (name != "training" && name != "_is_full_backward_hook") names.push_back(name);
    for (const auto& [name, child] : module_->children()) names.push_back(name);
    return names;
}

}  // namespace serialize

namespace nn {
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const std::shared_ptr<Module>& module) {
    TORCH_CHECK(module != nullptr, "Cannot serialize empty module");
    module->save(archive);
    return archive;
}
serialize::InputArchive& operator>>(serialize::InputArchive& archive, const std::shared_ptr<Module>& module) {
    TORCH_CHECK(module != nullptr, "Cannot deserialize into empty module");
    module->load(archive);
    return archive;
}
}  // namespace nn
}  // namespace torch
