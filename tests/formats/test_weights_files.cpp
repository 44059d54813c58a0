// SPDX-License-Identifier: Apache-2.0
// Weights without a program: safetensors, also in several files, and the folders of torch.distributed.checkpoint. What
// PyTorch and its libraries wrote is in fixtures/weights_files (make_weights_files.py).

#include <algorithm>
#include <cmath>

#include "core/dispatch/functions.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/weights_file.h"
#include "core/formats/format_registry.h"
#include "core/formats/safetensors/safetensors_types.h"
#include "core/formats/safetensors/safetensors_writer.h"
#include "core/formats/safetensors/sharded_writer.h"
#include "core/model/convert.h"
#include "core/model/program.h"
#include "core/model/weights.h"
#include "tests/formats/formats_test.h"

using namespace loupe;
using namespace std::string_literals;

namespace {

namespace fs = std::filesystem;

fs::path given(const std::string& name) { return fixture("weights_files/" + name); }

const Tensor& named(const NamedTensors& tensors, const std::string& name) {
    const auto found = std::ranges::find(tensors, name, &NamedTensors::value_type::first);
    if (found == tensors.end()) throw std::runtime_error("no " + name);
    return found->second;
}

template <typename T>
std::vector<float> as_floats(const Tensor& t) {
    const auto values = elements<T>(t);
    return {values.begin(), values.end()};
}

// Bit by bit; bfloat16 with the float32 that NumPy has for it.
void compare(const Tensor& t, const Tensor& expected) {
    QCOMPARE(shape_text(t.sizes()), shape_text(expected.sizes()));
    if (t.dtype() == ScalarType::BFloat16 && expected.dtype() == ScalarType::Float32) {
        QCOMPARE(as_floats<BFloat16>(t), elements<float>(expected));
        return;
    }
    QCOMPARE(t.dtype(), expected.dtype());
    visit_dtype(t.dtype(),
                [&]<typename T>(std::type_identity<T>) { QVERIFY(elements<T>(t) == elements<T>(expected)); });
}

void compare_all(const NamedTensors& tensors, const NamedTensors& expected) {
    QCOMPARE(tensors.size(), expected.size());
    for (const auto& [name, t] : expected) compare(named(tensors, name), t);
}

std::string note_of(const nn::Module& module, std::string_view part) {
    for (int i = 1; i < 40; ++i) {
        const IValue* note = module.find_attribute("note" + std::to_string(i));
        if (note != nullptr && note->to_string().find(part) != std::string::npos) return note->to_string();
    }
    return {};
}

// A file with that header and as many zero bytes.
std::string safetensors_bytes_of(const std::string& header, std::size_t bytes) {
    std::string file;
    for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i));
    return file + header + std::string(bytes, '\0');
}

}  // namespace

class TestWeightsFiles : public QObject {
    Q_OBJECT

    Scratch scratch_;

    fs::path copy_of(const std::string& folder) {
        const fs::path to = scratch_.path(folder);
        fs::remove_all(to);
        fs::copy(given(folder), to, fs::copy_options::recursive);
        return to;
    }

  private slots:
    void reads_safetensors() { compare_all(read_weights(given("plain.safetensors")), read_weights(given("plain.pt"))); }
    void opens_safetensors_alone() {
        const ModelFile model = open_model(fixture("checkpoints/kinds.safetensors"));
        QCOMPARE(model.module->get_submodule("encoder")->own_parameters().size(), std::size_t{2});
    }
    void writes_the_bytes_of_the_library() {
        session::convert(given("plain.pt"), scratch_.path("plain.safetensors"));
        QVERIFY(read_text_file(scratch_.path("plain.safetensors")) == read_text_file(given("plain.safetensors")));
        session::convert(fixture("checkpoints/kinds.safetensors"), scratch_.path("kinds.safetensors"));
        QVERIFY(read_text_file(scratch_.path("kinds.safetensors")) ==
                read_text_file(fixture("checkpoints/kinds.safetensors")));
    }
    void writes_strided_tensors_row_by_row() {
        const Tensor t = tensor_of<float>({0, 1, 2, 3, 4, 5}, {2, 3});
        const std::array<std::int64_t, 2> sizes{3, 2}, strides{1, 3};
        session::write_weights_file({{"t", t.view_as_strided(sizes, strides, 0)}}, scratch_.path("t.safetensors"));
        compare(named(read_weights(scratch_.path("t.safetensors")), "t"), tensor_of<float>({0, 3, 1, 4, 2, 5}, {3, 2}));
    }

