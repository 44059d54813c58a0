// SPDX-License-Identifier: Apache-2.0
#include "core/python/guess/value_names.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/strings.h"

namespace loupe::python {
namespace {

std::string lower(std::string_view text) {
    std::string out;
    for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

bool has(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

template <std::size_t N>
bool has_any(std::string_view name, const std::array<std::string_view, N>& parts) {
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return has(name, part); });
}

template <std::size_t N>
bool is_any(std::string_view name, const std::array<std::string_view, N>& all) {
    return std::find(all.begin(), all.end(), name) != all.end();
}

// A row says: a name that is, or holds, one of these words means these values.
struct Row {
    std::vector<std::string_view> exact;
    std::vector<std::string_view> parts;
    std::vector<std::string_view> values;
};

// The first that fits counts, so narrower names stand first. Sizes are multiples of one another: heads divide widths.
const std::vector<Row>& numbers() {
    static const std::vector<Row> all = {
        {{}, {"irreps"}, {"'4x0e + 4x1o'", "'8x0e'", "'1x0e'"}},
        {{"ir"}, {}, {"'0e'"}},
        {{"p", "rate", "prob"}, {"dropout", "drop_", "_drop", "prob", "droprate"}, {"0.1", "0.0"}},
        {{"eps", "epsilon", "tol", "rtol", "atol"}, {"eps"}, {"1e-5"}},
        {{}, {"momentum", "decay"}, {"0.1"}},
        {{"lr"}, {"learning_rate"}, {"0.001"}},
        {{"temperature", "temp",   "tau",       "scale",     "gamma",   "sigma", "alpha",
          "beta",        "weight", "gain",      "margin",    "lambda_", "lamb",  "omega_0",
          "w0",          "theta",  "smoothing", "threshold", "slope",   "std",   "init_value"},
         {"_weight", "_scale", "threshold", "lambda", "tolerance"},
         {"1.0", "0.5"}},
        {{"cutoff", "cutoff_low"}, {}, {"0.1"}},
        {{"cutoff_high"}, {}, {"0.3"}},
        {{},
         {"in_chan", "in_ch", "input_chan", "image_chan", "img_chan", "inchan", "n_channels", "input_nc"},
         {"3", "64", "32", "16", "1"}},
        {{"in_c", "inp", "inplanes", "in_planes", "cin", "c_in", "ni", "nin"}, {}, {"64", "3", "32", "16"}},
        {{"num_classes", "n_classes", "nclass", "n_class", "classes", "num_class", "n_labels", "num_labels", "num_tags",
          "nb_classes", "n_tags", "n_out", "num_outputs", "output_nc"},
         {"num_class", "n_class"},
         {"10", "2"}},
        {{},
         {"vocab", "num_token", "n_token", "ntoken", "num_embeddings", "num_words", "dict_size", "codebook_size"},
         {"256", "64"}},
        {{}, {"head_dim", "dim_head", "d_head", "d_k", "d_v", "key_dim", "value_dim"}, {"16", "8", "32"}},
        {{"heads", "nhead", "n_head", "num_head"}, {"heads", "nhead"}, {"4", "2", "8", "1"}},
        {{"depth", "n_layer", "nlayers", "layers"},
         {"num_layers", "n_layers", "depth", "num_blocks", "n_blocks", "nb_layers", "blocks_num", "num_hidden_layers",
          "repeats", "num_stages"},
         {"2", "4", "1"}},
        {{}, {"spatial_dims", "ndim", "n_dims"}, {"2", "3"}},
        {{}, {"patch_size", "patch"}, {"8", "16", "4", "(8, 8)"}},
        {{},
         {"image_size", "img_size", "resolution", "image_width", "image_height", "fmap_size", "crop_size"},
         {"64", "(64, 64)", "32", "224"}},
        {{"window", "ws"}, {"window_size", "win_size"}, {"8", "(8, 8)", "7"}},
        {{"ks", "k"}, {"kernel"}, {"3", "(3, 3)", "5", "1"}},
        {{"stride", "strides"}, {"stride"}, {"1", "2", "(1, 1)"}},
        {{"padding", "pad", "dilation", "groups", "radix", "cardinality"}, {"padding", "dilation"}, {"1", "0", "2"}},
        {{}, {"reduction", "squeeze", "expansion", "mult", "ratio", "factor", "upscale"}, {"4", "2", "1"}},
        {{}, {"hop_length", "hop_size", "hop"}, {"128", "64"}},
        {{}, {"n_fft", "nfft", "win_length", "frame_len", "fft_size"}, {"512", "256"}},
        {{"sr", "fs"}, {"sample_rate", "sampling_rate", "_sr", "freq_hz"}, {"16000", "8000"}},
        {{}, {"n_mels", "num_mels", "mel"}, {"80"}},
        {{}, {"max_freq", "max_period"}, {"10", "10.0"}},
        {{}, {"num_freq", "n_bands", "freq_bands"}, {"6"}},
        {{},
         {"seq_len", "max_len", "max_seq", "context_length", "block_size", "max_position", "n_ctx", "seq_length",
          "num_frames", "sequence"},
         {"64", "128"}},
        {{}, {"timesteps", "num_steps", "n_steps"}, {"100", "10"}},
        {{}, {"pad_id", "pad_idx", "bos_id", "padding_idx", "blank", "start_token", "pad_token"}, {"0", "1"}},
        {{}, {"eos_id"}, {"1"}},
        {{},
         {"num_group", "n_group", "num_quantizers", "num_codebooks", "n_q", "num_residual", "num_experts", "num_slots",
          "num_branch"},
         {"4", "2", "8"}},
        {{}, {"max_radius"}, {"3.0"}},
        {{}, {"layer_index", "axis", "dim_index"}, {"1", "0", "-1"}},
        {{},
         {"num_latents", "num_memories", "num_landmarks", "num_points", "num_queries", "num_keys", "num_neighbors",
          "num_nodes"},
         {"16", "8"}},
        {{"num", "n", "count"}, {"num_", "n_", "_count"}, {"4", "2", "8"}},
        {{"dim", "size", "width", "features", "channels", "channel", "chan", "ch", "c", "d", "hidden", "planes",
          "units", "embed", "filters", "nf", "inner", "out"},
         {"dim", "hidden", "channel", "feature", "embed",  "d_model", "width", "planes",  "out_c", "units",
          "ngf", "ndf",    "filters", "_size",   "latent", "chans",   "_chs",  "neurons", "d_",    "rank"},
         {"64", "32", "128", "8"}},
    };
    return all;
}

std::vector<std::string> number_values(const std::string& name) {
    for (const Row& row : numbers()) {
        const bool is_it = std::find(row.exact.begin(), row.exact.end(), name) != row.exact.end();
        const bool has_it = std::any_of(row.parts.begin(), row.parts.end(), [&](std::string_view part) {
            // What ends a word begins one: the n_ of hidden_size is none.
            return part.ends_with('_') ? name.starts_with(part) || has(name, concat("_", part)) : has(name, part);
        });
        if (is_it || has_it) return {row.values.begin(), row.values.end()};
    }
    return {};
}

// The same for whole numbers; what is not known is a small one.
std::vector<std::string> whole_values(const std::string& name) {
    std::vector<std::string> out = number_values(name);
    std::erase_if(out,
                  [](const std::string& each) { return each.find_first_not_of("-0123456789") != std::string::npos; });
    for (const char* each : {"4", "64", "2", "1", "8"}) out.emplace_back(each);
    return out;
}

std::vector<std::string> real_values(const std::string& name) {
    std::vector<std::string> out = number_values(name);
    std::erase_if(out, [](const std::string& each) { return !std::isdigit(static_cast<unsigned char>(each[0])); });
    for (const char* each : {"0.5", "1.0", "0.1", "2.0"}) out.emplace_back(each);
    return out;
}

std::vector<std::string> module_values(const std::string& name, const ValueNames& names) {
    std::vector<std::string> out;
    if (has(name, "loss") || has(name, "criterion")) out.push_back(concat(names.nn, ".MSELoss()"));
    if (has(name, "act") || has(name, "nonlin")) out.push_back(concat(names.nn, ".ReLU()"));
    out.push_back(concat(names.nn, ".Identity()"));
    out.push_back(concat(names.nn, ".Linear(64, 64)"));
    out.push_back(concat(names.nn, ".Sequential(", names.nn, ".Conv2d(3, 64, 3, padding=1), ", names.nn, ".ReLU())"));
    return out;
}

std::vector<std::string> factory_values(const std::string& name, const ValueNames& names) {
    std::vector<std::string> out;
    const auto add = [&](std::string_view layer) { out.push_back(concat(names.nn, ".", layer)); };
    if (has(name, "norm") || name == "bn") {
        for (const char* each : {"BatchNorm2d", "LayerNorm", "BatchNorm1d"}) add(each);
    } else if (has(name, "conv")) {
        for (const char* each : {"Conv2d", "Conv1d"}) add(each);
    } else if (has(name, "pool")) {
        add("MaxPool2d");
    } else if (has(name, "act") || has(name, "nonlin")) {
        for (const char* each : {"ReLU", "GELU"}) add(each);
    } else {
        for (const char* each : {"Identity", "Linear", "ReLU"}) add(each);
    }
    out.emplace_back("lambda *args, **kwargs: " + names.nn + ".Identity()");
    return out;
}

std::string repeated(const std::string& value, std::size_t count, char open = '[', char close = ']') {
    std::vector<std::string> parts(count, value);
    return concat(std::string(1, open), join(parts, ", "), count == 1 && open == '(' ? "," : "", std::string(1, close));
}

// Lists of what one element is called, in a few lengths.
std::vector<std::string> list_values(const std::string& name, std::size_t arity, char open, const ValueNames& names) {
    const char close = open == '(' ? ')' : ']';
    std::string element = name.ends_with('s') ? name.substr(0, name.size() - 1) : name;
    if (element.ends_with("ie")) element = element.substr(0, element.size() - 2) + "y";
    const auto make = [&](const std::string& value, std::size_t count) { return repeated(value, count, open, close); };
    std::vector<std::string> out;
    if (has(name, "shape")) {
        if (arity == 0 || arity == 3) out.push_back(concat(std::string(1, open), "3, 32, 32", std::string(1, close)));
        if (arity == 2) out.push_back(make("32", 2));
        if (arity == 4) out.push_back(concat(std::string(1, open), "2, 3, 32, 32", std::string(1, close)));
        out.push_back(make("64", 2));
        out.push_back(make("8", std::max<std::size_t>(arity, 1)));
    }
    if (is_any<9>(name, {"blocks", "layers", "models", "modules", "nets", "fns", "branches", "experts", "flows"}) &&
        arity != 4) {
        out.push_back(make(concat(names.nn, ".Identity()"), 2));
        out.push_back(make("2", std::max<std::size_t>(arity, 2)));
    }
    if (has(name, "levels")) out.push_back(concat(std::string(1, open), "8, 5, 5, 5", std::string(1, close)));
    if (is_any<5>(name, {"sources", "names", "labels", "keys", "classes"})) out.push_back(make("'a'", 2));
    if (has(name, "categor") || has(name, "cardinal"))
        out.push_back(concat(std::string(1, open), "10, 5", std::string(1, close)));
    const std::vector<std::string> whole = whole_values(element);
    const std::vector<std::size_t> lengths =
        arity > 0 ? std::vector<std::size_t>{arity, arity + 1} : std::vector<std::size_t>{2, 4, 3, 5, 1};
    for (const std::size_t length : lengths) out.push_back(make(whole.front(), length));
    if (arity == 0) {
        const std::string twice = concat(std::string(1, open), "16, 32, 64, 128, 256", std::string(1, close));
        out.push_back(twice);
    }
    out.push_back(make("1", lengths.front()));
    out.push_back(make(concat(names.nn, ".Identity()"), lengths.front()));
    return out;
}

std::string settings_value() { return "{}"; }

void add_choices(std::vector<std::string>& out, const ParameterFacts& facts) {
    out.insert(out.end(), facts.choices.begin(), facts.choices.end());
}

std::vector<std::string> text_values(const std::string& name, const ParameterFacts& facts) {
    std::vector<std::string> out;
    add_choices(out, facts);
    if (!out.empty()) return out;
    if (has(name, "act") || has(name, "nonlin")) return {"'relu'", "'gelu'"};
    if (has(name, "norm")) return {"'batch'", "'layer'", "'instance'", "'batch_norm'"};
    if (has(name, "pad")) return {"'same'", "'zeros'", "'reflect'"};
    if (has(name, "mode") || has(name, "reduc")) return {"'mean'", "'sum'", "'bilinear'"};
    if (has(name, "device")) return {"'cpu'"};
    if (has(name, "pattern")) return {"'b c -> b c'"};
    if (has(name, "name") || has(name, "arch") || has(name, "backbone") || has(name, "encoder"))
        return {"'resnet18'", "'base'", "'default'"};
    return {"''", "'default'"};
}

std::string inside(std::string_view text) {
    const std::size_t open = text.find('[');
    const std::size_t close = text.rfind(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
    return std::string(text.substr(open + 1, close - open - 1));
}

std::vector<std::string> top_level_parts(const std::string& text) {
    std::vector<std::string> out(1);
    int depth = 0;
    for (const char c : text) {
        if (c == '[' || c == '(') ++depth;
        if (c == ']' || c == ')') --depth;
        if (c == ',' && depth == 0)
            out.emplace_back();
        else if (c != ' ' || !out.back().empty())
            out.back() += c;
    }
    return out;
}

}  // namespace

bool is_settings_name(std::string_view name) {
    const std::string text = lower(name);
    static constexpr std::array<std::string_view, 12> kExact = {
        "args", "opt", "opts", "hp", "hps", "conf", "cfg", "config", "params", "hparams", "options", "settings"};
    return is_any(text, kExact) || text.ends_with("_config") || text.ends_with("_cfg") || text.ends_with("_args") ||
           text.ends_with("_params") || text.ends_with("config");
}

std::string plain_annotation(std::string_view annotation) {
    std::string text(annotation);
    std::erase_if(text, [](char c) { return c == '"' || c == '\'' || c == '\n'; });
    if (text.starts_with("typing.")) text.erase(0, 7);
    if (text.starts_with("Optional[")) return plain_annotation(inside(text));
    // The first of `A | B` and Union[A, B] that is not None.
    if (text.starts_with("Union[")) {
        for (const std::string& part : top_level_parts(inside(text))) {
            if (part != "None") return plain_annotation(part);
        }
    }
    int depth = 0;
    std::string first;
    for (const char c : text + "|") {
        if (c == '[' || c == '(') ++depth;
        if (c == ']' || c == ')') --depth;
        if (c == '|' && depth == 0) {
            while (!first.empty() && first.back() == ' ') first.pop_back();
            while (!first.empty() && first.front() == ' ') first.erase(0, 1);
            if (first != "None" && !first.empty()) return first;
            first.clear();
        } else {
            first += c;
        }
    }
    return text;
}

std::vector<std::string> values_by_annotation(const std::string& annotation, const std::string& raw_name,
                                              const ParameterFacts& facts, const ValueNames& names) {
    const std::string name = lower(raw_name);
    const std::string text = plain_annotation(annotation);
    const std::string root = text.substr(0, text.find('['));
    const std::string last = root.substr(root.rfind('.') == std::string::npos ? 0 : root.rfind('.') + 1);
    if (last == "int") return whole_values(name);
    if (last == "float") return real_values(name);
    if (last == "bool") return {"False", "True"};
    if (last == "str") return text_values(name, facts);
    if (last == "Literal") return top_level_parts(inside(annotation));
    if (last == "Module" || last == "ModuleList") return module_values(name, names);
    if (last == "device") return {"'cpu'"};
    if (last == "dtype") return {concat(names.torch, ".float32")};
    if (last == "Tensor" || last == "FloatTensor")
        return {concat(names.torch, ".ones(4)"), concat(names.torch, ".ones(4, 4)")};
    if (last == "LongTensor") return {concat(names.torch, ".arange(4)")};
    if (last == "dict" || last == "Dict" || last == "Mapping") return {settings_value(), "dict()"};
    if (last == "Callable" || last == "Type" || last == "type") {
        if (facts.is_called_with_sizes || last != "Callable") return factory_values(name, names);
        return {"lambda *args, **kwargs: args[0] if args else None", concat(names.nn, ".ReLU()"),
                concat(names.nn, ".Identity")};
    }
    const bool is_tuple = last == "tuple" || last == "Tuple" || last == "Size";
    const bool is_list =
        last == "list" || last == "List" || last == "Sequence" || last == "Iterable" || last == "Collection";
    if (!is_tuple && !is_list) return {};
    const std::vector<std::string> parts = top_level_parts(inside(text));
    if (!parts.empty() && (parts[0] == "str")) return {"['a', 'b']"};
    if (!parts.empty() && (has(parts[0], "Module"))) return {repeated(concat(names.nn, ".Identity()"), 2)};
    const bool is_open = !is_tuple || parts.size() < 2 || parts[1] == "...";
    const std::size_t arity = is_open ? facts.arity : parts.size();
    std::vector<std::string> out = list_values(name, arity, is_tuple ? '(' : '[', names);
    if (!parts.empty() && parts[0] == "float") out.insert(out.begin(), is_tuple ? "(0.1, 0.9)" : "[0.1, 0.9]");
    return out;
}

std::vector<std::string> values_by_use(const std::string& raw_name, const ParameterFacts& facts,
                                       const ValueNames& names) {
    const std::string name = lower(raw_name);
    std::vector<std::string> out;
    const auto add = [&](const std::vector<std::string>& more) { out.insert(out.end(), more.begin(), more.end()); };
    if (!facts.fallback.empty()) out.push_back(facts.fallback);
    add_choices(out, facts);
    const bool is_settings = !facts.attributes.empty() && (facts.has_keys || is_settings_name(name));
    if (is_settings) out.push_back(settings_value());
    if (facts.element_arity > 1) {
        const std::string identity = concat(names.nn, ".Identity()");
        const std::string numbers = repeated("2", facts.element_arity, '(', ')');
        out.push_back(concat("[", repeated(identity, facts.element_arity, '(', ')'), "]"));
        out.push_back(concat(names.nn, ".ModuleList([", names.nn, ".ModuleList(",
                             repeated(identity, facts.element_arity), ")])"));
        out.push_back(concat("[", numbers, ", ", numbers, "]"));
    }
    if (facts.is_called_with_sizes) add(factory_values(name, names));
    if (facts.is_module) add(module_values(name, names));
    if (!is_settings && !facts.is_module && facts.attributes.size() > 2) out.push_back(settings_value());
    if (facts.is_iterated) add(list_values(name, facts.arity, '[', names));
    if (facts.is_number) add(whole_values(name));
    return out;
}

std::vector<std::string> values_by_name(const std::string& raw_name, const ParameterFacts& facts,
                                        const ValueNames& names) {
    const std::string name = lower(raw_name);
    std::vector<std::string> out;
    const auto add = [&](const std::vector<std::string>& more) { out.insert(out.end(), more.begin(), more.end()); };
    if (name == "device") return {"'cpu'"};
    if (name == "dtype") return {concat(names.torch, ".float32")};
    if (name.starts_with("is_") || name.starts_with("use_") || name.starts_with("has_") || name.starts_with("with_") ||
        name == "bias" || name == "causal" || name == "inplace" || name == "normalize")
        return {"True", "False"};
    if (is_settings_name(name)) {
        out.push_back(settings_value());
        return out;
    }
    static constexpr std::array<std::string_view, 22> kModules = {
        "net",       "model",         "module",      "backbone", "encoder",   "decoder",  "block",     "layer",
        "head",      "network",       "branch",      "wrapped",  "fn",        "func",     "criterion", "loss",
        "generator", "discriminator", "transformer", "attn",     "attention", "embedding"};
    const bool is_count = name.starts_with("num") || name.starts_with("n_") ||
                          has_any<6>(name, {"dim", "size", "channel", "depth", "kernel", "len"});
    if (!is_count &&
        (is_any(name, kModules) || name.ends_with("_net") || name.ends_with("_model") || name.ends_with("_fn") ||
         name.ends_with("coder") || name.ends_with("_layer") || name.ends_with("_module")))
        add(module_values(name, names));
    if (has_any<4>(name, {"activation", "act_layer", "nonlin", "norm_layer"}) || name == "act" || name == "norm") {
        const bool is_made = facts.is_called_with_sizes || name.ends_with("_layer");
        if (is_made) add(factory_values(name, names));
        out.push_back(has(name, "norm") ? concat(names.nn, ".BatchNorm2d(64)") : concat(names.nn, ".ReLU()"));
        out.push_back(has(name, "norm") ? concat(names.nn, ".BatchNorm2d") : concat(names.nn, ".ReLU"));
        if (!is_made) add(text_values(name, facts));
    }
    if (has_any<4>(name, {"mode", "type", "name", "pattern"}) || name == "source") add(text_values(name, facts));
    if (has(name, "prior")) out.push_back(concat(names.torch, ".distributions.Normal(0.0, 1.0)"));
    if (has(name, "weight_shape")) out.emplace_back("'c c2'");
    if (has(name, "shape")) add(list_values(name, facts.arity, '(', names));
    const bool is_plural = name.ends_with('s') && !name.ends_with("ss") && !is_count &&
                           !is_any<12>(name, {"channels", "features", "classes", "heads", "layers", "steps", "planes",
                                              "units", "groups", "filters", "bias", "timesteps"});
    if (is_plural) add(list_values(name, facts.arity, '[', names));
    add(number_values(name));
    return out;
}

std::vector<std::string> any_values(const ParameterFacts& facts, const ValueNames& names) {
    std::vector<std::string> out{"64",
                                 "4",
                                 "2",
                                 concat(names.nn, ".Identity()"),
                                 "[16, 32]",
                                 "[2, 2, 2, 2]",
                                 "(8, 8)",
                                 "True",
                                 "0.5",
                                 "'relu'",
                                 concat(names.nn, ".ReLU"),
                                 concat(names.torch, ".ones(4, 4)"),
                                 "lambda x: x"};
    if (!facts.attributes.empty() && !facts.is_module) out.insert(out.begin() + 4, settings_value());
    out.emplace_back("None");
    if (!facts.attributes.empty() && facts.is_module) out.push_back(settings_value());
    return out;
}

}  // namespace loupe::python
