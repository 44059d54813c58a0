// SPDX-License-Identifier: Apache-2.0
// Language models of GGUF files; what transformers gives for the same weights is beside them (fixtures/gguf,
// make_models.py).
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/ordered_json.h"
#include "core/dispatch/functions.h"
#include "core/formats/checkpoint/weights_file.h"
#include "core/formats/numpy/npy.h"
#include "core/formats/torch_writer.h"
#include "core/model/convert.h"
#include "core/model/generate.h"
#include "core/model/program.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/operations.h"
#include "core/python/pretrained_folder.h"
#include "core/tensor/packed.h"
#include "tests/formats/formats_test.h"

using namespace loupe;

namespace {

namespace fs = std::filesystem;

Tensor named(const NamedTensors& tensors, std::string_view name) {
    for (const auto& [each, tensor] : tensors)
        if (each == name) return tensor;
    return {};
}

std::string error_of(const std::function<void()>& run) {
    try {
        run();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}
bool same_elements(const Tensor& a, const Tensor& b) {
    return std::ranges::equal(a.sizes(), b.sizes()) && elements<float>(a) == elements<float>(b);
}
std::string refusal(const fs::path& file) {
    return error_of([&] { session::Program::open(file); });
}

class TestGgufModels : public QObject {
    Q_OBJECT

  private slots:
    void gives_the_logits_of_transformers_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("expected");
        for (const char* name : {"llama_f32",          "llama_f16",      "llama_q8_0",
                                 "llama_q4_0",         "qwen2_q4_1",     "qwen2_bf16",
                                 "qwen3_q5_0",         "mixtral_q8_0",   "gemma_q8_0",
                                 "gemma2_q8_0",        "gemma3_q4_0",    "phi3_q8_0",
                                 "gpt2_q8_0",          "gptneox_q8_0",   "falcon_q8_0",
                                 "falcon_grouped_f16", "bert_q8_0",      "qwen2moe_q8_0",
                                 "qwen3moe_q8_0",      "deepseek2_q8_0", "deepseek2_apart_q8_0",
                                 "deepseek3_q8_0",     "t5_q8_0",        "t5_plain_q4_0",
                                 "t5encoder_q8_0"})
            QTest::newRow(name) << QString(name) << QString(name);
        for (const char* part : {"1", "2", "3"})
            QTest::newRow(part) << QString("llama_q4_0_split-0000%1-of-00003").arg(part) << QString("llama_q4_0_split");
    }
    void gives_the_logits_of_transformers() {
        QFETCH(QString, name);
        QFETCH(QString, expected);
        const auto program = session::Program::open(fixture("gguf/" + name.toStdString() + ".gguf"));
        QCOMPARE(program->file().cannot_run, std::string());
        const NamedTensors arrays = read_npz(fixture("gguf/" + expected.toStdString() + ".npz"));
        std::vector<IValue> arguments{IValue(named(arrays, "arg0"))};
        if (const Tensor begun = named(arrays, "decoder_input_ids"); begun.defined())
            arguments.insert(arguments.end(), {IValue(), IValue(begun)});
        const IValue out = session::PreparedMethod(program, "forward", "none").forward(arguments);
        const auto mine = elements<float>(detach(out.to_tensor()));
        const auto wanted = elements<float>(named(arrays, "out0"));
        QCOMPARE(mine.size(), wanted.size());
        float largest = 0;
        for (const float each : wanted) largest = std::max(largest, std::fabs(each));
        QVERIFY(largest > 0.5F);
        for (std::size_t i = 0; i < mine.size(); ++i)
            QVERIFY2(std::fabs(mine[i] - wanted[i]) <= 1e-5F * largest, std::to_string(i).c_str());
    }

    void misses_parts() {
        QTemporaryDir folder;
        const fs::path to(folder.path().toStdString());
        const auto copy = [&](const char* name, const char* as) {
            fs::copy_file(fixture(std::string("gguf/") + name), to / as, fs::copy_options::overwrite_existing);
        };
        copy("llama_q4_0_split-00001-of-00003.gguf", "a-00001-of-00003.gguf");
        QVERIFY(refusal(to / "a-00001-of-00003.gguf").find("part 2 of 3 is missing: a-00002-of-00003.gguf") !=
                std::string::npos);
        copy("llama_q4_0_split-00001-of-00003.gguf", "a-00002-of-00003.gguf");
        copy("llama_q4_0_split-00003-of-00003.gguf", "a-00003-of-00003.gguf");
        QVERIFY(refusal(to / "a-00001-of-00003.gguf").find("it is not part 2 of 3 files") != std::string::npos);
        copy("llama_q4_0_split-00002-of-00003.gguf", "b.gguf");
        QVERIFY(refusal(to / "b.gguf").find("does not end with -00002-of-00003.gguf") != std::string::npos);
    }

    // The sizes whose scores are scaled by the width for each head.
    void scales_scores_by_the_width_of_the_largest_gemmas() {
        const Ptr<python::Evaluator> evaluator = python::evaluator_of_architectures();
        const auto scalar = [&](const char* architecture, int layers) {
            OrderedJson metadata{{"general.architecture", architecture}};
            for (const auto& [key, value] :
                 std::initializer_list<std::pair<const char*, int>>{{"block_count", layers},
                                                                    {"embedding_length", 4608},
                                                                    {"feed_forward_length", 36864},
                                                                    {"attention.head_count", 32},
                                                                    {"attention.key_length", 128}})
                metadata[std::string(architecture) + "." + key] = value;
            std::int64_t out = 0;
            evaluator->run([&]() -> IValue {
                using namespace python;
                const IValue json = evaluator->import_module("json");
                const IValue made = call(get_attribute(evaluator->import_module("architectures.gguf"), "plan"),
                                         {call(get_attribute(json, "loads"), {IValue(metadata.dump())}), IValue(8),
                                          IValue(make_ptr<ListObject>(types::string())),
                                          IValue(make_ptr<DictObject>(types::string(), types::any()))});
                const std::string config =
                    call(get_attribute(json, "dumps"), {made.to_tuple().elements[0]}).to_string();
                out = OrderedJson::parse(config)["query_pre_attn_scalar"].get<std::int64_t>();
                return {};
            });
            return out;
        };
        QCOMPARE(scalar("gemma2", 46), 144);
        QCOMPARE(scalar("gemma2", 42), 128);
        QCOMPARE(scalar("gemma3", 62), 144);
        QCOMPARE(scalar("gemma3", 48), 128);
    }

    // By the tokenizer in the file, token by token, as transformers continues it.
    void continues_texts() {
        const auto file = fixture("gguf/text.gguf");
        const auto model = std::make_shared<const session::TextModel>(session::Program::open(file), file);
        const auto cases = OrderedJson::parse(read_text_file(fixture("gguf/text.json").string()));
        QCOMPARE(cases.size(), std::size_t{4});
        for (const OrderedJson& each : cases) {
            const auto prompt = each["prompt"].get<std::string>();
            session::GenerateOptions options;
            options.max_tokens = 24;
            session::TextGenerator generator(model, prompt, options);
            std::vector<std::int64_t> ids;
            for (const text::EncodedToken& token : generator.prompt()) ids.push_back(token.id);
            QCOMPARE(ids, each["ids"].get<std::vector<std::int64_t>>());
            std::string shown = prompt;
            while (!generator.is_done()) {
                generator.step();
                shown += generator.take_text();
            }
            QCOMPARE(generator.generated(), each["made"].get<std::vector<std::int64_t>>());
            QCOMPARE(shown, each["text"].get<std::string>());
        }
    }

    void shows_the_metadata() {
        const auto program = session::Program::open(fixture("gguf/text.gguf"));
        const auto& root = program->info()->modules.front();
        QVERIFY(std::ranges::any_of(root.attributes, [](const auto& each) {
            return each.second.find("llama.block_count = 2") != std::string::npos;
        }));
        QVERIFY(std::ranges::any_of(program->info()->sources, [](const session::SourceFile& each) {
            return each.name == "chat_template.jinja" && each.text.starts_with("{% for message in messages %}");
        }));
        const auto file = fixture("gguf/llama_f32.gguf");
        QVERIFY(error_of([&] {
                    session::TextModel(session::Program::open(file), file);
                }).find("no tokenizer in the file") != std::string::npos);
    }

    // The numbers that the weights stand for, a tied one once.
    void becomes_safetensors_and_checkpoints() {
        QTemporaryDir folder;
        const fs::path to(folder.path().toStdString());
        const auto file = fixture("gguf/text.gguf");
        const auto program = session::Program::open(file);
        const NamedTensors own = program->file().module->state_dict();
        session::convert(file, to / "out.safetensors");
        const CheckpointWeights read = read_weights_file(to / "out.safetensors");
        QCOMPARE(read.tensors.size(), own.size());
        QVERIFY(named(read.tensors, "lm_head.weight").storage() ==
                named(read.tensors, "model.embed_tokens.weight").storage());
        for (const auto& [name, tensor] : read.tensors) {
            const Tensor wanted = named(own, name);
            QVERIFY2(wanted.defined(), name.c_str());
            QVERIFY2(same_elements(tensor, elements_or_itself(detach(wanted))), name.c_str());
        }
        write_state_dict(own, to / "weights.pt");
        const CheckpointWeights pickled = read_weights_file(to / "weights.pt");
        QCOMPARE(pickled.tensors.size(), own.size());
        QVERIFY(named(pickled.tensors, "lm_head.weight").storage() ==
                named(pickled.tensors, "model.embed_tokens.weight").storage());
        // Programs with their weights.
        for (const char* name : {"out.pt", "out.pt2", "out.ptl"}) {
            session::convert(file, to / name);
            const auto again = session::Program::open(to / name);
            const Tensor table = named(again->file().module->state_dict(), "model.embed_tokens.weight");
            QVERIFY2(table.defined() &&
                         same_elements(detach(table), elements_or_itself(detach(named(own, "lm_head.weight")))),
                     name);
        }
        // A weight that is the transpose of the file's.
        session::convert(fixture("gguf/gpt2_q8_0.gguf"), to / "gpt2.safetensors");
        const auto gpt2 = session::Program::open(fixture("gguf/gpt2_q8_0.gguf"))->file().module->state_dict();
        const char* const name = "transformer.h.0.attn.c_attn.weight";
        QVERIFY(same_elements(named(read_weights_file(to / "gpt2.safetensors").tensors, name),
                              elements_or_itself(detach(named(gpt2, name)))));
    }

    void keeps_weights_packed() {
        const auto program = session::Program::open(fixture("gguf/llama_q4_0.gguf"));
        std::size_t packed = 0;
        for (const auto& [name, tensor] : program->file().module->named_parameters())
            if (is_packed(tensor)) packed += packed_parts(tensor).type->name == "Q4_0" ? 1U : 0U;
        // 18 bytes stand for 32 numbers; the norms are float32.
        QVERIFY(program->info()->parameter_bytes < program->info()->parameter_count);
        QCOMPARE(packed, std::size_t{16});  // seven a layer, the table and the head
    }

    // The gradient of a product with packed weights is that with what they stand for.
    void goes_back_through_packed_weights() {
        const auto program = session::Program::open(fixture("gguf/qwen2_q4_1.gguf"));
        Tensor weight;
        for (const auto& [name, tensor] : program->file().module->named_parameters())
            if (name == "model.layers.0.mlp.up_proj.weight") weight = detach(tensor);
        QVERIFY(weight.defined() && is_packed(weight));
        const Tensor dense = unpacked(weight);
        // Of the input, and of the bias.
        const auto gradients = [&](const Tensor& by) {
            const Tensor x = zeros(std::vector<std::int64_t>{3, 64});
            for (std::int64_t i = 0; i < x.numel(); ++i) x.data<float>()[i] = static_cast<float>(i % 7) - 3;
            const Tensor bias = zeros(std::vector<std::int64_t>{by.size(0)});
            set_requires_grad(x, true);
            set_requires_grad(bias, true);
            backward({fn::sum(fn::pow_scalar(fn::linear(x, by, bias), Scalar(2)))});
            return std::pair(elements<float>(grad_of(x)), elements<float>(grad_of(bias)));
        };
        const auto close = [](const std::vector<float>& mine, const std::vector<float>& wanted) {
            return !wanted.empty() && std::ranges::equal(mine, wanted, [](float a, float b) {
                return std::fabs(a - b) <= 1e-4F * std::max(1.0F, std::fabs(b));
            });
        };
        const auto mine = gradients(weight), wanted = gradients(dense);
        QVERIFY(close(mine.first, wanted.first));
        QVERIFY(close(mine.second, wanted.second));
    }

    void writes_packed_weights_as_their_numbers() {
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "weight.npy";
        const Tensor packed = make_packed(*ggml_type(8), zeros(std::vector<std::int64_t>{3, 68}, ScalarType::UInt8));
        write_npy(path, packed);
        QCOMPARE(shape_text(read_npy(path).sizes()), std::string("3x64"));
    }

    void shows_the_tree_of_unknown_architectures() {
        const auto program = session::Program::open(fixture("gguf/types.gguf"));
        QVERIFY(!program->file().cannot_run.empty());
    }
};

}  // namespace

QTEST_GUILESS_MAIN(TestGgufModels)
#include "test_gguf_models.moc"