    // The name that save_model leaves out is read again, and written as it was.
    void shares_memory_as_save_model_does() {
        const auto whole = read_weights(given("tied.pt"));
        compare_all(read_weights(given("tied.safetensors")), whole);
        session::convert(given("tied.pt"), scratch_.path("tied.safetensors"));
        const SafetensorsFile ours = read_safetensors(scratch_.path("tied.safetensors"));
        const SafetensorsFile theirs = read_safetensors(given("tied.safetensors"));
        QCOMPARE(ours.entries.size(), theirs.entries.size());
        for (std::size_t i = 0; i < ours.entries.size(); ++i) QCOMPARE(ours.entries[i].name, theirs.entries[i].name);
        for (const auto& entry : theirs.metadata) QVERIFY(std::ranges::count(ours.metadata, entry) == 1);
    }
    void loads_one_name_of_shared_weights() {
        const auto program = session::Program::open(given("shared_layers.py"), given("tied.safetensors"));
        compare_all(program->module().state_dict(), read_weights(given("tied.pt")));
        for (const char* kind : {"tied.safetensors", "tied.pt"}) {
            const fs::path folder = scratch_.path(std::string("beside_") + kind);
            fs::create_directories(folder);
            fs::copy_file(given("shared_layers.py"), folder / "tied.py");
            fs::copy_file(given(kind), folder / kind);
            QCOMPARE(session::weights_beside(folder / "tied.py"), folder / kind);
            compare_all(session::Program::open(folder / "tied.py")->module().state_dict(),
                        read_weights(given("tied.pt")));
        }
    }
    void writes_each_of_overlapping_parts() {
        const Tensor whole = tensor_of<float>({0, 1, 2, 3, 4, 5, 6}, {7});
        const std::array<std::int64_t, 1> three{3}, one{1};
        const NamedTensors parts{{"a", whole.view_as_strided(three, one, 1)},
                                 {"b", whole.view_as_strided(three, one, 2)}};
        QVERIFY(shared_names(parts).empty());
        session::write_weights_file(parts, scratch_.path("parts.safetensors"));
        compare_all(read_weights(scratch_.path("parts.safetensors")), parts);
    }

