// SPDX-License-Identifier: Apache-2.0
// Which pixels a class depends on, from the gradient of its score: input_gradient resnet.pt
#include <tensorloupe/tensorloupe.h>

#include <cstdio>
#include <iostream>

using namespace loupe;

int main(int, char** argv) {
    try {
        const Model model = Model::open(argv[1]);
        model.eval();
        const Tensor image = fn::view(fn::sin(arange(0, 3 * 32 * 32) * 0.01), Dims{1, 3, 32, 32});
        set_requires_grad(image, true);

        const Tensor score = index(model({image}).to_tensor(), {0, 3});
        backward({score});

        const Tensor gradient = grad_of(image);
        std::printf("score %.5f\n", item(score).to_double());
        std::printf("gradient of %s, norm %.5f\n", shape_list_text(gradient.sizes()).c_str(),
                    item(call("norm", {gradient}).to_tensor()).to_double());
        const Tensor strength = call("sum", {fn::abs(gradient)}, {{"dim", 1}}).to_tensor();
        const std::int64_t strongest = item(call("argmax", {strength}).to_tensor()).to_int();
        std::printf("strongest at row %ld, column %ld\n", strongest / 32, strongest % 32);
        std::fflush(stdout);
        std::cout << index(gradient, {0, 0, Slice(14, 17), Slice(14, 17)}) << '\n';
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
