// SPDX-License-Identifier: Apache-2.0
// Modules as they print themselves, whole nets too.
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <vector>

namespace {

namespace nn = torch::nn;

template <typename... Modules>
void print(const Modules&... modules) {
    ((std::cout << modules << '\n'), ...);
}

void convolutions() {
    using torch::kReflect, torch::kSame, torch::kValid;
    print(nn::Conv1d(1, 2, 3), nn::Conv2d(3, 8, 5), nn::Conv3d(1, 1, 2),
          nn::Conv1d(nn::Conv1dOptions(4, 8, 3).stride(2).padding(1).dilation(2).groups(4).bias(false)),
          nn::Conv2d(nn::Conv2dOptions(3, 6, {3, 5}).stride({2, 1}).padding({0, 2}).padding_mode(kReflect)),
          nn::Conv2d(nn::Conv2dOptions(3, 6, 3).padding(kSame).padding_mode(torch::kCircular)),
          nn::Conv3d(nn::Conv3dOptions(1, 1, {1, 2, 3}).padding(kValid).padding_mode(torch::kReplicate)),
          nn::ConvTranspose1d(2, 3, 4),
          nn::ConvTranspose2d(nn::ConvTranspose2dOptions(4, 2, 3).stride(2).padding(1).output_padding(1).groups(2)),
          nn::ConvTranspose3d(nn::ConvTranspose3dOptions(1, 2, 3).dilation({1, 2, 1}).bias(false)));
}

void activations() {
    print(nn::ELU(), nn::ELU(nn::ELUOptions().alpha(0.5).inplace(true)), nn::SELU(), nn::SELU(true), nn::Hardshrink(),
          nn::Hardshrink(0.25), nn::Hardtanh(),
          nn::Hardtanh(nn::HardtanhOptions().min_val(-0.5).max_val(2).inplace(true)), nn::LeakyReLU(),
          nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2).inplace(true)), nn::LogSigmoid(), nn::Softmax(1),
          nn::Softmin(0), nn::LogSoftmax(-1), nn::Softmax2d(), nn::PReLU(),
          nn::PReLU(nn::PReLUOptions().num_parameters(3)), nn::ReLU(), nn::ReLU(nn::ReLUOptions(true)), nn::ReLU6(),
          nn::ReLU6(true), nn::RReLU(), nn::RReLU(nn::RReLUOptions().lower(0.1).upper(0.5).inplace(true)), nn::CELU(),
          nn::CELU(nn::CELUOptions().alpha(2).inplace(true)), nn::GLU(), nn::GLU(1), nn::GELU(),
          nn::GELU(nn::GELUOptions().approximate("tanh")), nn::SiLU(), nn::Mish(), nn::Sigmoid(), nn::Softplus(),
          nn::Softplus(nn::SoftplusOptions().beta(0.24).threshold(3.42)), nn::Softshrink(), nn::Softshrink(0.75),
          nn::Softsign(), nn::Tanh(), nn::Tanhshrink(), nn::Threshold(24, 42),
          nn::Threshold(nn::ThresholdOptions(0.5, -1.25).inplace(true)));
}

void norms() {
    print(nn::BatchNorm1d(4), nn::BatchNorm2d(5), nn::BatchNorm3d(6),
          nn::BatchNorm2d(nn::BatchNorm2dOptions(3).eps(0.01).momentum(std::nullopt).affine(false)),
          nn::BatchNorm1d(nn::BatchNorm1dOptions(3).momentum(0.25).track_running_stats(false)), nn::InstanceNorm1d(4),
          nn::InstanceNorm2d(nn::InstanceNorm2dOptions(2).eps(1e-3).affine(true).track_running_stats(true)),
          nn::InstanceNorm3d(2), nn::LayerNorm(nn::LayerNormOptions({2, 2})),
          nn::LayerNorm(nn::LayerNormOptions({7}).eps(2e-5).elementwise_affine(false)), nn::GroupNorm(2, 4),
          nn::GroupNorm(nn::GroupNormOptions(1, 2).eps(1e-4).affine(false)), nn::LocalResponseNorm(2),
          nn::LocalResponseNorm(nn::LocalResponseNormOptions(3).alpha(0.0002).beta(0.85).k(2)), nn::CrossMapLRN2d(4),
          nn::CrossMapLRN2d(nn::CrossMapLRN2dOptions(3).alpha(1e-5).beta(0.1).k(10)));
}

