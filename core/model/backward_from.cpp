// SPDX-License-Identifier: Apache-2.0
// What backward starts from, as text: the options of the command line, files of settings, and words for people.
#include "core/model/backward_from.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/trimmed.h"
#include "core/model/call_text.h"
#include "core/model/literal.h"
#include "core/model/recipes.h"

namespace loupe::session {
namespace {

constexpr std::string_view kCotangents = "cotangents:";
constexpr std::string_view kLabels = "labels";

// "crossentropy" of CrossEntropyLoss and cross_entropy, "mse" of MSELoss and mse_loss.
std::string loss_key(std::string_view name) {
    std::string key;
    for (const char c : name) {
        if (c != '_') key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (key.size() > 4 && key.ends_with("loss")) key.resize(key.size() - 4);
    if (key == "binarycrossentropy") return "bce";
    if (key == "binarycrossentropywithlogits") return "bcewithlogits";
    return key;
}

std::string loss_call(const std::string& text) {
    CallText call = parse_call(text);
    std::vector<std::string> names;
    for (const RecipeInfo& loss : list_losses()) {
        if (loss_key(loss.name) == loss_key(call.name)) {
            call.name = loss.name;
            return call_text(call);
        }
        names.push_back(loss.name);
    }
    throw Error(ErrorKind::Usage, concat("no loss is called '", call.name, "'"),
                {.hint = concat("there are sum, mean, own, out0[0, 3], cotangents:FILE, ", join(names, ", "))});
}

std::int64_t whole_number(std::string_view part, const std::string& text) {
    const std::string digits = std::string(trimmed(part));
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (failure != std::errc{} || end != digits.data() + digits.size()) {
        throw Error(ErrorKind::Usage, concat("'", text, "' is no element of an output"),
                    {.hint = "write it as out0[0, 3]"});
    }
    return number;
}

// "out0[0, 3]", "out[5]", "out1".
bool is_element(const std::string& text) {
    if (!text.starts_with("out")) return false;
    const std::string number = std::string(trimmed(std::string_view(text).substr(
        3, text.find('[') == std::string::npos ? std::string::npos : text.find('[') - 3)));
    return std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

BackwardFrom element_of(const std::string& text) {
    BackwardFrom from;
    from.kind = BackwardFrom::Kind::Element;
    const auto open = text.find('[');
    const std::string number = std::string(
        trimmed(std::string_view(text).substr(3, open == std::string::npos ? std::string::npos : open - 3)));
    if (!number.empty()) from.output = static_cast<std::size_t>(whole_number(number, text));
    if (open == std::string::npos) return from;
    if (!text.ends_with(']'))
        throw Error(ErrorKind::Usage, concat("'", text, "': ']' is missing"), {.hint = "write it as out0[0, 3]"});
    const std::string inside = std::string(trimmed(std::string_view(text).substr(open + 1, text.size() - open - 2)));
    if (inside.empty()) return from;
    for (const auto part : split(inside, ',')) from.index.push_back(whole_number(part, text));
    return from;
}

bool is_literal(const std::string& text) {
    try {
        const IValue value = literal_value(text, *types::any());
        return value.is_number() || value.is_bool() || value.is_list() || value.is_tuple();
    } catch (const Error&) {
        return false;
    }
}

LossTarget target_of(const std::string& given) {
    LossTarget target;
    const std::string text = std::string(trimmed(given));
    if (text.empty()) return target;
    if (text == kLabels) {
        target.source = LossTarget::Source::Data;
        return target;
    }
    target.source = is_literal(text) ? LossTarget::Source::Typed : LossTarget::Source::File;
    target.text = text;
    if (target.source == LossTarget::Source::Typed) return target;
    // FILE:KEY: the part before the colon names a file of arrays.
    const auto colon = text.rfind(':');
    const std::string_view file = std::string_view(text).substr(0, colon);
    const bool has_key =
        colon != std::string::npos && (file.ends_with(".npz") || file.ends_with(".pt") || file.ends_with(".pth"));
    if (has_key) {
        target.key = text.substr(colon + 1);
        target.text = std::string(file);
    }
    const bool is_known = target.text.ends_with(".npy") || target.text.ends_with(".npz") ||
                          target.text.ends_with(".pt") || target.text.ends_with(".pth");
    if (!is_known) {
        throw Error(
            ErrorKind::Usage, concat("'", text, "' is no target"),
            {.hint = "write a value as Python does ([3], 0.5), a file (.npy, .npz, .pt, with :KEY behind), or labels"});
    }
    return target;
}

std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
}

std::string element_text(const BackwardFrom& from) {
    std::vector<std::string> numbers;
    for (const std::int64_t index : from.index) numbers.push_back(std::to_string(index));
    return concat("out", from.output, "[", join(numbers, ", "), "]");
}

std::string for_people(const LossTarget& target) {
    switch (target.source) {
        case LossTarget::Source::None:
            return {};
        case LossTarget::Source::Typed:
            return concat(", target ", target.text);
        case LossTarget::Source::File:
            return concat(", target ", file_name(target.text), target.key.empty() ? "" : concat("[", target.key, "]"));
        case LossTarget::Source::Data:
            return target.data.path.empty() ? ", made-up labels" : concat(", labels of ", file_name(target.data.path));
    }
    return {};
}

}  // namespace

BackwardFrom parse_backward_from(const std::string& loss, const std::string& target) {
    const std::string text = std::string(trimmed(loss));
    BackwardFrom from;
    using Kind = BackwardFrom::Kind;
    if (text == "sum")
        from.kind = Kind::Sum;
    else if (text == "mean")
        from.kind = Kind::Mean;
    else if (text == "own")
        from.kind = Kind::Own;
    else if (text.starts_with(kCotangents)) {
        from.kind = Kind::Cotangents;
        from.file = text.substr(kCotangents.size());
    } else if (is_element(text)) {
        from = element_of(text);
    } else if (!text.empty()) {
        from.kind = Kind::Loss;
        from.loss = loss_call(text);
    }
    from.target = target_of(target);
    const bool takes_target = from.kind == Kind::Default || from.kind == Kind::Own || from.kind == Kind::Loss;
    if (from.target.source != LossTarget::Source::None && !takes_target) {
        throw Error(ErrorKind::Usage, concat("'", text, "' takes no target"),
                    {.hint = "a target is for a loss: own, cross_entropy, mse, ..."});
    }
    return from;
}

std::string loss_text(const BackwardFrom& from) {
    using Kind = BackwardFrom::Kind;
    switch (from.kind) {
        case Kind::Default:
            return {};
        case Kind::Sum:
            return "sum";
        case Kind::Mean:
            return "mean";
        case Kind::Own:
            return "own";
        case Kind::Loss:
            return from.loss;
        case Kind::Element:
            return element_text(from);
        case Kind::Cotangents:
            return concat(kCotangents, from.file);
    }
    return {};
}

std::string target_text(const LossTarget& target) {
    switch (target.source) {
        case LossTarget::Source::None:
            return {};
        case LossTarget::Source::Typed:
            return target.text;
        case LossTarget::Source::File:
            return target.key.empty() ? target.text : concat(target.text, ":", target.key);
        case LossTarget::Source::Data:
            return std::string(kLabels);
    }
    return {};
}

std::string backward_from_text(const BackwardFrom& from) {
    using Kind = BackwardFrom::Kind;
    switch (from.kind) {
        case Kind::Default:
        case Kind::Sum:
            return "sum of outputs";
        case Kind::Mean:
            return "mean of outputs";
        case Kind::Own:
            return concat("the source's loss", for_people(from.target));
        case Kind::Loss:
            return concat(from.loss, for_people(from.target));
        case Kind::Element:
            return element_text(from);
        case Kind::Cotangents:
            return concat("gradients in ", file_name(from.file));
    }
    return {};
}

}  // namespace loupe::session
