// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/container.h>

namespace torch::nn {
namespace {

void print_parameters(std::ostream& out, const char* name, const OrderedDict<std::string, at::Tensor>& parameters) {
    out << name << "(\n";
    for (const auto& item : parameters)
        out << '(' << item.key() << "): Parameter containing: [" << item.value().scalar_type() << " of size "
            << item.value().sizes() << "]\n";
    out << ')';
}

}  // namespace

void ModuleListImpl::insert_module(std::size_t index, std::shared_ptr<Module> module) {
    TORCH_CHECK(index <= size(), "Index out of range");
    if (index == size()) {
        register_module(std::to_string(index), module);
        modules_.push_back(std::move(module));
        return;
    }
    modules_.insert(modules_.begin() + static_cast<std::ptrdiff_t>(index), std::move(module));
    for (std::size_t i = index; i + 1 < size(); ++i) replace_module(std::to_string(i), modules_[i]);
    register_module(std::to_string(size() - 1), modules_.back());
}

void ModuleDictImpl::insert(const std::string& key, std::shared_ptr<Module> module) {
    if (contains(key)) {
        modules_[key] = module;
        replace_module(key, std::move(module));
    } else {
        modules_.insert(key, module);
        register_module(key, std::move(module));
    }
}

void ParameterListImpl::pretty_print(std::ostream& out) const {
    print_parameters(out, "torch::nn::ParameterList", parameters_);
}

void ParameterDictImpl::pretty_print(std::ostream& out) const {
    print_parameters(out, "torch::nn::ParameterDict", parameters_);
}

}  // namespace torch::nn
