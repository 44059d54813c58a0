// SPDX-License-Identifier: Apache-2.0
// A scripted module with methods, attributes and results of many kinds.
#include <torch/script.h>

#include <iostream>
#include <string>

int main(int argc, const char* argv[]) {
    if (argc != 2) return -1;
    torch::jit::Module module = torch::jit::load(std::string(argv[1]) + "/parts.pt", torch::kCPU);
    std::cout << module.is_training() << '\n';
    c10::InferenceMode guard;

    auto x = torch::linspace(-1, 1, 8).view({2, 4});
    auto result = module.forward({x});
    std::cout << result.isGenericDict() << ' ' << result.tagKind() << '\n';
    auto dict = result.toGenericDict();
    std::cout << dict.size() << ' ' << dict.contains("code") << '\n' << dict.at("code").toTensor() << '\n';
    for (const auto& entry : dict)
        std::cout << entry.key().toStringRef() << ' ' << entry.value().toTensor().sizes() << '\n';

    auto masked = module.forward({x}, {{"mask", torch::tensor({1.0, 0.0, 1.0, 0.0})}}).toGenericDict();
    std::cout << masked.at("out").toTensor() << '\n';

    auto encoded = module.get_method("encode")({x}).toTuple();
    std::cout << encoded->elements().size() << ' ' << encoded->elements()[1].toInt() << '\n'
              << encoded->elements()[0].toTensor() << '\n';
    auto halves = module.run_method("halves", x, 4).toTensorVector();
    std::cout << halves.size() << ' ' << halves[0].sizes() << '\n';
    for (const at::Tensor& half : module.get_method("halves")({x}).toTensorList()) std::cout << half << '\n';

    std::cout << module.attr("scale").toDouble() << ' ' << module.hasattr("scale") << ' ' << module.hasattr("other")
              << '\n';
    for (const auto& name : module.attr("names").toList()) std::cout << torch::IValue(name).toStringRef() << ' ';
    std::cout << '\n' << module.attr("mean").toTensor() << '\n';
    for (const auto& child : module.named_children()) {
        std::cout << child.name;
        for (const auto& p : child.value.named_parameters()) std::cout << ' ' << p.name << ' ' << p.value.sizes();
        std::cout << '\n';
    }
    for (const auto& buffer : module.named_buffers()) std::cout << buffer.name << ' ' << buffer.value.sizes() << '\n';
    std::cout << module.find_method("encode").has_value() << ' ' << module.find_method("nothing").has_value() << '\n';

    module.train();
    std::cout << module.is_training() << '\n';
    module.eval();

    try {
        module.get_method("check")({torch::ones({2, 2, 2})});
    } catch (const std::exception& e) {
        std::cout << (std::string(e.what()).find("expected a matrix") != std::string::npos) << '\n';
    }
    try {
        module.forward({torch::ones({2, 5})});
    } catch (const std::exception& e) {
        std::cout << (std::string(e.what()).find("The size of tensor a (5) must match the size of tensor b (4)") !=
                      std::string::npos)
                  << '\n';
    }
    try {
        result.toTensor();
    } catch (const c10::Error& e) {
        std::cout << e.msg() << '\n';
    }
    c10::List<at::Tensor> list;
    list.push_back(torch::zeros({2}));
    list.push_back(torch::ones({1}));
    torch::IValue value(list);
    std::cout << value.isTensorList() << ' ' << value.toTensorVector().size() << '\n';
    std::cout << torch::IValue(3) << ' ' << torch::IValue(2.5) << ' ' << torch::IValue(true) << ' '
              << torch::IValue(std::vector<int64_t>{1, 2}) << ' ' << torch::IValue() << '\n';
    module.save("copy.pt");
    auto again = torch::jit::load("copy.pt");
    std::cout << torch::allclose(again.forward({x}).toGenericDict().at("out").toTensor(), dict.at("out").toTensor())
              << '\n';
    return 0;
}
