// SPDX-License-Identifier: Apache-2.0
// write_functional FOLDER: the functions of torch::nn::functional and their options, written from the engine's records:
// declarations (functional.inc) and what functional.cpp includes of them (functional_written.inc).

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/library/torch/written_options.h"
#include "core/nn/native_function.h"
#include "core/value/schema.h"

namespace {

using namespace loupe;
using namespace loupe::torch_api;

// A function and its options' class. `same_as`: a class of torch::nn that it is another name of; without one the class
// is written from the function's schema.
struct Named {
    std::string_view function;
    std::string_view options;
    std::string_view same_as = {};
};

constexpr Named kFunctions[] = {
    {"elu", "ELUFuncOptions", "ELUOptions"},
    {"selu", "SELUFuncOptions", "SELUOptions"},
    {"hardshrink", "HardshrinkFuncOptions", "HardshrinkOptions"},
    {"hardtanh", "HardtanhFuncOptions", "HardtanhOptions"},
    {"leaky_relu", "LeakyReLUFuncOptions", "LeakyReLUOptions"},
    {"gumbel_softmax", "GumbelSoftmaxFuncOptions"},
    {"softmax", "SoftmaxFuncOptions"},
    {"softmin", "SoftminFuncOptions"},
    {"log_softmax", "LogSoftmaxFuncOptions"},
    {"glu", "GLUFuncOptions", "GLUOptions"},
    {"gelu", "GELUFuncOptions", "GELUOptions"},
    {"relu", "ReLUFuncOptions", "ReLUOptions"},
    {"relu6", "ReLU6FuncOptions", "ReLU6Options"},
    {"rrelu", "RReLUFuncOptions"},
    {"celu", "CELUFuncOptions", "CELUOptions"},
    {"softplus", "SoftplusFuncOptions", "SoftplusOptions"},
    {"softshrink", "SoftshrinkFuncOptions", "SoftshrinkOptions"},
    {"threshold", "ThresholdFuncOptions", "ThresholdOptions"},
    {"multi_head_attention_forward", "MultiheadAttentionForwardFuncOptions"},
    {"batch_norm", "BatchNormFuncOptions"},
    {"instance_norm", "InstanceNormFuncOptions"},
    {"layer_norm", "LayerNormFuncOptions"},
    {"group_norm", "GroupNormFuncOptions"},
    {"local_response_norm", "LocalResponseNormFuncOptions", "LocalResponseNormOptions"},
    {"normalize", "NormalizeFuncOptions"},
    {"conv1d", "Conv1dFuncOptions"},
    {"conv2d", "Conv2dFuncOptions"},
    {"conv3d", "Conv3dFuncOptions"},
    {"conv_transpose1d", "ConvTranspose1dFuncOptions"},
    {"conv_transpose2d", "ConvTranspose2dFuncOptions"},
    {"conv_transpose3d", "ConvTranspose3dFuncOptions"},
    {"cosine_similarity", "CosineSimilarityFuncOptions", "CosineSimilarityOptions"},
    {"pairwise_distance", "PairwiseDistanceFuncOptions", "PairwiseDistanceOptions"},
    {"dropout", "DropoutFuncOptions"},
    {"dropout2d", "Dropout2dFuncOptions"},
    {"dropout3d", "Dropout3dFuncOptions"},
    {"alpha_dropout", "AlphaDropoutFuncOptions"},
    {"feature_alpha_dropout", "FeatureAlphaDropoutFuncOptions"},
    {"embedding", "EmbeddingFuncOptions"},
    {"embedding_bag", "EmbeddingBagFuncOptions"},
    {"fold", "FoldFuncOptions", "FoldOptions"},
    {"unfold", "UnfoldFuncOptions", "UnfoldOptions"},
    {"l1_loss", "L1LossFuncOptions", "L1LossOptions"},
    {"kl_div", "KLDivFuncOptions", "KLDivLossOptions"},
    {"mse_loss", "MSELossFuncOptions", "MSELossOptions"},
    {"binary_cross_entropy", "BinaryCrossEntropyFuncOptions", "BCELossOptions"},
    {"binary_cross_entropy_with_logits", "BinaryCrossEntropyWithLogitsFuncOptions", "BCEWithLogitsLossOptions"},
    {"hinge_embedding_loss", "HingeEmbeddingLossFuncOptions", "HingeEmbeddingLossOptions"},
    {"multi_margin_loss", "MultiMarginLossFuncOptions", "MultiMarginLossOptions"},
    {"cosine_embedding_loss", "CosineEmbeddingLossFuncOptions", "CosineEmbeddingLossOptions"},
    {"smooth_l1_loss", "SmoothL1LossFuncOptions", "SmoothL1LossOptions"},
    {"huber_loss", "HuberLossFuncOptions", "HuberLossOptions"},
    {"multilabel_margin_loss", "MultilabelMarginLossFuncOptions", "MultiLabelMarginLossOptions"},
    {"soft_margin_loss", "SoftMarginLossFuncOptions", "SoftMarginLossOptions"},
    {"multilabel_soft_margin_loss", "MultilabelSoftMarginLossFuncOptions", "MultiLabelSoftMarginLossOptions"},
    {"triplet_margin_loss", "TripletMarginLossFuncOptions", "TripletMarginLossOptions"},
    {"ctc_loss", "CTCLossFuncOptions", "CTCLossOptions"},
    {"poisson_nll_loss", "PoissonNLLLossFuncOptions", "PoissonNLLLossOptions"},
    {"margin_ranking_loss", "MarginRankingLossFuncOptions", "MarginRankingLossOptions"},
    {"nll_loss", "NLLLossFuncOptions", "NLLLossOptions"},
    {"cross_entropy", "CrossEntropyFuncOptions", "CrossEntropyLossOptions"},
    {"pad", "PadFuncOptions"},
    {"pixel_shuffle", "PixelShuffleFuncOptions", "PixelShuffleOptions"},
    {"pixel_unshuffle", "PixelUnshuffleFuncOptions", "PixelUnshuffleOptions"},
    {"avg_pool1d", "AvgPool1dFuncOptions", "AvgPool1dOptions"},
    {"avg_pool2d", "AvgPool2dFuncOptions", "AvgPool2dOptions"},
    {"avg_pool3d", "AvgPool3dFuncOptions", "AvgPool3dOptions"},
    {"max_pool1d", "MaxPool1dFuncOptions", "MaxPool1dOptions"},
    {"max_pool2d", "MaxPool2dFuncOptions", "MaxPool2dOptions"},
    {"max_pool3d", "MaxPool3dFuncOptions", "MaxPool3dOptions"},
    {"max_pool1d_with_indices", "MaxPool1dFuncOptions", "MaxPool1dOptions"},
    {"max_pool2d_with_indices", "MaxPool2dFuncOptions", "MaxPool2dOptions"},
    {"max_pool3d_with_indices", "MaxPool3dFuncOptions", "MaxPool3dOptions"},
    {"adaptive_max_pool1d", "AdaptiveMaxPool1dFuncOptions", "AdaptiveMaxPool1dOptions"},
    {"adaptive_max_pool2d", "AdaptiveMaxPool2dFuncOptions", "AdaptiveMaxPool2dOptions"},
    {"adaptive_max_pool3d", "AdaptiveMaxPool3dFuncOptions", "AdaptiveMaxPool3dOptions"},
    {"adaptive_max_pool1d_with_indices", "AdaptiveMaxPool1dFuncOptions", "AdaptiveMaxPool1dOptions"},
    {"adaptive_max_pool2d_with_indices", "AdaptiveMaxPool2dFuncOptions", "AdaptiveMaxPool2dOptions"},
    {"adaptive_max_pool3d_with_indices", "AdaptiveMaxPool3dFuncOptions", "AdaptiveMaxPool3dOptions"},
    {"adaptive_avg_pool1d", "AdaptiveAvgPool1dFuncOptions", "AdaptiveAvgPool1dOptions"},
    {"adaptive_avg_pool2d", "AdaptiveAvgPool2dFuncOptions", "AdaptiveAvgPool2dOptions"},
    {"adaptive_avg_pool3d", "AdaptiveAvgPool3dFuncOptions", "AdaptiveAvgPool3dOptions"},
    {"max_unpool1d", "MaxUnpool1dFuncOptions"},
    {"max_unpool2d", "MaxUnpool2dFuncOptions"},
    {"max_unpool3d", "MaxUnpool3dFuncOptions"},
    {"fractional_max_pool2d", "FractionalMaxPool2dFuncOptions", "FractionalMaxPool2dOptions"},
    {"fractional_max_pool3d", "FractionalMaxPool3dFuncOptions", "FractionalMaxPool3dOptions"},
    {"fractional_max_pool2d_with_indices", "FractionalMaxPool2dFuncOptions", "FractionalMaxPool2dOptions"},
    {"fractional_max_pool3d_with_indices", "FractionalMaxPool3dFuncOptions", "FractionalMaxPool3dOptions"},
    {"lp_pool1d", "LPPool1dFuncOptions", "LPPool1dOptions"},
    {"lp_pool2d", "LPPool2dFuncOptions", "LPPool2dOptions"},
    {"lp_pool3d", "LPPool3dFuncOptions", "LPPool3dOptions"},
    {"interpolate", "InterpolateFuncOptions"},
    {"grid_sample", "GridSampleFuncOptions"},
};

bool is_tensor(const Argument& argument) {
    const TypeKind kind = argument.type->kind();
    return kind == TypeKind::Tensor ||
           (kind == TypeKind::Optional && argument.type->element()->kind() == TypeKind::Tensor);
}

// Tensors in front of the options: those that are needed; the lengths of ctc_loss, which are tensors here, too.
std::size_t tensor_count(const FunctionSchema& schema) {
    if (schema.name == "ctc_loss") return 4;
    std::size_t count = 0;
    while (count < schema.arguments.size() && is_tensor(schema.arguments[count]) &&
           !schema.arguments[count].default_value)
        ++count;
    return count;
}

bool gives_two(std::string_view function) {
    return function.ends_with("_with_indices") || function == "multi_head_attention_forward";
}

void add(const Named& named, bool is_first, ClassText& out) {
    const nn::NativeFunction* record = nn::find_functional(named.function);
    if (record == nullptr) throw Error(ErrorKind::Internal, concat("no function ", named.function));
    const FunctionSchema& schema = nn::schema_of(*record);
    const std::size_t count = tensor_count(schema);
    const std::string options_name(named.options);
    const std::vector<Option> options = options_of(options_name, schema, count);
    const std::vector<std::size_t> counts = constructor_counts(options);
    if (is_first && !named.same_as.empty()) {
        out.declared += concat("using ", options_name, " = nn::", std::string(named.same_as), ";\n");
    } else if (is_first) {
        const ClassText text = options_class(options_name, "", options, counts);
        out.declared += text.declared;
        out.written += text.written;
    }
    std::vector<std::string> parameters, tensors;
    for (std::size_t i = 0; i < count; ++i) {
        parameters.push_back(concat("const at::Tensor& ", schema.arguments[i].name));
        tensors.push_back(schema.arguments[i].name);
    }
    const std::string result = gives_two(named.function) ? "std::tuple<at::Tensor, at::Tensor>" : "at::Tensor";
    const std::string name(named.function);
    parameters.push_back(concat("const ", options_name, "& options"));
    out.written += concat(result, " ", name, "(", join(parameters, ", "), ") { return ",
                          gives_two(named.function) ? "called_for_two" : "called", "(\"", name, "\", {",
                          join(tensors, ", "), "}, options.engine_arguments()); }\n");
    if (counts[0] == 0) parameters.back() += " = {}";
    out.declared +=
        concat("// ", std::string(record->summary), "\n", result, " ", name, "(", join(parameters, ", "), ");\n\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "write_functional FOLDER\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder / "loupe_torch");
    ClassText out;
    std::vector<std::string_view> known;
    for (const Named& named : kFunctions) {
        const bool is_first = std::find(known.begin(), known.end(), named.options) == known.end();
        add(named, is_first, out);
        known.push_back(named.options);
    }
    write_text(folder / "loupe_torch/functional.inc", out.declared);
    write_text(folder / "functional_written.inc", out.written);
    return 0;
}
