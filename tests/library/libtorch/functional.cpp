// SPDX-License-Identifier: Apache-2.0
// The functions of torch::nn::functional with their options.
#include <torch/torch.h>

#include <iostream>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace F = torch::nn::functional;
using torch::Tensor;

namespace {

// A single number too with four digits.
void print(const std::string& name, const Tensor& value) {
    std::cout << name << ' ' << value.sizes() << '\n' << (value.dim() == 0 ? value.view({1}) : value) << '\n';
}
void print_both(const std::string& name, const std::tuple<Tensor, Tensor>& values) {
    print(name, std::get<0>(values));
    print(name + ", the indices", std::get<1>(values));
}

// A ramp of the shape from low to high, mixed so that neighbours differ.
Tensor mixed(torch::IntArrayRef sizes, double low = -1.93, double high = 2.07) {
    int64_t count = 1;
    for (const int64_t size : sizes) count *= size;
    auto places = (torch::arange(count) * 7) % count;
    return torch::linspace(low, high, count).index_select(0, places).view(sizes);
}

void run_activations() {
    auto x = mixed({2, 4});
    print("elu", F::elu(x, F::ELUFuncOptions().alpha(0.42)));
    print("selu", F::selu(x));
    print("celu", F::celu(x, F::CELUFuncOptions().alpha(0.7)));
    print("hardshrink", F::hardshrink(x, F::HardshrinkFuncOptions().lambda(0.9)));
    print("softshrink", F::softshrink(x, 0.3).abs());
    print("hardtanh", F::hardtanh(x, F::HardtanhFuncOptions().min_val(-1).max_val(0.5)));
    print("leaky_relu", F::leaky_relu(x, F::LeakyReLUFuncOptions().negative_slope(0.2)));
    print("logsigmoid", F::logsigmoid(x));
    print("softmax", F::softmax(x, 1));
    print("softmin", F::softmin(x, F::SoftminFuncOptions(0)));
    print("log_softmax", F::log_softmax(x, F::LogSoftmaxFuncOptions(1).dtype(torch::kFloat64)));
    print("glu", F::glu(x, F::GLUFuncOptions(1)));
    print("gelu", F::gelu(x));
    print("gelu by tanh", F::gelu(x, F::GELUFuncOptions().approximate("tanh")));
    print("silu", F::silu(x));
    print("mish", F::mish(x));
    print("relu", F::relu(x));
    print("relu6", F::relu6(x * 4, F::ReLU6FuncOptions().inplace(true)));
    print("rrelu", F::rrelu(x, F::RReLUFuncOptions().lower(0.1).upper(0.4)));
    print("prelu", F::prelu(x, torch::full({1}, 0.25)));
    print("softplus", F::softplus(x, F::SoftplusFuncOptions().beta(0.5).threshold(3.0)));
    print("softsign", F::softsign(x));
    print("tanhshrink", F::tanhshrink(x));
    print("threshold", F::threshold(x, F::ThresholdFuncOptions(0.5, 20)));
    auto y = x.clone();
    F::relu(y, F::ReLUFuncOptions().inplace(true));
    print("relu in place", y);
    print("gumbel_softmax", F::gumbel_softmax(x, F::GumbelSoftmaxFuncOptions().hard(true).dim(1)).sum());
}

void run_convolutions() {
    print("linear", F::linear(mixed({2, 3}), mixed({4, 3}), torch::ones({4})));
    print("bilinear", F::bilinear(mixed({2, 3}), mixed({2, 2}), mixed({4, 3, 2})));
    print("conv1d", F::conv1d(mixed({1, 2, 6}), mixed({3, 2, 3}), F::Conv1dFuncOptions().stride(2).padding(1)));
    auto image = mixed({1, 2, 5, 5});
    print("conv2d", F::conv2d(image, mixed({4, 1, 3, 3}),
                              F::Conv2dFuncOptions().bias(torch::ones({4})).stride({2, 1}).padding(0).groups(2)));
    print("conv2d, same",
          F::conv2d(image, mixed({1, 2, 3, 3}), F::Conv2dFuncOptions().padding(torch::kSame).dilation({1, 2})));
    print("conv3d", F::conv3d(mixed({1, 1, 3, 3, 3}), mixed({2, 1, 2, 2, 2})));
    print("conv_transpose1d", F::conv_transpose1d(mixed({1, 2, 3}), mixed({2, 2, 3})));
    print("conv_transpose2d", F::conv_transpose2d(mixed({1, 2, 2, 2}), mixed({2, 1, 3, 3}),
                                                  F::ConvTranspose2dFuncOptions().stride(2).output_padding(1)));
    print("conv_transpose3d", F::conv_transpose3d(mixed({1, 1, 2, 2, 2}), mixed({1, 1, 2, 2, 2})));
    print("unfold", F::unfold(mixed({1, 1, 3, 4}), F::UnfoldFuncOptions({2, 2}).stride(1)));
    print("fold", F::fold(mixed({1, 4, 6}), F::FoldFuncOptions({3, 4}, {2, 2})));
}

void run_pooling() {
    auto row = mixed({1, 2, 8}), image = mixed({1, 1, 6, 6}), volume = mixed({1, 1, 4, 4, 4});
    print("avg_pool1d", F::avg_pool1d(row, F::AvgPool1dFuncOptions(3).stride(2)));
    print("avg_pool2d", F::avg_pool2d(image, F::AvgPool2dFuncOptions({3, 2}).padding(1).count_include_pad(false)));
    print("avg_pool3d", F::avg_pool3d(volume, F::AvgPool3dFuncOptions(2).divisor_override(4)));
    print("max_pool1d", F::max_pool1d(row, F::MaxPool1dFuncOptions(3).dilation(2)));
    print("max_pool2d", F::max_pool2d(image, F::MaxPool2dFuncOptions(4).stride({3, 2}).ceil_mode(true)));
    print("max_pool3d", F::max_pool3d(volume, F::MaxPool3dFuncOptions(2)));
    auto pooled = F::max_pool2d_with_indices(image, F::MaxPool2dFuncOptions(2));
    print_both("max_pool2d", pooled);
    print("max_unpool2d",
          F::max_unpool2d(std::get<0>(pooled), std::get<1>(pooled),
                          F::MaxUnpool2dFuncOptions(2).output_size(std::vector<int64_t>({1, 1, 6, 6}))));
    print_both("max_pool1d", F::max_pool1d_with_indices(row, F::MaxPool1dFuncOptions(2)));
    print("adaptive_avg_pool1d", F::adaptive_avg_pool1d(row, F::AdaptiveAvgPool1dFuncOptions(3)));
    print("adaptive_avg_pool2d", F::adaptive_avg_pool2d(image, F::AdaptiveAvgPool2dFuncOptions({2, 3})));
    print("adaptive_avg_pool3d", F::adaptive_avg_pool3d(volume, F::AdaptiveAvgPool3dFuncOptions(1)));
    print("adaptive_max_pool1d", F::adaptive_max_pool1d(row, F::AdaptiveMaxPool1dFuncOptions(3)));
    print("adaptive_max_pool2d", F::adaptive_max_pool2d(image, F::AdaptiveMaxPool2dFuncOptions(2)));
    print("adaptive_max_pool3d", F::adaptive_max_pool3d(volume, F::AdaptiveMaxPool3dFuncOptions({1, 2, 1})));
    print_both("adaptive_max_pool2d", F::adaptive_max_pool2d_with_indices(image, F::AdaptiveMaxPool2dFuncOptions(2)));
    print("lp_pool1d", F::lp_pool1d(row, F::LPPool1dFuncOptions(2, 3).stride(2)));
    print("lp_pool2d", F::lp_pool2d(image, F::LPPool2dFuncOptions(2, {3, 2})));
    print("fractional_max_pool2d",
          F::fractional_max_pool2d(
              image, F::FractionalMaxPool2dFuncOptions(2).output_size(3)._random_samples(torch::full({1, 1, 2}, 0.3))));
    print("fractional_max_pool2d by ratio",
          F::fractional_max_pool2d(image, F::FractionalMaxPool2dFuncOptions(2)
                                              .output_ratio({{0.5, 0.7}})
                                              ._random_samples(torch::full({1, 1, 2}, 0.3))));
}

void run_normalization() {
    auto x = mixed({2, 4, 3});
    x += x.pow(2) / 4;  // not the same on both sides of zero
    auto mean = torch::zeros({4}), variance = torch::ones({4});
    print("batch_norm",
          F::batch_norm(x, mean, variance,
                        F::BatchNormFuncOptions().weight(mixed({4})).bias(torch::ones({4})).training(true).eps(1e-3)));
    print("the running mean", mean);
    print("batch_norm, evaluated", F::batch_norm(x, mean, variance));
    print("instance_norm", F::instance_norm(x, F::InstanceNormFuncOptions().weight(mixed({4})).eps(1e-4)));
    print("layer_norm", F::layer_norm(x, F::LayerNormFuncOptions({3}).bias(torch::ones({3}))));
    print("layer_norm of two", F::layer_norm(x, F::LayerNormFuncOptions({4, 3}).eps(2e-5)));
    print("group_norm", F::group_norm(x, F::GroupNormFuncOptions(2).weight(mixed({4}))));
    print("local_response_norm", F::local_response_norm(x, F::LocalResponseNormFuncOptions(2).alpha(0.5)));
    print("normalize", F::normalize(x, F::NormalizeFuncOptions().p(1).dim(-1)));
    print("normalize by default", F::normalize(x));
    print("cosine_similarity", F::cosine_similarity(x, x.flip({1}), F::CosineSimilarityFuncOptions().dim(1)));
    print("pairwise_distance", F::pairwise_distance(x[0], x[1], F::PairwiseDistanceFuncOptions().p(1).keepdim(true)));
    print("pdist", F::pdist(x[0], 3.5));
}

void run_losses() {
    auto x = mixed({3, 4}), y = mixed({3, 4}, 1, -1);
    auto classes = torch::tensor({0, 3, 2});
    auto weight = mixed({4}, 0.5, 2);
    auto odds = torch::sigmoid(x), wanted = (y > 0).to(torch::kFloat);
    auto signs = torch::tensor({1.0f, -1.0f, 1.0f});
    print("l1_loss", F::l1_loss(x, y, F::L1LossFuncOptions(torch::kNone)));
    print("mse_loss", F::mse_loss(x, y, F::MSELossFuncOptions().reduction(torch::kSum)));
    print("smooth_l1_loss", F::smooth_l1_loss(x, y, F::SmoothL1LossFuncOptions().reduction(torch::kSum).beta(0.5)));
    print("smooth_l1_loss of beta", F::smooth_l1_loss(x, y, F::SmoothL1LossFuncOptions(), /*beta=*/2.0));
    print("huber_loss", F::huber_loss(x, y, F::HuberLossFuncOptions().delta(0.5)));
    print("cross_entropy", F::cross_entropy(x, classes));
    print(
        "cross_entropy, weighted",
        F::cross_entropy(x, classes, F::CrossEntropyFuncOptions().weight(weight).ignore_index(2).label_smoothing(0.1)));
    print("nll_loss", F::nll_loss(F::log_softmax(x, 1), classes, F::NLLLossFuncOptions().reduction(torch::kNone)));
    print("binary_cross_entropy",
          F::binary_cross_entropy(odds, wanted, F::BinaryCrossEntropyFuncOptions().weight(weight)));
    print("binary_cross_entropy_with_logits",
          F::binary_cross_entropy_with_logits(x, wanted,
                                              F::BinaryCrossEntropyWithLogitsFuncOptions().pos_weight(weight)));
    print("kl_div", F::kl_div(F::log_softmax(x, 1), F::log_softmax(y, 1),
                              F::KLDivFuncOptions().reduction(torch::kBatchMean).log_target(true)));
    print("hinge_embedding_loss", F::hinge_embedding_loss(x, y.sign(), F::HingeEmbeddingLossFuncOptions().margin(2)));
    print("multi_margin_loss",
          F::multi_margin_loss(x, classes, F::MultiMarginLossFuncOptions().margin(2).weight(weight)));
    print("cosine_embedding_loss",
          F::cosine_embedding_loss(x, y, signs, F::CosineEmbeddingLossFuncOptions().margin(0.5)));
    print("multilabel_margin_loss",
          F::multilabel_margin_loss(x, torch::tensor({{3, 0, -1, 1}, {1, -1, 0, 0}, {2, 1, 0, -1}})));
    print("soft_margin_loss", F::soft_margin_loss(x, y.sign(), F::SoftMarginLossFuncOptions().reduction(torch::kNone)));
    print("multilabel_soft_margin_loss",
          F::multilabel_soft_margin_loss(x, wanted, F::MultilabelSoftMarginLossFuncOptions().weight(weight)));
    print("triplet_margin_loss",
          F::triplet_margin_loss(x, y, x.flip({0}), F::TripletMarginLossFuncOptions().margin(1.5).swap(true)));
    print("triplet_margin_with_distance_loss",
          F::triplet_margin_with_distance_loss(
              x, y, x.flip({0}),
              F::TripletMarginWithDistanceLossFuncOptions()
                  .distance_function([](const Tensor& a, const Tensor& b) { return (a - b).abs().amax(1); })
                  .swap(true)
                  .reduction(torch::kNone)));
    print("triplet_margin_with_distance_loss by default", F::triplet_margin_with_distance_loss(x, y, x.flip({0})));
    print("poisson_nll_loss", F::poisson_nll_loss(x, wanted, F::PoissonNLLLossFuncOptions().full(true)));
    print("margin_ranking_loss",
          F::margin_ranking_loss(x.select(1, 0), y.select(1, 0), signs, F::MarginRankingLossFuncOptions().margin(0.5)));
    print("ctc_loss",
          F::ctc_loss(F::log_softmax(mixed({5, 2, 4}), 2), torch::tensor({{1, 2}, {3, 1}}), torch::tensor({5, 4}),
                      torch::tensor({2, 1}), F::CTCLossFuncOptions().reduction(torch::kSum)));
    torch::nn::CTCLoss ctc(torch::nn::CTCLossOptions().blank(1));
    print("CTCLoss", ctc(F::log_softmax(mixed({5, 2, 4}), 2), torch::tensor({{0, 2}, {3, 0}}), torch::tensor({5, 4}),
                         torch::tensor({2, 2})));
    x.requires_grad_();
    F::cross_entropy(x, classes, F::CrossEntropyFuncOptions().reduction(torch::kSum)).backward();
    print("the gradient of cross_entropy", x.grad());
}

void run_embeddings() {
    auto table = mixed({5, 3});
    auto words = torch::tensor({{0, 4, 1}, {2, 0, 3}});
    print("embedding", F::embedding(words, table, F::EmbeddingFuncOptions().padding_idx(0)));
    print("embedding of small norm", F::embedding(words, table.clone(), F::EmbeddingFuncOptions().max_norm(1.0)));
    print("embedding_bag", F::embedding_bag(words, table, F::EmbeddingBagFuncOptions().mode(torch::kSum)));
    print("embedding_bag of offsets",
          F::embedding_bag(words.flatten(), table,
                           F::EmbeddingBagFuncOptions().offsets(torch::tensor({0, 4})).mode(torch::kMax)));
    auto frozen = torch::nn::Embedding::from_pretrained(table);
    print("Embedding of a table", frozen(words[0]));
    auto bag = torch::nn::EmbeddingBag::from_pretrained(
        table.clone(), torch::nn::EmbeddingBagFromPretrainedOptions().freeze(false).mode(torch::kSum));
    print("EmbeddingBag of a table", bag(words));
    std::cout << frozen->weight.requires_grad() << ' ' << bag->weight.requires_grad() << '\n';
    print("one_hot", F::one_hot(words));
    print("one_hot of 6", F::one_hot(words[0], 6));
}

void run_images() {
    auto image = mixed({1, 1, 3, 4});
    print("pad", F::pad(image, F::PadFuncOptions({1, 2}).value(9)));
    print("pad, reflected", F::pad(image, F::PadFuncOptions({1, 2, 2, 0}).mode(torch::kReflect)));
    print("pad, replicated", F::pad(image, F::PadFuncOptions({0, 1, 1, 1}).mode(torch::kReplicate)));
    print("pad, circular", F::pad(image, F::PadFuncOptions({1, 0, 0, 1}).mode(torch::kCircular)));
    auto deep = mixed({1, 4, 2, 2});
    print("pixel_shuffle", F::pixel_shuffle(deep, F::PixelShuffleFuncOptions(2)));
    print("pixel_unshuffle", F::pixel_unshuffle(mixed({1, 1, 4, 4}), F::PixelUnshuffleFuncOptions(2)));
    print("interpolate", F::interpolate(image, F::InterpolateFuncOptions().size(std::vector<int64_t>({2, 6}))));
    print("interpolate, bilinear", F::interpolate(image, F::InterpolateFuncOptions()
                                                             .scale_factor(std::vector<double>({2.0, 1.5}))
                                                             .mode(torch::kBilinear)
                                                             .align_corners(true)));
    print(
        "interpolate, bicubic",
        F::interpolate(
            image,
            F::InterpolateFuncOptions().size(std::vector<int64_t>({4, 5})).mode(torch::kBicubic).align_corners(false)));
    print("interpolate, area",
          F::interpolate(image, F::InterpolateFuncOptions().size(std::vector<int64_t>({2, 2})).mode(torch::kArea)));
    print("interpolate, nearest-exact",
          F::interpolate(
              image,
              F::InterpolateFuncOptions().scale_factor(std::vector<double>({1.5, 1.5})).mode(torch::kNearestExact)));
    print("interpolate, linear", F::interpolate(mixed({1, 2, 3}), F::InterpolateFuncOptions()
                                                                      .scale_factor(std::vector<double>({2.0}))
                                                                      .mode(torch::kLinear)
                                                                      .align_corners(false)));
    auto theta = torch::tensor({{{0.8, 0.2, 0.1}, {-0.2, 0.9, 0.0}}}, torch::kFloat);
    auto grid = F::affine_grid(theta, {1, 1, 3, 3});
    print("affine_grid", grid);
    print("affine_grid, aligned", F::affine_grid(theta, {1, 1, 2, 3}, /*align_corners=*/true));
    print("grid_sample", F::grid_sample(image, grid, F::GridSampleFuncOptions().align_corners(false)));
    print("grid_sample, nearest",
          F::grid_sample(
              image, grid * 2,
              F::GridSampleFuncOptions().mode(torch::kNearest).padding_mode(torch::kBorder).align_corners(true)));
}

void run_dropout() {
    torch::manual_seed(2);
    auto x = torch::ones({2, 3, 4});
    print("dropout", F::dropout(x, F::DropoutFuncOptions().p(0.4)));
    print("dropout, evaluated", F::dropout(x, F::DropoutFuncOptions().training(false)));
    print("dropout2d", F::dropout2d(x.unsqueeze(-1), F::Dropout2dFuncOptions().p(0.5)).squeeze(-1));
    print("dropout3d", F::dropout3d(x.view({2, 3, 2, 2, 1})).flatten(2));
    print("alpha_dropout", F::alpha_dropout(x, F::AlphaDropoutFuncOptions().p(0.3).training(true)));
    print("feature_alpha_dropout", F::feature_alpha_dropout(x, F::FeatureAlphaDropoutFuncOptions().training(true)));
}

void run_init() {
    namespace init = torch::nn::init;
    torch::manual_seed(4);
    torch::NoGradGuard no_grad;
    print("xavier_uniform_", init::xavier_uniform_(torch::empty({2, 3}), init::calculate_gain(torch::kTanh)));
    print("xavier_normal_", init::xavier_normal_(torch::empty({2, 3})));
    print("kaiming_uniform_", init::kaiming_uniform_(torch::empty({2, 3}), 0, torch::kFanOut, torch::kReLU));
    print("kaiming_normal_", init::kaiming_normal_(torch::empty({2, 3})));
    print("normal_", init::normal_(torch::empty({2, 3}), 1, 0.1));
    print("uniform_", init::uniform_(torch::empty({2, 3}), -1, 1));
    print("eye_", init::eye_(torch::empty({2, 3})));
    print("dirac_", init::dirac_(torch::empty({2, 1, 3})));
    print("constant_", init::constant_(torch::empty({2}), 0.3));
}

// What is read back of options, given or by default.
void run_options() {
    namespace nn = torch::nn;
    auto conv = nn::ConvOptions<2>(3, 8, 3).groups(1).bias(false);
    std::cout << conv.in_channels() << ' ' << conv.out_channels() << ' ' << conv.bias() << '\n';
    nn::BatchNorm2d norm(nn::BatchNormOptions(8).eps(1e-3).momentum(std::nullopt));
    std::cout << norm->options.num_features() << ' ' << norm->options.eps() << ' '
              << norm->options.momentum().has_value() << ' ' << nn::BatchNormOptions(8).momentum().value() << '\n';
    nn::MaxPool2d pool(2);
    nn::Conv2d same(nn::Conv2dOptions(1, 1, 3).padding(torch::kSame)), inner(nn::Conv2dOptions(1, 1, 3).padding(0));
    auto image = torch::ones({1, 1, 4, 4});
    std::cout << pool(image).sizes() << same(image).sizes() << inner(image).sizes() << '\n';
    nn::Dropout2d drop(nn::DropoutOptions(0.2).inplace(true));
    std::cout << drop->options.p() << ' ' << drop->options.inplace() << '\n';
    nn::EmbeddingOptions table = nn::EmbeddingOptions(10, 4).padding_idx(3);
    std::cout << table.num_embeddings() << ' ' << table.padding_idx().value() << ' ' << table.max_norm().has_value()
              << ' ' << table.norm_type() << '\n';
    auto loss = F::CrossEntropyFuncOptions().weight(torch::ones({2})).label_smoothing(0.1);
    std::cout << loss.weight() << '\n' << loss.ignore_index() << ' ' << loss.label_smoothing() << '\n';
    std::cout << F::SoftmaxFuncOptions(1).dim() << ' ' << F::GLUFuncOptions().dim() << ' '
              << nn::LeakyReLUOptions().negative_slope() << ' ' << nn::HardshrinkOptions().lambda() << ' '
              << nn::MaxPoolOptions<2>(2).ceil_mode() << ' ' << nn::AvgPool1dOptions(2).count_include_pad() << ' '
              << torch::optim::SGDOptions(0.1).momentum() << '\n';
}

}  // namespace

int main() {
    torch::manual_seed(1);
    run_activations();
    run_convolutions();
    run_pooling();
    run_normalization();
    run_losses();
    run_embeddings();
    run_images();
    run_dropout();
    run_init();
    run_options();
    return 0;
}
