// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/engine_words.h"

#include <QCoreApplication>
#include <string>

namespace loupe::views {
namespace {

// Read by lupdate.
[[maybe_unused]] const char* const kWords[] = {
    // phases
    QT_TRANSLATE_NOOP("engine", "forward"),
    QT_TRANSLATE_NOOP("engine", "backward"),
    QT_TRANSLATE_NOOP("engine", "optimizer"),
    // categories of memory
    QT_TRANSLATE_NOOP("engine", "parameter"),
    QT_TRANSLATE_NOOP("engine", "buffer"),
    QT_TRANSLATE_NOOP("engine", "activation"),
    QT_TRANSLATE_NOOP("engine", "saved for backward"),
    QT_TRANSLATE_NOOP("engine", "gradient"),
    QT_TRANSLATE_NOOP("engine", "workspace"),
    QT_TRANSLATE_NOOP("engine", "input"),
    QT_TRANSLATE_NOOP("engine", "other"),
    QT_TRANSLATE_NOOP("engine", "kernel cache"),
    // NaN and Inf, with the short forms of narrow columns
    QT_TRANSLATE_NOOP("engine", "made here"),
    QT_TRANSLATE_NOOP("engine", "turned here"),
    QT_TRANSLATE_NOOP("engine", "passed on"),
    QT_TRANSLATE_NOOP("engine", "meant"),
    QT_TRANSLATE_NOOP("engine", "made"),
    QT_TRANSLATE_NOOP("engine", "turned"),
    QT_TRANSLATE_NOOP("engine", "passed"),
    // settings of a training
    QT_TRANSLATE_NOOP("engine", "program"),
    QT_TRANSLATE_NOOP("engine", "begins with"),
    QT_TRANSLATE_NOOP("engine", "data"),
    QT_TRANSLATE_NOOP("engine", "held out"),
    QT_TRANSLATE_NOOP("engine", "batch"),
    QT_TRANSLATE_NOOP("engine", "shuffle"),
    QT_TRANSLATE_NOOP("engine", "drop last"),
    QT_TRANSLATE_NOOP("engine", "workers"),
    QT_TRANSLATE_NOOP("engine", "loss"),
    QT_TRANSLATE_NOOP("engine", "schedule"),
    QT_TRANSLATE_NOOP("engine", "clip"),
    QT_TRANSLATE_NOOP("engine", "precision"),
    QT_TRANSLATE_NOOP("engine", "epochs"),
    QT_TRANSLATE_NOOP("engine", "most steps"),
    QT_TRANSLATE_NOOP("engine", "seed"),
    QT_TRANSLATE_NOOP("engine", "threads"),
    QT_TRANSLATE_NOOP("engine", "resumed from"),
    // studies and their options
    QT_TRANSLATE_NOOP("engine", "Attention patterns"),
    QT_TRANSLATE_NOOP("engine",
                      "Which tokens attend to which, by layer and head: the weights of the run that is shown."),
    QT_TRANSLATE_NOOP("engine", "Method"),
    QT_TRANSLATE_NOOP("engine",
                      "The gradient's magnitude; the gradient times the element, with its sign; or the mean gradient "
                      "of copies with noise"),
    QT_TRANSLATE_NOOP("engine", "Channels"),
    QT_TRANSLATE_NOOP("engine", "How the channels of a pixel, or the elements of a token, become one number"),
    QT_TRANSLATE_NOOP("engine", "Noisy copies"),
    QT_TRANSLATE_NOOP("engine", "Of SmoothGrad"),
    QT_TRANSLATE_NOOP("engine", "Noise"),
    QT_TRANSLATE_NOOP("engine", "Of SmoothGrad: its standard deviation, as a part of the input's range"),
    QT_TRANSLATE_NOOP("engine", "Seed"),
    QT_TRANSLATE_NOOP("engine", "Of the noise, as torch.manual_seed"),
    QT_TRANSLATE_NOOP("engine", "Saliency"),
    QT_TRANSLATE_NOOP("engine", "How fast a number of the output changes with each pixel or token."),
    QT_TRANSLATE_NOOP("engine", "Baseline"),
    QT_TRANSLATE_NOOP("engine", "What there is instead of the text: no embedding, the mean one, or a token"),
    QT_TRANSLATE_NOOP("engine",
                      "What there is instead of the input: zeros, the mean of each channel, or the input blurred"),
    QT_TRANSLATE_NOOP("engine", "Token"),
    QT_TRANSLATE_NOOP("engine", "Of the baseline: its id, as of the padding"),
    QT_TRANSLATE_NOOP("engine", "Blur"),
    QT_TRANSLATE_NOOP("engine", "Of the baseline: the standard deviation in pixels"),
    QT_TRANSLATE_NOOP("engine", "Steps"),
    QT_TRANSLATE_NOOP("engine", "Points on the way at which the gradient is taken"),
    QT_TRANSLATE_NOOP("engine", "Quadrature"),
    QT_TRANSLATE_NOOP("engine", "Where these points lie and how much each counts"),
    QT_TRANSLATE_NOOP("engine", "Integrated gradients"),
    QT_TRANSLATE_NOOP("engine",
                      "What each pixel or token adds to a number of the output, against a baseline; the parts add up "
                      "to the difference."),
    QT_TRANSLATE_NOOP("engine", "Stage"),
    QT_TRANSLATE_NOOP("engine",
                      "Whose output is weighed: a module that gives N x C x H x W, or a convolution of the graph by "
                      "what it gives, as %conv2d_3. Empty: the last one of convolutions before pooling"),
    QT_TRANSLATE_NOOP("engine", "Grad-CAM, or Grad-CAM++, which finds several objects better"),
    QT_TRANSLATE_NOOP("engine", "Grad-CAM++"),
    QT_TRANSLATE_NOOP("engine", "Grad-CAM"),
    QT_TRANSLATE_NOOP("engine", "Where in the picture a convolutional stage sees what speaks for a class."),
    QT_TRANSLATE_NOOP("engine", "Module"),
    QT_TRANSLATE_NOOP("engine", "Whose output is shown: it gives N x C x H x W"),
    QT_TRANSLATE_NOOP("engine", "Order"),
    QT_TRANSLATE_NOOP("engine", "The most active channels first, by the mean of magnitudes; or as they stand"),
    QT_TRANSLATE_NOOP("engine", "Colours"),
    QT_TRANSLATE_NOOP("engine", "Each channel from its own least to its own greatest element, or all on one scale"),
    QT_TRANSLATE_NOOP("engine", "At most"),
    QT_TRANSLATE_NOOP("engine", "Channels that are shown"),
    QT_TRANSLATE_NOOP("engine", "Feature maps"),
    QT_TRANSLATE_NOOP("engine", "The channels of a module's output as small pictures, the most active first."),
    QT_TRANSLATE_NOOP("engine", "Words"),
    QT_TRANSLATE_NOOP("engine", "Likely words of each cell, in its tip"),
    QT_TRANSLATE_NOOP("engine", "Likeliest word by layer and place"),
    QT_TRANSLATE_NOOP("engine", "Logit lens"),
    QT_TRANSLATE_NOOP("engine",
                      "What words each layer's output would give, through the model's own final norm and head."),
    QT_TRANSLATE_NOOP("engine", "Of"),
    QT_TRANSLATE_NOOP("engine",
                      "A weight, whose rows are the points; or a module: the samples, tokens or places of its output"),
    QT_TRANSLATE_NOOP("engine", "By the length of the row, its place, or the group that it lies with"),
    QT_TRANSLATE_NOOP("engine", "Groups"),
    QT_TRANSLATE_NOOP("engine", "Of the colours by group: k-means of the whole rows"),
    QT_TRANSLATE_NOOP("engine", "Rows that are taken, evenly over all"),
    QT_TRANSLATE_NOOP("engine", "tokens"),
    QT_TRANSLATE_NOOP("engine", "Embeddings in a plane"),
    QT_TRANSLATE_NOOP("engine",
                      "Rows of a weight, or what a module gives for tokens, samples or places, in the plane in which "
                      "they differ most."),
    QT_TRANSLATE_NOOP("engine", "Input"),
    QT_TRANSLATE_NOOP("engine", "Whose elements are asked about"),
    QT_TRANSLATE_NOOP("engine", "Target"),
    QT_TRANSLATE_NOOP("engine",
                      "The number of the output: a token's id, of the scores behind the last place; or an element, [0, "
                      "11, 42]. Empty: the greatest"),
    QT_TRANSLATE_NOOP(
        "engine", "The number of the output: a class, 207; or an element, [0, 207]. Empty: the greatest of the sample"),
    QT_TRANSLATE_NOOP("engine", "Sample"),
    QT_TRANSLATE_NOOP("engine", "Which of the batch"),
};

}  // namespace

QString engineWord(std::string_view english) {
    return QCoreApplication::translate("engine", std::string(english).c_str());
}

}  // namespace loupe::views
