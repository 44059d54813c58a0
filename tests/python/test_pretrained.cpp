// SPDX-License-Identifier: Apache-2.0
// Folders of Hugging Face's transformers, run by the architectures of resources/models/architectures. What transformers
// saved, and what its models give, is in fixtures/pretrained (make_pretrained.py).

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include "core/formats/format_registry.h"
#include "core/formats/numpy/npy.h"
#include "core/model/program.h"
#include "core/value/map_tensors.h"
#include "tests/formats/formats_test.h"

using namespace loupe;

namespace {

namespace fs = std::filesystem;
using session::Program;

fs::path folder_of(const std::string& name) { return fixture("pretrained/" + name); }

std::vector<std::string> all_folders() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(fixture("pretrained")))
        if (entry.is_directory()) names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

const Tensor* find(const NamedTensors& tensors, const std::string& name) {
    const auto found = std::ranges::find(tensors, name, &NamedTensors::value_type::first);
    return found == tensors.end() ? nullptr : &found->second;
}

// By the names of forward; None for an argument that the file lacks.
std::vector<IValue> arguments_of(const Program& program, const NamedTensors& inputs) {
    std::vector<IValue> out;
    const auto& arguments = program.schema("forward").arguments;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const Tensor* given = find(inputs, arguments[i].name);
        out.push_back(given != nullptr ? IValue(*given) : IValue());
    }
    while (!out.empty() && out.back().is_none()) out.pop_back();
    return out;
}

TensorList outputs_of(const IValue& value) {
    TensorList out;
    visit_tensors(value, [&](const Tensor& t) { out.push_back(t); });
    return out;
}

// The largest difference, as a part of the largest number.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size()) return 1e9;
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        if (!(difference <= worst)) worst = difference;
        largest = std::max(largest, std::abs(static_cast<double>(b[i])));
    }
    return worst / largest;
}

std::string text_of(const fs::path& file) { return read_text_file(file.string()); }

// A copy of a folder whose config says something else.
class Changed {
  public:
    Changed(const std::string& name, const std::string& from, const std::string& to) {
        fs::copy(folder_of(name), path(), fs::copy_options::recursive);
        std::string text = text_of(path() / "config.json");
        const auto at = text.find(from);
        if (at == std::string::npos) throw std::runtime_error("the config has no " + from);
        text.replace(at, from.size(), to);
        std::ofstream(path() / "config.json") << text;
    }
    fs::path path() const { return fs::path(folder_.path().toStdString()) / "model"; }

  private:
    QTemporaryDir folder_;
};

class TestPretrained : public QObject {
    Q_OBJECT
  private slots:
    void equals_transformers_data();
    void equals_transformers();
    void continues_from_a_cache_data();
    void continues_from_a_cache();
    void runs_on_its_examples_data() { equals_transformers_data(); }
    void runs_on_its_examples();
    void opens_by_each_of_its_files();
    void weights_view_their_file();
    void shows_its_source();
    void says_what_does_not_fit();
    void weights_in_eight_bits_stay();
    void says_which_scales_do_not_fit();
    void refuses_configs_that_make_nothing();
};

void TestPretrained::equals_transformers_data() {
    QTest::addColumn<std::string>("name");
    for (const std::string& name : all_folders()) QTest::newRow(name.c_str()) << name;
}

void TestPretrained::equals_transformers() {
    QFETCH(std::string, name);
    const auto program = Program::open(folder_of(name));
    const auto& info = *program->info();
    QVERIFY2(info.cannot_run.empty(), info.cannot_run.c_str());
    const auto arguments = arguments_of(*program, read_npz(folder_of(name) / "inputs.npz"));
    const TensorList outputs = outputs_of(program->file().eager->forward(arguments));
    const NamedTensors expected = read_npz(folder_of(name) / "outputs.npz");
    QVERIFY(expected.size() <= outputs.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const Tensor* wanted = find(expected, "out" + std::to_string(i));
        QVERIFY(wanted != nullptr);
        QCOMPARE(shape_text(outputs[i].sizes()), shape_text(wanted->sizes()));
        const double found = distance(elements<float>(outputs[i]), elements<float>(*wanted));
        QVERIFY2(found < 1e-4, std::to_string(found).c_str());
    }
}

