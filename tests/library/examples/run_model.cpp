// SPDX-License-Identifier: Apache-2.0
// Classifies an image with a traced network: run_model resnet.pt
#include <tensorloupe/tensorloupe.h>

#include <cstdio>
#include <iostream>

using namespace loupe;

int main(int, char** argv) {
    try {
        const Model model = Model::open(argv[1]);
        model.eval();
        const GradModeScope no_gradients(false);

        // Three channels of 32 x 32 numbers; of a picture: read_image, or from_memory over its pixels.
        const Tensor image = fn::view(fn::sin(arange(0, 3 * 32 * 32) * 0.01), Dims{1, 3, 32, 32});
        const Tensor scores = call("softmax", {model({image})}, {{"dim", 1}}).to_tensor();

        const IValue best = call("topk", {index(scores, {0}), 3});
        const auto values = to_vector<float>(best.to_tuple().elements[0].to_tensor());
        const auto classes = to_vector<std::int64_t>(best.to_tuple().elements[1].to_tensor());
        for (std::size_t i = 0; i < values.size(); ++i) std::printf("class %ld: %.4f\n", classes[i], values[i]);
        std::fflush(stdout);

        std::cout << index(scores, {Slice(), Slice(0, 4)}) << '\n';
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
