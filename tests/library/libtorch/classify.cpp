// SPDX-License-Identifier: Apache-2.0
// A deployment program as LibTorch's tutorial has it: loads a traced network and classifies.
#include <torch/script.h>

#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

int main(int argc, const char* argv[]) {
    if (argc != 2) {
        std::cerr << "usage: classify <folder of models>\n";
        return -1;
    }
    const std::string folder = argv[1];

    torch::jit::script::Module module;
    try {
        // Deserialize the ScriptModule from a file using torch::jit::load().
        module = torch::jit::load(folder + "/resnet.pt");
    } catch (const c10::Error& e) {
        std::cerr << "error loading the model\n" << e.what();
        return -1;
    }
    module.eval();
    std::cout << "ok\n";

    torch::NoGradGuard no_grad;
    std::vector<torch::jit::IValue> inputs;
    inputs.push_back(torch::ones({1, 3, 32, 32}));
    at::Tensor output = module.forward(inputs).toTensor();
    std::cout << output.slice(/*dim=*/1, /*start=*/0, /*end=*/5) << '\n';

    // An image as a camera gives it: bytes, channels last.
    std::vector<uint8_t> pixels(32 * 32 * 3);
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>((i * 7) % 256);
    auto image = torch::from_blob(pixels.data(), {32, 32, 3}, torch::kUInt8);
    image = image.to(torch::kFloat32).div(255.0).permute({2, 0, 1}).unsqueeze(0);
    image[0][0] = image[0][0].sub_(0.485).div_(0.229);
    image[0][1] = image[0][1].sub_(0.456).div_(0.224);
    image[0][2] = image[0][2].sub_(0.406).div_(0.225);
    std::cout << "image " << image.sizes() << ' ' << image.dtype() << ' ' << image.device() << '\n';

    auto probabilities = torch::softmax(module.forward({image}).toTensor(), 1);
    auto [values, classes] = probabilities.topk(3, 1);
    auto value_of = values.accessor<float, 2>();
    auto class_of = classes.accessor<int64_t, 2>();
    for (int64_t i = 0; i < values.size(1); ++i)
        std::cout << "class " << class_of[0][i] << ": " << std::fixed << std::setprecision(4) << value_of[0][i] << '\n';
    std::cout << "best " << probabilities.argmax(1).item<int64_t>() << ", sum " << probabilities.sum().item<float>()
              << '\n';

    // A batch, in double precision.
    module.to(torch::kDouble);
    auto batch = torch::cat({image, image.flip({3}), torch::zeros_like(image)}).to(torch::kDouble);
    auto scores = module.forward({batch}).toTensor();
    std::cout << scores.sizes() << ' ' << scores.scalar_type() << '\n' << scores.argmax(1) << '\n';
    std::cout << std::get<0>(scores.max(1)) << '\n';

    int64_t parameters = 0;
    for (const auto& p : module.parameters()) parameters += p.numel();
    std::cout << parameters << " parameters\n";
    for (const auto& pair : module.named_parameters())
        if (pair.name.find("fc") != std::string::npos) std::cout << pair.name << ' ' << pair.value.sizes() << '\n';

    try {
        torch::jit::load(folder + "/nothing.pt");
        std::cout << "opened\n";
    } catch (const c10::Error&) {
        std::cout << "no such model\n";
    }
    try {
        torch::ones({2, 3}).matmul(torch::ones({4, 5}));
    } catch (const std::exception& e) {
        const std::string text = e.what();
        std::cout << text.substr(0, text.find('\n')) << '\n';
    }
    return 0;
}