// dynamic and longrope turn keys by how long the text is, so that there a cache changes what is computed, as it does in
// transformers.
void TestPretrained::continues_from_a_cache_data() {
    QTest::addColumn<std::string>("name");
    for (const char* name : {"llama",          "llama_llama3", "llama_yarn", "mistral",     "mixtral",        "qwen2",
                             "qwen2_moe",      "qwen3",        "qwen3_moe",  "deepseek_v2", "deepseek_v3",    "gemma",
                             "gemma2",         "gemma3_text",  "phi3",       "gpt2",        "gpt_neox",       "opt",
                             "falcon",         "falcon_alibi", "olmo2",      "olmo3",       "granite",        "smollm3",
                             "smollm3_window", "glm",          "glm4",       "cohere",      "cohere_norms",   "cohere2",
                             "starcoder2",     "t5",           "t5_gated",   "whisper",     "deepseek_v3_fp8"})
        QTest::newRow(name) << std::string(name);
}

Tensor columns(const Tensor& t, std::int64_t begin, std::int64_t end) {
    const auto width = t.size(1);
    const auto values = elements<std::int64_t>(t);
    std::vector<std::int64_t> part;
    for (std::int64_t row = 0; row < t.size(0); ++row)
        for (std::int64_t i = begin; i < end; ++i) part.push_back(values[static_cast<std::size_t>(row * width + i)]);
    const Tensor out = empty(std::vector<std::int64_t>{t.size(0), end - begin}, ScalarType::Int64);
    std::ranges::copy(part, out.data<std::int64_t>());
    return out;
}

void TestPretrained::continues_from_a_cache() {
    QFETCH(std::string, name);
    const auto program = Program::open(folder_of(name));
    const NamedTensors inputs = read_npz(folder_of(name) / "inputs.npz");
    const auto has = [&](const std::string& argument) { return find(inputs, argument) != nullptr; };
    const std::string read = has("decoder_input_ids") ? "decoder_input_ids" : "input_ids";
    const Tensor ids = *find(inputs, read);
    const auto wanted = elements<float>(*find(read_npz(folder_of(name) / "outputs.npz"), "out0"));
    const std::int64_t length = ids.size(1);
    const auto vocabulary = static_cast<std::int64_t>(wanted.size()) / (ids.size(0) * length);
    IValue cache;
    std::int64_t done = 0;
    for (const std::int64_t end : {std::int64_t{5}, std::int64_t{6}, length}) {
        std::vector<IValue> arguments;
        const auto& formal = program->schema("forward").arguments;
        for (std::size_t i = 1; i < formal.size(); ++i) {
            const std::string& argument = formal[i].name;
            IValue& value = arguments.emplace_back();
            if (argument == read)
                value = IValue(columns(ids, done, end));
            else if (argument == "attention_mask" && read == "input_ids")
                value = IValue(columns(*find(inputs, argument), 0, end));
            else if (argument == "past_key_values")
                value = cache;
            else if (argument == "use_cache")
                value = IValue(true);
            else if (has(argument))
                value = IValue(*find(inputs, argument));
        }
        const IValue out = program->file().eager->forward(arguments);
        const auto logits = elements<float>(outputs_of(out.to_tuple().elements[0]).front());
        cache = out.to_tuple().elements[1];
        std::vector<float> part;
        for (std::int64_t row = 0; row < ids.size(0); ++row)
            for (std::int64_t i = done * vocabulary; i < end * vocabulary; ++i)
                part.push_back(wanted[static_cast<std::size_t>(row * length * vocabulary + i)]);
        const double found = distance(logits, part);
        QVERIFY2(found < 1e-4, std::to_string(found).c_str());
        done = end;
    }
}

void TestPretrained::runs_on_its_examples() {
    QFETCH(std::string, name);
    const auto program = Program::open(folder_of(name));
    QVERIFY2(program->trace() != nullptr, program->trace_failure().c_str());
    const auto arguments = program->make_arguments(program->default_inputs("forward"), "forward");
    for (const Tensor& t : outputs_of(program->file().eager->forward(arguments)))
        for (const float x : elements<float>(t)) QVERIFY(std::isfinite(x));
}

void TestPretrained::opens_by_each_of_its_files() {
    for (const char* path : {"llama", "llama/config.json", "llama/model.safetensors", "llama_shards",
                             "llama_shards/model.safetensors.index.json", "llama_bin/pytorch_model.bin"}) {
        const auto program = Program::open(folder_of(path));
        QVERIFY2(program->is_eager(), path);
        QVERIFY(program->info()->format.starts_with("a Hugging Face folder (llama)"));
        QVERIFY(program->info()->find_module("model.layers.1.self_attn.q_proj") >= 0);
    }
    QVERIFY(!Program::open(fixture("pretrained/llama_shards/" +
                                   [] {
                                       for (const auto& each : fs::directory_iterator(folder_of("llama_shards")))
                                           if (each.path().filename().string().starts_with("model-00001"))
                                               return each.path().filename().string();
                                       return std::string("none");
                                   }()))
                 ->info()
                 ->modules.empty());
}