void pools() {
    print(
        nn::MaxPool1d(5), nn::MaxPool2d(nn::MaxPool2dOptions({5, 6}).stride({1, 2}).padding(1).ceil_mode(true)),
        nn::MaxPool3d(nn::MaxPool3dOptions(5).stride(2).dilation(2)), nn::AvgPool1d(3),
        nn::AvgPool2d(nn::AvgPool2dOptions({5, 6}).stride(3)),
        nn::AvgPool3d(nn::AvgPool3dOptions(2).count_include_pad(false).divisor_override(3)), nn::AdaptiveMaxPool1d(5),
        nn::AdaptiveMaxPool2d(5), nn::AdaptiveMaxPool2d(nn::AdaptiveMaxPool2dOptions({5, 6})),
        nn::AdaptiveMaxPool3d(nn::AdaptiveMaxPool3dOptions({5, std::nullopt, 7})), nn::AdaptiveAvgPool1d(5),
        nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({std::nullopt, 1})),
        nn::AdaptiveAvgPool3d(nn::AdaptiveAvgPool3dOptions({5, 6, 7})), nn::MaxUnpool1d(5),
        nn::MaxUnpool2d(nn::MaxUnpool2dOptions({5, 6}).stride({1, 2}).padding(1)),
        nn::MaxUnpool3d(nn::MaxUnpool3dOptions({5, 6, 7})), nn::LPPool1d(2, 5),
        nn::LPPool2d(nn::LPPool2dOptions(1, {3, 2}).stride(5).ceil_mode(true)),
        nn::LPPool3d(nn::LPPool3dOptions(2.5, 2)),
        nn::FractionalMaxPool2d(nn::FractionalMaxPool2dOptions(5).output_size(1)),
        nn::FractionalMaxPool3d(nn::FractionalMaxPool3dOptions(5).output_ratio(torch::ExpandingArray<3, double>(0.5))));
}

void shapes() {
    print(nn::Identity(), nn::Linear(3, 4), nn::Linear(nn::LinearOptions(3, 4).bias(false)), nn::Bilinear(3, 2, 4),
          nn::Bilinear(nn::BilinearOptions(1, 2, 3).bias(false)), nn::Flatten(),
          nn::Flatten(nn::FlattenOptions().start_dim(2).end_dim(4)), nn::Unflatten(nn::UnflattenOptions(0, {2, 2})),
          nn::Embedding(10, 2), nn::Embedding(nn::EmbeddingOptions(10, 2).padding_idx(3).max_norm(2)),
          nn::Embedding(
              nn::EmbeddingOptions(10, 2).padding_idx(3).max_norm(2).norm_type(2.5).scale_grad_by_freq(true).sparse(
                  true)),
          nn::EmbeddingBag(10, 2),
          nn::EmbeddingBag(
              nn::EmbeddingBagOptions(10, 2).max_norm(2).norm_type(2.5).scale_grad_by_freq(true).sparse(true).mode(
                  torch::kSum)),
          nn::EmbeddingBag(nn::EmbeddingBagOptions(10, 2).mode(torch::kMax).padding_idx(5)), nn::PixelShuffle(5),
          nn::PixelUnshuffle(2), nn::Fold(nn::FoldOptions(2, 3)),
          nn::Fold(nn::FoldOptions({8, 2}, {3, 1}).dilation(4).padding({2, 0}).stride(1)),
          nn::Unfold(nn::UnfoldOptions({2, 4})), nn::Unfold(nn::UnfoldOptions(2).dilation(3).padding(1).stride({1, 2})),
          nn::Upsample(nn::UpsampleOptions().size(std::vector<int64_t>{4, 5}).mode(torch::kBilinear)),
          nn::Upsample(nn::UpsampleOptions().scale_factor(std::vector<double>{2}).mode(torch::kNearest)),
          nn::Upsample(nn::UpsampleOptions().scale_factor(std::vector<double>{2, 1.5}).mode(torch::kTrilinear)),
          nn::ReflectionPad1d(2), nn::ReflectionPad2d(nn::ReflectionPad2dOptions({1, 2, 3, 4})), nn::ReflectionPad3d(1),
          nn::ReplicationPad1d(nn::ReplicationPad1dOptions({3, 1})), nn::ReplicationPad2d(2), nn::ReplicationPad3d(1),
          nn::ZeroPad1d(1), nn::ZeroPad2d(nn::ZeroPad2dOptions({1, 1, 2, 0})), nn::ZeroPad3d(3),
          nn::ConstantPad1d(2, 3.5), nn::ConstantPad2d(nn::ConstantPad2dOptions({3, 0, 2, 1}, 1)),
          nn::ConstantPad3d(1, -1), nn::Dropout(), nn::Dropout(0.42),
          nn::Dropout(nn::DropoutOptions().p(0.25).inplace(true)), nn::Dropout2d(), nn::Dropout3d(0.1),
          nn::AlphaDropout(), nn::FeatureAlphaDropout(0.2), nn::CosineSimilarity(),
          nn::CosineSimilarity(nn::CosineSimilarityOptions().dim(0).eps(0.5)), nn::PairwiseDistance(),
          nn::PairwiseDistance(nn::PairwiseDistanceOptions().p(3).eps(0.5).keepdim(true)));
}

