// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/serialize.h>

#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/formats/format_registry.h"
#include "core/formats/pickle/pickle_values.h"
#include "core/formats/torch_writer.h"
#include "core/library/torch/call.h"
#include "core/nn/module.h"
#include "core/value/schema.h"

using namespace loupe::torch_api;

namespace torch {
namespace {

// An archive of LibTorch is a module without methods, whose tensors are named "0", "1", ...
class Archive {
  public:
    Archive() : module_(loupe::make_ptr<loupe::nn::Module>("__torch__.Module")) {}
    void add(const std::string& name, const at::Tensor& tensor) {
        module_->register_parameter(name, loupe::make_parameter(tensor.engine(), tensor.requires_grad()));
    }
    void write(const std::string& file) const { loupe::write_script_module(*module_, file); }

  private:
    loupe::nn::ModulePtr module_;
};

at::Tensor tensor_of(const loupe::ModelFile& file, const std::string& name) {
    const loupe::IValue* found = file.module->find_attribute(name);
    if (found == nullptr || !found->is_tensor())
        throw c10::Error(loupe::concat("No such serialized tensor '", name, "'"));
    return at::Tensor(found->to_tensor());
}

// Of files of torch.save that hold tensors and plain values.
class PlainClasses final : public loupe::PickledClasses {
  public:
    loupe::IValue make(const loupe::PickleNode&, loupe::ValueBuilder&) override {
        throw loupe::Error(loupe::ErrorKind::Unsupported,
                           "holds an object of a class, which pickle_load does not make");
    }
    loupe::TypePtr parse_type(std::string_view annotation) override { return loupe::parse_type(annotation); }
};

}  // namespace

void save(const at::Tensor& tensor, const std::string& file) {
    translated([&] {
        Archive archive;
        archive.add("0", tensor);
        archive.write(file);
    });
}

void save(const std::vector<at::Tensor>& tensors, const std::string& file) {
    translated([&] {
        Archive archive;
        archive.add("size", torch::tensor(static_cast<std::int64_t>(tensors.size())));
        for (std::size_t i = 0; i < tensors.size(); ++i) archive.add(std::to_string(i), tensors[i]);
        archive.write(file);
    });
}

void load(at::Tensor& tensor, const std::string& file) {
    translated([&] { tensor = tensor_of(loupe::open_model(file), "0"); });
}

void load(std::vector<at::Tensor>& tensors, const std::string& file) {
    translated([&] {
        const loupe::ModelFile archive = loupe::open_model(file);
        const auto count = tensor_of(archive, "size").item<std::int64_t>();
        for (std::int64_t i = 0; i < count; ++i) tensors.push_back(tensor_of(archive, std::to_string(i)));
    });
}

c10::IValue pickle_load(const std::vector<char>& bytes) {
    return translated([&] {
        const loupe::FileHandle memory = loupe::memory_file();
        loupe::write_at(memory, 0, std::string_view(bytes.data(), bytes.size()), "pickled bytes");
        PlainClasses classes;
        return c10::IValue(loupe::read_checkpoint(loupe::MappedFile::map(memory, "pickled bytes"), classes));
    });
}

std::vector<char> pickle_save(const c10::IValue& value) {
    return translated([&] {
        const auto memory = std::make_shared<loupe::FileHandle>(loupe::memory_file());
        loupe::write_checkpoint(value.engine(), loupe::FileTarget("pickled bytes", memory));
        const std::string bytes = loupe::contents_of(*memory, "pickled bytes");
        return std::vector<char>(bytes.begin(), bytes.end());
    });
}

}  // namespace torch