    void shows_types_that_no_tensor_has() {
        const CheckpointWeights weights = read_weights_file(given("small.safetensors"));
        const NamedTensors numbers = read_npz(given("small.npz"));
        for (const auto& [name, expected] : numbers) {
            const Tensor t = named(weights.tensors, name);
            QVERIFY(is_float8(t.dtype()));
            const auto ours = elements<float>(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float32))),
                       theirs = elements<float>(expected);
            for (std::size_t i = 0; i < theirs.size(); ++i)
                QVERIFY2(ours[i] == theirs[i] || (std::isnan(ours[i]) && std::isnan(theirs[i])),
                         (name + " " + std::to_string(i)).c_str());
        }
        const Tensor& four = named(weights.tensors, "four");
        QCOMPARE(four.dtype(), ScalarType::UInt8);
        QCOMPARE(four.numel(), std::int64_t{6});
        const ModelFile model = open_model(given("small.safetensors"));
        QCOMPARE(note_of(*model.module, "'four'"), "'four' is F4 of [3, 4], shown as its bytes");
        QCOMPARE(error_of([] { read_weights(given("small.safetensors")); }),
                 "small.safetensors: 'six' has the dtype F6_E2M3, which no tensor of a model has");
    }
    void writes_types_that_no_tensor_has_as_they_were() {
        session::convert(given("small.safetensors"), scratch_.path("small.safetensors"));
        const SafetensorsFile before = read_safetensors(given("small.safetensors"));
        const SafetensorsFile after = read_safetensors(scratch_.path("small.safetensors"));
        QCOMPARE(after.entries.size(), before.entries.size());
        for (const SafetensorsEntry& entry : before.entries) {
            const auto same = std::ranges::find(after.entries, entry.name, &SafetensorsEntry::name);
            QVERIFY(same != after.entries.end());
            QCOMPARE(same->type, entry.type);
            QCOMPARE(same->shape, entry.shape);
        }
    }
    void reads_wide_unsigned() {
        const SafetensorsFile file = read_safetensors(given("wide.safetensors"));
        QCOMPARE(file.entries.size(), std::size_t{3});
        for (const SafetensorsEntry& entry : file.entries) {
            QCOMPARE(entry.shape, std::vector<std::int64_t>{3});
            QVERIFY(!entry.is_foreign && has_dtype(kUnsignedDtypes, entry.tensor.dtype()));
        }
        session::convert(given("wide.safetensors"), scratch_.path("wide.safetensors"));
        const SafetensorsFile again = read_safetensors(scratch_.path("wide.safetensors"));
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(again.entries[i].type, file.entries[i].type);
            QVERIFY(std::memcmp(again.entries[i].tensor.raw_data(), file.entries[i].tensor.raw_data(),
                                file.entries[i].tensor.bytes()) == 0);
        }
    }

    void reads_and_writes_several_files() {
        const auto whole = read_weights(given("sharded.pt"));
        compare_all(read_weights(given("sharded/model.safetensors.index.json")), whole);
        compare_all(read_weights(given("sharded")), whole);
        fs::create_directories(scratch_.path("written"));
        const fs::path to = scratch_.path("written/model.safetensors");
        session::convert(given("sharded.pt"), to, nullptr, {.shard_size = "2KB"});
        for (const auto& file : fs::directory_iterator(given("sharded")))
            QVERIFY2(read_text_file(to.parent_path() / file.path().filename()) == read_text_file(file.path()),
                     file.path().filename().c_str());
        QVERIFY(!fs::exists(to));
    }
    void reads_several_files_of_torch_save() {
        const auto whole = read_weights(given("sharded.pt"));
        compare_all(read_weights(given("sharded_bin/pytorch_model.bin.index.json")), whole);
        compare_all(read_weights(given("sharded_bin")), whole);
        QVERIFY(open_model(given("sharded_bin")).module->get_submodule("embed") != nullptr);
    }
    void reads_the_one_file_of_a_folder() {
        fs::create_directories(scratch_.path("folder"));
        fs::copy_file(given("sharded.pt"), scratch_.path("folder/pytorch_model.bin"));
        compare_all(read_weights(scratch_.path("folder")), read_weights(given("sharded.pt")));
    }
    void writes_one_file_when_all_fits() {
        fs::create_directories(scratch_.path("fits"));
        session::convert(given("sharded.pt"), scratch_.path("fits/w.safetensors"), nullptr, {.shard_size = "1GB"});
        QVERIFY(fs::exists(scratch_.path("fits/w.safetensors")));
        QVERIFY(!fs::exists(scratch_.path("fits/w.safetensors.index.json")));
    }
    void writes_no_file_over_one_that_is_read() {
        const fs::path folder = copy_of("sharded");
        const std::string line =
            error_of([&] { session::convert(folder, folder / "model.safetensors", nullptr, {.shard_size = "2KB"}); });
        QVERIFY2(line.find("would be overwritten, and is read") != std::string::npos, line.c_str());
    }
    void knows_sizes_of_files() {
        QCOMPARE(shard_bytes_in("5GB"), std::uint64_t{5'000'000'000});
        QCOMPARE(shard_bytes_in("64KiB"), std::uint64_t{65536});
        QCOMPARE(shard_bytes_in("7"), std::uint64_t{7});
        for (const char* wrong : {"", "0", "GB", "5 GB", "-1", "5gb", "99999999999999999999", "99999999999TB"})
            QVERIFY2(!error_of([&] { shard_bytes_in(wrong); }).empty(), wrong);
    }

    void refuses_damaged_safetensors_data() {
        QTest::addColumn<QByteArray>("header");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* header, int bytes, const char* says) {
            QTest::newRow(name) << QByteArray(header) << bytes << says;
        };
        row("no JSON", "{\"a\"", 0, "its header is no JSON object");
        row("a list", "[1]", 0, "its header is no JSON object");
        row("no place", R"({"a":{"dtype":"F32","shape":[1]}})", 4, "'a' lacks dtype, shape or data_offsets");
        row("unknown dtype", R"({"a":{"dtype":"Q7","shape":[1],"data_offsets":[0,4]}})", 4,
            "'a' has no known dtype: 'Q7'");
        row("no whole bytes", R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", 2,
            "'a' takes 12 bits, which are no whole bytes");
        row("negative size", R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4,
            "the shape of 'a' is no number");
        row("fraction", R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", 4,
            "the shape of 'a' is no number");
        row("too large", R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}})", 4,
            "the shape of 'a' is too large");
        row("too large without elements",
            R"({"a":{"dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0]}})", 0,
            "the shape of 'a' is too large");
        row("other size", R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,4]}})", 4,
            "'a' has 4 bytes, its shape takes 12");
        row("backwards", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4,
            "'a' ends at byte 0, before it begins at 4");
        row("overlap",
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
            6, "'b' begins at byte 2 of the data, inside 'a', which ends at 4");
        row("the same place",
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
            4, "'b' begins at byte 0 of the data, inside 'a', which ends at 4");
        row("hole", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8,
            "bytes 0 to 4 of the data, before 'a', are in no tensor");
        row("truncated", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4,
            "truncated: tensors take 8 bytes, the file has 4");
        row("more", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 8,
            "tensors take 4 bytes, the file has 8");
        row("a name twice",
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
            8, "'a' stands twice in its header");
        row("a field twice", R"({"a":{"dtype":"F32","dtype":"I32","shape":[1],"data_offsets":[0,4]}})", 4,
            "'dtype' stands twice in its header");
        row("deep", R"({"a":{"dtype":[[[[[[]]]]]],"shape":[1],"data_offsets":[0,4]}})", 4, "its header nests too deep");
        row("metadata of numbers", R"({"__metadata__":{"a":1}})", 0, "'a' of its __metadata__ is no text");
        row("no metadata", R"({"__metadata__":"a"})", 0, "its __metadata__ is no JSON object");
    }
    void refuses_damaged_safetensors() {
        QFETCH(QByteArray, header);
        QFETCH(int, bytes);
        QFETCH(QString, says);
        const std::string file = safetensors_bytes_of(header.toStdString(), static_cast<std::size_t>(bytes));
        const std::string path = scratch_.path("c.safetensors");
        write_file_atomically(path, file);
        for (const auto& read :
             {+[](const std::string& p) { read_weights(p); }, +[](const std::string& p) { open_model(p); }}) {
            QCOMPARE(QString::fromStdString(error_of([&] { read(path); })), "c.safetensors: " + says);
        }
        const bool is_too_long = says.startsWith("tensors take");  // cut it is whole
        for (std::size_t length = 0; length < file.size() && !is_too_long; ++length) {
            write_file_atomically(path, std::string_view(file).substr(0, length));
            QVERIFY(!error_of([&] { read_weights(path); }).empty());
        }
    }
    void refuses_a_long_header() {
        std::string file = safetensors_bytes_of("{}", 0);
        file[4] = 1;
        write_file_atomically(scratch_.path("long.safetensors"), file);
        QCOMPARE(error_of([&] { open_model(scratch_.path("long.safetensors")); }),
                 "long.safetensors: its header of 4294967298 bytes is too long");
    }

    void refuses_damaged_indices_data() {
        QTest::addColumn<QByteArray>("map");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* map, const char* says) { QTest::newRow(map) << QByteArray(map) << says; };
        row(R"({"encoder.weight": "../a.safetensors"})", "a file that is not beside the index: '../a.safetensors'");
        row(R"({"encoder.weight": "/etc/passwd"})", "a file that is not beside the index: '/etc/passwd'");
        row(R"({"encoder.weight": ".."})", "a file that is not beside the index: '..'");
        row(R"({"encoder.weight": ""})", "a file that is not beside the index: ''");
        row(R"({"encoder.weight": 1})", "the file of 'encoder.weight' is no name");
        row(R"({"decoder.weight": "a.safetensors"})", "'a.safetensors' has no 'decoder.weight'");
        row(R"({"encoder.weight": "a.safetensors", "x": "absent1.safetensors", "y": "absent2.safetensors"})",
            "2 of its 3 files are missing: 'absent1.safetensors', 'absent2.safetensors'");
        row(R"({"encoder.weight": "model.safetensors.index.json"})",
            "an index instead of a file of weights: 'model.safetensors.index.json'");
        row(R"([1])", "an index without a weight_map");
    }
    void refuses_damaged_indices() {
        QFETCH(QByteArray, map);
        QFETCH(QString, says);
        write_file_atomically(scratch_.path("a.safetensors"), read_text_file(fixture("checkpoints/kinds.safetensors")));
        const std::string index = scratch_.path("model.safetensors.index.json");
        write_file_atomically(index, "{\"weight_map\": " + map.toStdString() + "}");
        QCOMPARE(QString::fromStdString(error_of([&] { open_model(index); })), "model.safetensors.index.json: " + says);
    }
    void notes_what_an_index_leaves_out() {
        write_file_atomically(scratch_.path("a.safetensors"), read_text_file(fixture("checkpoints/kinds.safetensors")));
        const std::string index = scratch_.path("part.safetensors.index.json");
        write_file_atomically(index, R"({"weight_map": {"encoder.weight": "a.safetensors"}})");
        const ModelFile model = open_model(index);
        QVERIFY(model.module->get_submodule("encoder") != nullptr);
        QVERIFY2(
            note_of(*model.module, "not named by the index").find("and 6 more of 'a.safetensors'") != std::string::npos,
            note_of(*model.module, "not named").c_str());
    }

    void opens_distributed_checkpoints_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("by one") << "one";
        QTest::newRow("by two") << "two";
    }
    void opens_distributed_checkpoints() {
        QFETCH(QString, name);
        const std::string folder = name.toStdString();
        compare_all(read_weights(given(folder)), read_npz(given(folder + ".npz")));
        const ModelFile model = open_model(given(folder));
        QVERIFY(model.format.starts_with("a checkpoint of torch.distributed.checkpoint"));
        QVERIFY(!note_of(*model.module, "the weights are those under 'model'").empty());
        QVERIFY(session::describe_model(model, given(folder)).file_bytes > 4000);
        const char* other = folder == "one" ? "epoch: 3" : "step: 12";
        QCOMPARE(note_of(*model.module, other), other);
    }
    void refuses_distributed_checkpoints_without_a_file() {
        const fs::path folder = copy_of("two");
        fs::remove(folder / "__1_0.distcp");
        const std::string line = error_of([&] { open_model(folder); });
        QVERIFY2(line.find("'__1_0.distcp' is missing, which has a part of") != std::string::npos, line.c_str());
    }
    // One line, no crash, whatever byte is another, and wherever the file ends.
    void refuses_damaged_distributed_checkpoints() {
        const fs::path folder = copy_of("two");
        const std::string whole = read_text_file(folder / ".metadata");
        std::string bytes = whole;
        for (std::size_t at = 0; at < whole.size(); at += 7) {
            for (const int change : {1, 0x80}) {
                bytes[at] = static_cast<char>(whole[at] ^ change);
                write_file_atomically(folder / ".metadata", bytes);
                const std::string line = error_of([&] { open_model(folder); });
                QVERIFY(line.find('\n') == std::string::npos);
            }
            bytes[at] = whole[at];
        }
        for (std::size_t length = 0; length < whole.size(); length += 29) {
            write_file_atomically(folder / ".metadata", std::string_view(whole).substr(0, length));
            QVERIFY(!error_of([&] { open_model(folder); }).empty());
        }
    }
    void refuses_other_classes_in_metadata() {
        fs::create_directories(scratch_.path("evil"));
        write_file_atomically(scratch_.path("evil/.metadata"),
                              "\x80\x02"
                              "cos\nsystem\nX\x02\0\0\0ls\x85R."s);
        QCOMPARE(error_of([&] { open_model(scratch_.path("evil")); }),
                 "evil: no 'torch.distributed.checkpoint.metadata.Metadata' where one belongs, but 'os.system'");
    }
    void refuses_folders_without_weights() {
        fs::create_directories(scratch_.path("nothing"));
        const std::string line = error_of([&] { open_model(scratch_.path("nothing")); });
        QVERIFY2(line.starts_with("nothing: a folder that holds no model"), line.c_str());
    }
};

QTEST_GUILESS_MAIN(TestWeightsFiles)
#include "test_weights_files.moc"