void losses() {
    print(nn::L1Loss(), nn::KLDivLoss(), nn::MSELoss(), nn::BCELoss(), nn::HingeEmbeddingLoss(),
          nn::HingeEmbeddingLoss(nn::HingeEmbeddingLossOptions().margin(4)), nn::MultiMarginLoss(),
          nn::MultiMarginLoss(nn::MultiMarginLossOptions().p(2).margin(2).reduction(torch::kSum)),
          nn::CosineEmbeddingLoss(), nn::CosineEmbeddingLoss(nn::CosineEmbeddingLossOptions().margin(0.25)),
          nn::SmoothL1Loss(), nn::HuberLoss(), nn::MultiLabelMarginLoss(), nn::SoftMarginLoss(),
          nn::MultiLabelSoftMarginLoss(), nn::TripletMarginLoss(),
          nn::TripletMarginLoss(nn::TripletMarginLossOptions().margin(3).p(2).eps(1e-6).swap(true)),
          nn::TripletMarginWithDistanceLoss(), nn::CTCLoss(), nn::PoissonNLLLoss(), nn::MarginRankingLoss(),
          nn::NLLLoss(), nn::CrossEntropyLoss(), nn::BCEWithLogitsLoss());
}

void recurrent() {
    print(
        nn::RNN(3, 4), nn::RNN(nn::RNNOptions(128, 64).num_layers(3).dropout(0.2).nonlinearity(torch::kReLU)),
        nn::LSTM(3, 4),
        nn::LSTM(nn::LSTMOptions(128, 64).num_layers(3).dropout(0.2).bidirectional(true).batch_first(true).bias(false)),
        nn::LSTM(nn::LSTMOptions(8, 4).proj_size(2)), nn::GRU(3, 4),
        nn::GRU(nn::GRUOptions(128, 64).num_layers(3).dropout(0.2)), nn::RNNCell(20, 10),
        nn::RNNCell(nn::RNNCellOptions(20, 10).bias(false).nonlinearity(torch::kReLU)), nn::LSTMCell(20, 10),
        nn::LSTMCell(nn::LSTMCellOptions(2, 1).bias(false)), nn::GRUCell(20, 10));
}

struct BlockImpl : nn::Module {
    BlockImpl()
        : conv(register_module("conv", nn::Conv2d(1, 2, 3))), norm(register_module("norm", nn::BatchNorm2d(2))) {}
    torch::Tensor forward(torch::Tensor x) { return norm(conv(x)); }
    nn::Conv2d conv;
    nn::BatchNorm2d norm;
};
TORCH_MODULE(Block);

struct Bare : nn::Module {};

struct Named : nn::Module {
    Named() : nn::Module("a name of its own") { register_module("inner", std::make_shared<Bare>()); }
};

// Prints itself.
struct Own : nn::Module {
    void pretty_print(std::ostream& out) const override { out << "Own(twice)"; }
};

struct Net : nn::Module {
    Net() {
        register_module("body", body);
        register_module("layers", layers);
        register_module("own", std::make_shared<Own>());
        register_module("named", std::make_shared<Named>());
        register_parameter("weight", torch::ones({2, 3}));
    }
    nn::Sequential body{Block(), nn::ReLU(), nn::Functional(torch::relu), nn::Dropout()};
    nn::ModuleList layers{nn::Linear(2, 2), nn::ModuleList(nn::Tanh())};
};

void containers() {
    print(nn::Sequential(), nn::ModuleList(), nn::Functional(torch::relu), Block(), Net(), Bare(), Named(), Own());
    print(nn::Sequential({{"first", nn::Linear(1, 2)}, {"second", nn::Sigmoid()}}));
    torch::OrderedDict<std::string, std::shared_ptr<nn::Module>> ordered;
    ordered.insert("linear", nn::Linear(2, 3).ptr());
    ordered.insert("block", Block().ptr());
    print(nn::ModuleDict(ordered));
    print(nn::ParameterList(torch::ones({2, 3}), torch::zeros({1}, torch::kDouble)));
    torch::OrderedDict<std::string, torch::Tensor> parameters;
    parameters.insert("scale", torch::ones({2}));
    parameters.insert("shift", torch::zeros({}));
    print(nn::ParameterDict(parameters));
    print(nn::MultiheadAttention(4, 2), nn::TransformerEncoderLayer(4, 2),
          nn::TransformerDecoderLayer(nn::TransformerDecoderLayerOptions(4, 2).dim_feedforward(8)),
          nn::TransformerEncoder(nn::TransformerEncoderLayer(4, 2), 2),
          nn::Transformer(nn::TransformerOptions(4, 2, 1, 1).dim_feedforward(8)));
    print(nn::AdaptiveLogSoftmaxWithLoss(nn::AdaptiveLogSoftmaxWithLossOptions(8, 10, {4, 8}).div_value(2.)));
}

}  // namespace

int main() {
    convolutions();
    activations();
    norms();
    pools();
    shapes();
    losses();
    recurrent();
    containers();
}
