// SPDX-License-Identifier: Apache-2.0
// GGUF files that are sound in form and make no model: one line each, and nothing is lost.
#include <QTemporaryDir>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/model/inputs.h"
#include "core/model/program.h"
#include "core/record/run_phases.h"
#include "tests/formats/formats_test.h"
#include "tests/fuzz/gguf_parts.h"

using namespace loupe;

namespace {

namespace fs = std::filesystem;
using fuzz::GgufParts;

GgufParts parts_of(const char* name) {
    return fuzz::gguf_parts_of(read_text_file(fixture(std::string("gguf/") + name).string()));
}

void set(GgufParts& parts, const fuzz::GgufPair& pair) {
    std::erase_if(parts.pairs, [&](const fuzz::GgufPair& each) { return each.key == pair.key; });
    parts.pairs.push_back(pair);
}

fuzz::GgufEntry& tensor(GgufParts& parts, std::string_view name) {
    return *std::ranges::find(parts.tensors, name, &fuzz::GgufEntry::name);
}

class Opened {
  public:
    explicit Opened(const GgufParts& parts) : path_(fs::path(folder_.path().toStdString()) / "m.gguf") {
        std::ofstream(path_, std::ios::binary) << fuzz::gguf_of(parts);
        try {
            program_ = session::Program::open(path_);
        } catch (const Error& error) {
            refusal_ = error.message();
        }
    }
    const std::string& refusal() const { return refusal_; }
    const std::shared_ptr<session::Program>& program() const { return program_; }

  private:
    QTemporaryDir folder_;
    fs::path path_;
    std::shared_ptr<session::Program> program_;
    std::string refusal_;
};

Tensor logits_of(const std::shared_ptr<session::Program>& program) {
    const session::PreparedMethod method(program, "forward", "none");
    return session::flatten_tensors(
               method.forward(program->make_arguments(program->default_inputs("forward"), "forward")))
        .front();
}

class TestGgufDamage : public QObject {
    Q_OBJECT

  private slots:
    void counts_of_heads_do_not_overflow() {
        const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        for (const std::uint64_t heads : {most, std::uint64_t{1} << 62, std::uint64_t{0}}) {
            GgufParts llama = parts_of("llama_f32.gguf");
            set(llama, fuzz::gguf_u64("llama.attention.head_count", heads));
            QVERIFY2(Opened(llama).refusal().find("rows for") != std::string::npos, Opened(llama).refusal().c_str());
            GgufParts falcon = parts_of("falcon_grouped_f16.gguf");
            set(falcon, fuzz::gguf_u64("falcon.attention.head_count", heads));
            set(falcon, fuzz::gguf_u64("falcon.attention.head_count_kv", heads));
            QVERIFY(!Opened(falcon).refusal().empty());
        }
    }

    void a_weight_without_dimensions_is_named() {
        GgufParts parts = parts_of("llama_f32.gguf");
        tensor(parts, "blk.0.attn_q.weight").sizes.clear();
        QCOMPARE(Opened(parts).refusal(), std::string("'blk.0.attn_q.weight' has no rows"));
    }

    void many_of_an_unknown_type_take_linear_time() {
        GgufParts parts = parts_of("llama_f32.gguf");
        for (int i = 0; i < 100'000; ++i) parts.tensors.push_back({"n" + std::to_string(i), {1}, 77, 0});
        const auto start = std::chrono::steady_clock::now();
        QVERIFY(!Opened(parts).program()->file().cannot_run.empty());
        QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    }

    void rows_without_elements_take_no_memory() {
        GgufParts parts = parts_of("llama_f32.gguf");
        tensor(parts, "blk.0.attn_q.weight").sizes = {0, 0x7ffffff0};
        QCOMPARE(Opened(parts).refusal(), std::string("'blk.0.attn_q.weight' has no elements"));
    }

    void a_norm_that_is_a_matrix_is_named() {
        GgufParts parts = parts_of("gemma_q8_0.gguf");
        const std::string name = "output_norm.weight";
        tensor(parts, name).sizes.push_back(1);
        QCOMPARE(Opened(parts).refusal(), std::string("'output_norm.weight' is a matrix, and no vector"));
    }

    void widths_of_no_weight_are_named() {
        GgufParts parts = parts_of("llama_f32.gguf");
        set(parts, fuzz::gguf_u32("llama.attention.key_length", 400'000'000));
        QVERIFY2(
            Opened(parts).refusal().find("head_dim is 400000000, and no weight has more than") != std::string::npos,
            Opened(parts).refusal().c_str());
    }

    void infinite_settings_are_named() {
        GgufParts parts = parts_of("llama_f32.gguf");
        set(parts, fuzz::gguf_f32("llama.attention.layer_norm_rms_epsilon", std::numeric_limits<float>::infinity()));
        QVERIFY(Opened(parts).refusal().ends_with("llama.attention.layer_norm_rms_epsilon is infinite, or NaN"));
    }

    void a_model_of_no_layers_runs() {
        GgufParts parts = parts_of("llama_f32.gguf");
        set(parts, fuzz::gguf_u32("llama.block_count", 0));
        const Opened opened(parts);
        QVERIFY2(opened.program() != nullptr, opened.refusal().c_str());
        QVERIFY(logits_of(opened.program()).numel() > 0);
    }

    void many_keys_take_linear_time() {
        GgufParts parts = parts_of("llama_f32.gguf");
        for (int i = 0; i < 60'000; ++i) parts.pairs.push_back(fuzz::gguf_u32("k" + std::to_string(i), 1));
        const auto start = std::chrono::steady_clock::now();
        QVERIFY(Opened(parts).program() != nullptr);
        QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    }

    // Their values as float64 are the same numbers.
    void matrices_of_float64_are_converted() {
        GgufParts parts = parts_of("llama_f32.gguf");
        const Tensor expected = logits_of(Opened(parts).program());
        for (fuzz::GgufEntry& entry : parts.tensors) {
            if (entry.sizes.size() != 2) continue;
            std::size_t count = 1;
            for (const std::uint64_t each : entry.sizes) count *= static_cast<std::size_t>(each);
            std::vector<float> narrow(count);
            std::memcpy(narrow.data(), parts.data.data() + entry.begin, count * sizeof(float));
            const std::vector<double> wide(narrow.begin(), narrow.end());
            entry.type = 28;
            entry.begin = parts.data.size();
            parts.data.append(reinterpret_cast<const char*>(wide.data()), count * sizeof(double));
            parts.data.resize((parts.data.size() + 31) / 32 * 32, '\0');
        }
        const Opened opened(parts);
        QVERIFY2(opened.program() != nullptr, opened.refusal().c_str());
        const std::vector<float> have = elements<float>(logits_of(opened.program())), want = elements<float>(expected);
        QCOMPARE(have.size(), want.size());
        for (std::size_t i = 0; i < have.size(); ++i) QVERIFY(std::abs(have[i] - want[i]) < 1e-4);
    }
};

}  // namespace

QTEST_GUILESS_MAIN(TestGgufDamage)
#include "test_gguf_damage.moc"