void TestPretrained::weights_view_their_file() {
    const auto program = Program::open(folder_of("llama_tied_wide_heads"));
    const auto tensors = program->module().state_dict();
    // Tied ones are one.
    QCOMPARE(find(tensors, "lm_head.weight")->storage().get(),
             find(tensors, "model.embed_tokens.weight")->storage().get());
    const auto plain = Program::open(folder_of("llama"));
    for (const auto& [name, t] : plain->module().state_dict())
        QVERIFY2(t.is_contiguous() && t.storage()->bytes() == static_cast<std::size_t>(t.numel()) * 4, name.c_str());
}

void TestPretrained::shows_its_source() {
    const auto program = Program::open(folder_of("llama"));
    std::vector<std::string> names;
    for (const auto& source : program->info()->sources) {
        names.push_back(source.name);
        QVERIFY(!source.is_editable);
    }
    for (const char* name : {"architectures/llama.py", "architectures/decoder.py", "architectures/common.py"})
        QVERIFY2(std::ranges::count(names, name) == 1, name);
}

void TestPretrained::says_what_does_not_fit() {
    const auto reason = [](const fs::path& path) { return Program::open(path)->info()->cannot_run; };
    const Changed unknown("llama", "\"model_type\": \"llama\"", "\"model_type\": \"alpaca\"");
    QCOMPARE(reason(unknown.path()), std::string("the model_type 'alpaca' is not known"));
    QVERIFY(Program::open(unknown.path())->info()->find_module("model.layers.1.self_attn.q_proj") >= 0);
    const Changed longer("llama", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3");
    QVERIFY(reason(longer.path()).starts_with("9 weights are missing: 'model.layers.2."));
    const Changed wider("llama", "\"vocab_size\": 48", "\"vocab_size\": 50");
    // What has another size is not missing too.
    QCOMPARE(reason(wider.path()), std::string("lm_head.weight is 48x16, the config makes it 50x16 (and 1 more)"));
    // The tree alone, and why.
    const Changed kindless("llama", "\"model_type\": \"llama\"", "\"kind\": \"llama\"");
    QCOMPARE(reason(kindless.path()), std::string("its config.json names no model_type"));
    QVERIFY(Program::open(kindless.path())->info()->find_module("model.layers.1.self_attn.q_proj") >= 0);
    const Changed damaged("llama", "{", "{{");
    QCOMPARE(reason(damaged.path()), std::string("its config.json is no JSON object, or cut short"));
    const Changed shorter("llama", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1");
    const auto fitting = Program::open(shorter.path());
    QVERIFY(fitting->info()->cannot_run.empty());
    QVERIFY(fitting->info()->format.find("9 weights of the folder not used: 'model.layers.1.") != std::string::npos);
}

// A byte a weight, as the file has it.
void TestPretrained::weights_in_eight_bits_stay() {
    const auto program = Program::open(folder_of("deepseek_v3_fp8"));
    QVERIFY(program->info()->format.find("weights in 8 bits, each multiplied by its scales") != std::string::npos);
    std::int64_t found = 0;
    for (const auto& [name, parameter] : program->module().named_parameters())
        if (name.ends_with("up_proj.weight")) {
            QCOMPARE(std::string(dtype_name(parameter.dtype())), std::string("float8_e4m3fn"));
            ++found;
        }
    QVERIFY(found >= 9);
}

void TestPretrained::says_which_scales_do_not_fit() {
    const auto reason = [](const std::string& from, const std::string& to) {
        const Changed changed("deepseek_v3_fp8", from, to);
        std::string out;
        const std::string error = error_of([&] { out = Program::open(changed.path())->info()->cannot_run; });
        return out.empty() ? error : out;
    };
    const std::string blocks = "\"weight_block_size\": [\n      4,\n      2\n    ]";
    QCOMPARE(
        reason(blocks, "\"weight_block_size\": [128, 128]").substr(0, 100),
        std::string("model.layers.0.mlp.down_proj.weight_scale_inv is 4x12, the config makes it 1x1 (and 39 more)"));
    for (const char* odd : {"[4]", "[0, 4]", "[4, -1]", "[4, true]", "7"})
        QVERIFY2(reason(blocks, std::string("\"weight_block_size\": ") + odd).find("no rows and columns") !=
                     std::string::npos,
                 odd);
    QCOMPARE(reason("\"quant_method\": \"fp8\"", "\"quant_method\": \"gptq\""),
             std::string("weights quantised by 'gptq' are shown, and not run"));
    QVERIFY(reason("\"quant_method\": \"fp8\"", "\"quant_method\": 3")
                .ends_with("quantization_config names no quant_method"));
    // Without its scales a weight is another one.
    const Changed bare("deepseek_v3_fp8", "{", "{");
    std::string bytes = read_text_file((bare.path() / "model.safetensors").string());
    const std::string name = "layers.1.self_attn.kv_b_proj.weight_scale_inv";
    bytes.replace(bytes.find(name), name.size(), "layers.1.self_attn.kv_b_proj.weight_scale_out");
    std::ofstream(bare.path() / "model.safetensors", std::ios::binary) << bytes;
    QCOMPARE(Program::open(bare.path())->info()->cannot_run,
             std::string("1 weight is missing: 'model.layers.1.self_attn.kv_b_proj.weight_scale_inv'"));
}

void TestPretrained::refuses_configs_that_make_nothing() {
    const auto error = [](const fs::path& path) { return error_of([&] { Program::open(path); }); };
    const Changed text("llama", "\"hidden_size\": 16", "\"hidden_size\": \"wide\"");
    QVERIFY(error(text.path()).ends_with("ValueError: hidden_size is 'wide', no number"));
    // 20,000 classes with their names are read in linear time.
    std::string labels;
    for (int i = 0; i < 20'000; ++i)
        labels += "\"" + std::to_string(i) + "\": \"label " + std::to_string(i) + " of a longer name\", ";
    const Changed classes("llama", "\"hidden_size\": 16",
                          "\"id2label\": {" + labels + "\"x\": \"\"}, \"hidden_size\": 16");
    const auto start = std::chrono::steady_clock::now();
    QVERIFY(Program::open(classes.path())->file().cannot_run.empty());
    QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(15));
    const Changed endless("llama", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 2000000000");
    QVERIFY(error(endless.path()).find("num_hidden_layers is 2000000000, and there are 21 weights") !=
            std::string::npos);
    // Not computed with before it is found not to fit.
    const Changed widest("deepseek_v3", "\"qk_rope_head_dim\": 4", "\"qk_rope_head_dim\": 1000000000");
    QVERIFY(error(widest.path()).find("qk_rope_head_dim is 1000000000, and no weight has more than 4096 rows") !=
            std::string::npos);
    const Changed nameless("llama", "\"vocab_size\"", "\"vocabulary\"");
    QVERIFY(error(nameless.path()).find("KeyError: 'vocab_size'") != std::string::npos);
    const Changed odd("llama", "\"rope_type\": \"default\"", "\"rope_type\": \"spiral\"");
    QVERIFY(error(odd.path()).find("unknown kind of rotary embedding: 'spiral'") != std::string::npos);
    // What stands in the place of a setting, and why it is none.
    const std::string rope = "\"rope_type\": \"default\"";
    const std::vector<std::array<std::string, 3>> cases{
        {"\"hidden_size\": 16", "\"hidden_size\": 0", "hidden_size is 0"},
        {"\"hidden_size\": 16", "\"hidden_size\": 16.5", "hidden_size is 16.5, no count"},
        {"\"hidden_size\": 16", "\"hidden_size\": [16]", "hidden_size is a list, no number"},
        {"\"vocab_size\": 48", "\"vocab_size\": true", "vocab_size is True, no count"},
        {"\"num_attention_heads\": 4", "\"num_attention_heads\": 0", "num_attention_heads is 0"},
        {"\"num_attention_heads\": 4", "\"num_attention_heads\": -4", "num_attention_heads is -4"},
        {"\"intermediate_size\": 24", "\"intermediate_size\": -24", "intermediate_size is -24"},
        {"\"hidden_size\": 16", "\"architectures\": 3, \"hidden_size\": 16", "architectures is 3, no list of names"},
        {rope, "\"rope_type\": [1]", "rope_type is [1], no name"},
        {rope, "\"rope_type\": \"linear\"", "rotary positions of kind 'linear' have no factor"},
        {rope, "\"rope_type\": \"llama3\", \"factor\": 2", "rotary positions of kind 'llama3' have no low_freq_factor"},
        {rope, "\"rope_type\": \"linear\", \"factor\": 0", "factor of rotary positions is 0, no number above 0"},
        {rope, "\"rope_type\": \"linear\", \"factor\": \"2\"", "factor of rotary positions is '2', no number above 0"},
        {"\"hidden_size\": 16", "\"rope_scaling\": [2], \"hidden_size\": 16", "rope_scaling is [2], no settings"},
    };
    for (const auto& [from, to, why] : cases) {
        const Changed changed("llama", from, to);
        const std::string said = error(changed.path());
        QVERIFY2(said.ends_with("ValueError: " + why), said.c_str());
    }
    const Changed bare("llama", "{", "{");
    fs::remove(bare.path() / "model.safetensors");
    QVERIFY(error(bare.path() / "config.json").find("no weights beside config.json") != std::string::npos);
}

}  // namespace

QTEST_GUILESS_MAIN(TestPretrained)
#include "test_pretrained.moc"
