// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <complex>
#include <cstring>

#include "core/autograd/variable.h"
#include "core/dispatch/functions.h"
#include "core/formats/archive/zip_writer.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/checkpoint_tree.h"
#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/formats/checkpoint/weights_file.h"
#include "core/formats/format_registry.h"
#include "core/ops/sparse/sparse.h"
#include "core/tensor/compressed.h"
#include "core/tensor/nested.h"
#include "core/tensor/quantizer.h"
#include "tests/formats/formats_test.h"

using namespace loupe;
using namespace std::string_literals;

namespace {

const std::string kHint = "; files hold tensors and plain values: save model.state_dict(), and vars() of other objects";

IValue dict(std::vector<std::pair<IValue, IValue>> entries) {
    const auto out = make_ptr<DictObject>(types::any(), types::any());
    for (auto& [key, value] : entries) out->set(std::move(key), std::move(value));
    return out;
}
IValue list(std::vector<IValue> elements) { return make_ptr<ListObject>(types::any(), std::move(elements)); }

// Bit by bit.
bool same_elements(const Tensor& a, const Tensor& b) {
    const Tensor left = fn::contiguous(a), right = fn::contiguous(b);
    return left.dtype() == right.dtype() && std::ranges::equal(left.sizes(), right.sizes()) &&
           (left.numel() == 0 || std::memcmp(left.raw_data(), right.raw_data(), left.bytes()) == 0);
}

// [[0, 0, 4], [5, 0, 0]]
Tensor sparse() {
    return make_sparse(tensor_of<std::int64_t>({0, 1, 2, 0}, {2, 2}), tensor_of<float>({4, 5}, {2}),
                       std::array<std::int64_t, 2>{2, 3});
}

// What check_written.py expects.
IValue training_state() {
    const Tensor weight = make_parameter(tensor_of<float>({0, 1, 2, 3, 4, 5}, {2, 3}));
    const std::array<std::int64_t, 1> three{3};
    const std::array<std::int64_t, 1> one{1};
    const Tensor half = empty(std::array<std::int64_t, 1>{2}, ScalarType::BFloat16);
    half.data<BFloat16>()[0] = BFloat16(1.0F);
    half.data<BFloat16>()[1] = BFloat16(2.0F);
    const IValue state = dict({{"weight", weight},
                               {"bias", tensor_of<double>({1.5, -2}, {2})},
                               {"view", weight.view_as_strided(three, one, 3)},
                               {"half", half},
                               {"mask", tensor_of<bool>({true, false}, {2})},
                               {"count", scalar_tensor(Scalar(7), ScalarType::Int64)},
                               {"empty", zeros(std::array<std::int64_t, 2>{0, 3})},
                               {"sparse", sparse()}});
    const IValue shared = list({1, "a"});
    return dict({{"state_dict", state},
                 {"epoch", 3},
                 {"best", 0.1},
                 {"name", "run \xc3\xa9"},
                 {"done", false},
                 {"nothing", IValue()},
                 {"big", std::int64_t{1} << 40},
                 {"z", std::complex<double>(1, -2)},
                 {"device", Device()},
                 {"betas", make_ptr<TupleObject>(std::vector<IValue>{0.9, 0.999})},
                 {"history", list({shared, shared})},
                 {"steps", dict({{0, 1}, {5, 2}})}});
}

std::filesystem::path written(const char* name) {
    return std::filesystem::path(LOUPE_SOURCE_DIR) / "tests" / "formats" / "written" / name;
}

const IValue& at(const IValue& value, const char* key) {
    const IValue* found = value.to_dict().find(key);
    if (found == nullptr) throw std::runtime_error(std::string("no ") + key);
    return *found;
}

// A tensor of PyTorch beside the array numpy wrote of it (bfloat16 as float32).
void compare(const Tensor& t, const Tensor& array) {
    QCOMPARE(shape_text(t.sizes()), shape_text(array.sizes()));
    if (t.dtype() == ScalarType::BFloat16) {
        const auto values = elements<BFloat16>(t);
        QCOMPARE(std::vector<float>(values.begin(), values.end()), elements<float>(array));
        return;
    }
    QCOMPARE(t.dtype(), array.dtype());
    visit_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) { QVERIFY(elements<T>(t) == elements<T>(array)); });
}

}  // namespace

class TestCheckpoint : public QObject {
    Q_OBJECT

    Scratch scratch_;

    std::string checkpoint_error(const std::string& pickle, ErrorKind* kind = nullptr) {
        ZipWriter writer(scratch_.path("c.pt"));
        writer.add("archive/data.pkl", "\x80\x02"s + pickle + ".");
        writer.finish();
        return error_of([&] { read_checkpoint(scratch_.path("c.pt")); }, kind);
    }

  private slots:
    void reads_weights_data() {
        QTest::addColumn<QString>("file");
        for (const char* file : {"autoencoder_weights.pt", "autoencoder_weights_legacy.pth", "storages_weights.pt",
                                 "storages_weights_legacy.pth", "kinds.safetensors"}) {
            QTest::newRow(file) << file;
        }
    }
    void reads_weights() {
        QFETCH(QString, file);
        const std::string name = "checkpoints/" + file.toStdString();
        const auto weights = read_weights(fixture(name));
        const auto arrays = read_npz(fixture(name.substr(0, name.find('.')) + ".npz"));
        QCOMPARE(weights.size(), arrays.size());
        for (const auto& [key, array] : arrays) {
            const auto same = [&key = key](const auto& named) { return named.first == key; };
            const auto found = std::find_if(weights.begin(), weights.end(), same);
            QVERIFY2(found != weights.end(), key.c_str());
            compare(found->second, array);
        }
    }

    void reads_any_value() {
        const IValue pair = read_checkpoint(fixture("checkpoints/tensors.pt"));
        QVERIFY(pair.is_tuple());
        const auto arrays = read_npz(fixture("checkpoints/tensors.npz"));
        compare(pair.to_tuple().elements.at(0).to_tensor(), arrays[0].second);
        compare(pair.to_tuple().elements.at(1).to_tensor(), arrays[1].second);

        const IValue training = read_checkpoint(fixture("checkpoints/training.pt"));
        QCOMPARE(training.to_dict().find("epoch")->to_int(), std::int64_t{3});
        QCOMPARE(training.to_dict().find("best")->to_double(), 0.25);
        QCOMPARE(training.to_dict().find("name")->to_string(), "run 1"s);
        QCOMPARE(training.to_dict().find("history")->to_doubles(), (std::vector<double>{1.0, 0.5}));
        QCOMPARE(python_repr(*training.to_dict().find("layers")), "{'a': (1, None, True)}"s);
        const auto weights = read_weights(fixture("checkpoints/training.pt"));
        const auto expected = read_npz(fixture("checkpoints/training.npz"));
        QCOMPARE(weights.size(), expected.size());
        QCOMPARE("model." + weights[0].first, expected[0].first);
    }

    void refuses_classes() {
        ErrorKind kind{};
        QCOMPARE(checkpoint_error("cos\nsystem\nX\x04\x00\x00\x00"s + "true\x85R", &kind),
                 "c.pt: refers to 'os.system', which is not supported"s + kHint);
        QCOMPARE(kind, ErrorKind::Unsupported);
        QCOMPARE(checkpoint_error("c__main__\nNet\n)\x81}b"),
                 "c.pt: refers to '__main__.Net', which is not supported"s + kHint);
        QCOMPARE(checkpoint_error("cos\nsystem\n"), "c.pt: refers to 'os.system', which is not supported"s + kHint);
    }

    void refuses_what_has_no_end() {
        const auto depth = std::size_t{100'000};
        QCOMPARE(checkpoint_error(std::string(depth, ']') + std::string(depth - 1, 'a')),
                 "c.pt: values nest more than 400 deep"s);
        QCOMPARE(checkpoint_error("]q\x00h\x00"s + "a"), "c.pt: a value contains itself"s);
        // 60 times (x, x): more values than anyone could visit.
        std::string doubling = "K\x01";
        for (int i = 0; i < 60; ++i) doubling += "2\x86";
        QCOMPARE(checkpoint_error(doubling), "c.pt: values unfold to more than 50000000"s);
        QCOMPARE(checkpoint_error("}]K\x01s"), "c.pt: unhashable type: 'List[Any]'"s);
    }

    void reads_every_kind_of_value_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("archive") << "checkpoints/values.pt";
        QTest::newRow("stream") << "checkpoints/values_legacy.pth";
    }
    void reads_every_kind_of_value() {
        QFETCH(QString, file);
        const IValue values = read_checkpoint(fixture(file.toStdString()));
        const std::vector<std::pair<const char*, const char*>> expected{{"int", "3"},
                                                                        {"long", "1099511627776"},
                                                                        {"negative", "-5"},
                                                                        {"float", "0.1"},
                                                                        {"infinite", "inf"},
                                                                        {"bool", "True"},
                                                                        {"none", "None"},
                                                                        {"text", "'h\xc3\xa9llo'"},
                                                                        {"complex", "(1-2j)"},
                                                                        {"list", "[1, 'a', [2.5]]"},
                                                                        {"tuple", "(1, (2,))"},
                                                                        {"empty", "()"},
                                                                        {"size", "(2, 3)"},
                                                                        {"ordered", "{'b': 1, 'a': 2}"},
                                                                        {"numbers", "{0: 'x', 5: 'y'}"},
                                                                        {"number", "0.25"}};
        for (const auto& [key, text] : expected) QCOMPARE(python_repr(at(values, key)), std::string(text));
        QCOMPARE(at(values, "dtype").to_int(), static_cast<std::int64_t>(ScalarType::Float16));
        const auto& shared = at(values, "shared").to_list().elements;
        QVERIFY(shared[0].is_same(shared[1]));
        QVERIFY(requires_grad(at(values, "parameter").to_tensor()));
        QVERIFY(!requires_grad(at(values, "frozen").to_tensor()));
        const Tensor base = at(values, "base").to_tensor();
        QVERIFY(at(values, "view").to_tensor().storage() == base.storage());
        QCOMPARE(at(values, "view").to_tensor().storage_offset(), std::int64_t{4});
        QVERIFY(at(values, "transposed").to_tensor().storage() == base.storage());
        QCOMPARE(elements<float>(at(values, "transposed").to_tensor()),
                 (std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
        QCOMPARE(elements<std::int64_t>(at(values, "array").to_tensor()), (std::vector<std::int64_t>{0, 1, 2}));
        QCOMPARE(elements<double>(at(values, "fortran").to_tensor()), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    }

    void reads_every_dtype() {
        const IValue values = read_checkpoint(fixture("checkpoints/dtypes.pt"));
        QCOMPARE(values.to_dict().size(), std::size_t{12});
        for (const auto& [name, value] : values.to_dict().entries()) {
            const Tensor t = value.to_tensor();
            QCOMPARE(std::string(dtype_name(t.dtype())), name.to_string());
            visit_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
                if constexpr (!std::is_same_v<T, ComplexHalf>) {
                    QVERIFY((elements<T>(t) ==
                             std::vector<T>{T(0.0F), T(1.0F), std::is_same_v<T, bool> ? T(1.0F) : T(2.0F)}));
                }
            });
        }
    }

    void reads_sparse_tensors() {
        const IValue values = read_checkpoint(fixture("checkpoints/sparse.pt"));
        const NamedTensors dense = read_npz(fixture("checkpoints/special.npz"));
        for (const auto& [name, expected] : dense) {
            const IValue* value = values.to_dict().find(name);
            if (value == nullptr) continue;
            const Tensor t = value->to_tensor();
            QCOMPARE(t.is_sparse(), name != "plain");
            QVERIFY2(same_elements(t.is_sparse() ? to_dense(t) : t, expected), name.c_str());
        }
        QVERIFY(!coordinate_parts(at(values, "coo").to_tensor()).is_coalesced);
    }

    void refuses_sparse_tensors_that_lie() {
        const std::string file = read_text_file(fixture("checkpoints/sparse_outside.pt"));
        QCOMPARE(error_of([&] { read_checkpoint(scratch_.write("outside.pt", file)); }),
                 "outside.pt: size is inconsistent with indices: for dim 1, size is 2 but found index 2"s);
    }

    void reads_compressed_and_quantised_tensors_and_shows_weights_dense_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("archive") << "checkpoints/special.pt";
        QTest::newRow("stream") << "checkpoints/special_legacy.pth";
    }
    void reads_compressed_and_quantised_tensors_and_shows_weights_dense() {
        QFETCH(QString, file);
        const IValue values = read_checkpoint(fixture(file.toStdString()));
        const Tensor csr = at(at(values, "model"), "csr").to_tensor();
        QVERIFY(is_compressed(csr));
        QCOMPARE(compressed_parts(csr).entries(), 3);
        const Tensor quantised = at(at(values, "model"), "tensor_quint8").to_tensor();
        QVERIFY(is_quantized(quantised));
        QCOMPARE(quantized_parts(quantised).scale, 0.1);
        QCOMPARE(quantized_parts(quantised).zero_point, 30);
        const CheckpointWeights weights = read_checkpoint_weights(fixture(file.toStdString()));
        const NamedTensors dense = read_npz(fixture("checkpoints/special.npz"));
        QCOMPARE(weights.tensors.size(), dense.size());
        for (const auto& [name, tensor] : weights.tensors) {
            const auto expected = std::ranges::find(dense, name, [](const auto& each) { return each.first; });
            QVERIFY2(expected != dense.end() && same_elements(tensor, expected->second), name.c_str());
        }
        const std::string note =
            "'model.tensor_quint8' is a quantised tensor (torch.quint8, torch.per_tensor_affine, scale=0.1, "
            "zero_point=30), shown by the numbers it stands for";
        QVERIFY(std::ranges::find(weights.notes, note) != weights.notes.end());
    }

    void reads_nested_tensors_and_two_elements_a_byte() {
        const IValue values = read_checkpoint(fixture("checkpoints/nested.pt"));
        const Tensor jagged = at(values, "jagged").to_tensor(), strided = at(values, "strided").to_tensor();
        QVERIFY(is_jagged(jagged) && requires_grad(jagged));
        QCOMPARE(elements<float>(detach(jagged_parts(jagged).values)),
                 (std::vector<float>{0, 1, 2, 3, 4, 5, -1, 0, 1}));
        QCOMPARE(elements<std::int64_t>(jagged_parts(jagged).offsets), (std::vector<std::int64_t>{0, 2, 3}));
        QVERIFY(is_strided_nested(strided));
        QCOMPARE(nested_parts(strided).sizes, (std::vector<Dims>{{2, 3}, {3, 1}}));
        const Tensor halves = at(values, "halves").to_tensor();
        QVERIFY(is_quantized(halves));
        QCOMPARE(shown_dtype(halves), std::string_view("quint4x2"));
        QCOMPARE(elements<float>(quantized_parts(halves).elements()), (std::vector<float>{0, 0.5F, 1, 2, -1, 3}));
        const CheckpointWeights weights = read_checkpoint_weights(fixture("checkpoints/nested.pt"));
        QCOMPARE(weights.notes.size(), std::size_t{3});
        QCOMPARE(weights.notes[0],
                 "'jagged' is a nested tensor of 2 constituents, shown by the numbers it stands for"s);
    }

    void says_that_meta_tensors_have_no_elements() {
        QCOMPARE(
            error_of([] { read_checkpoint(fixture("checkpoints/meta.pt")); }),
            "meta.pt: holds a tensor on the device 'meta', which has no elements; save it from a device that has them"s);
    }

    void reads_tensors_of_classes_it_does_not_know_as_tensors_for_the_tree() {
        QCOMPARE(error_of([] { read_checkpoint(fixture("checkpoints/subclass.pt")); }),
                 "subclass.pt: refers to 'somewhere.Mask', which is not supported" + kHint);
        const CheckpointWeights weights = read_checkpoint_weights(fixture("checkpoints/subclass.pt"));
        QCOMPARE(weights.tensors.size(), std::size_t{2});
        QCOMPARE(elements<float>(weights.tensors[1].second), (std::vector<float>{1, 1}));
        QCOMPARE(weights.notes,
                 std::vector<std::string>{"not read, because files do not run code here: somewhere.Mask"});
    }

    void reads_the_oldest_layout() {
        const IValue value = read_checkpoint(fixture("checkpoints/oldest.pth.tar"));
        QCOMPARE(elements<float>(at(value, "weight").to_tensor()), (std::vector<float>{0, 1, 2, 3, 4, 5}));
        QCOMPARE(elements<float>(at(value, "part").to_tensor()), (std::vector<float>{2, 3, 4, 5}));
        QVERIFY(at(value, "part").to_tensor().storage() == at(value, "weight").to_tensor().storage());
        const std::string whole = read_text_file(fixture("checkpoints/oldest.pth.tar"));
        for (std::size_t size = 600; size < 3500; size += 97) {
            QVERIFY(!error_of([&] { read_checkpoint(scratch_.write("short.tar", whole.substr(0, size))); }).empty());
        }
    }

    void names_the_class_it_cannot_make() {
        QCOMPARE(error_of([] { read_checkpoint(fixture("checkpoints/namespace.pt")); }),
                 "namespace.pt: refers to 'argparse.Namespace', which is not supported" + kHint);
    }

    // PyTorch has read these bytes: tests/formats/check_written.py.
    void writes_what_pytorch_reads() {
        if (qEnvironmentVariableIsSet("LOUPE_WRITE_FIXTURES")) {
            write_checkpoint(training_state(), written("state.pt"));
            write_checkpoint(training_state(), written("state_legacy.pth"), {.is_stream = true});
        }
        write_checkpoint(training_state(), scratch_.path("state.pt"));
        QVERIFY(read_text_file(scratch_.path("state.pt")) == read_text_file(written("state.pt")));
        write_checkpoint(training_state(), scratch_.path("state_legacy.pth"), {.is_stream = true});
        QVERIFY(read_text_file(scratch_.path("state_legacy.pth")) == read_text_file(written("state_legacy.pth")));
    }

    void what_was_written_reads_back() {
        for (const bool is_stream : {false, true}) {
            write_checkpoint(training_state(), scratch_.path("w.pt"), {.is_stream = is_stream});
            const IValue value = read_checkpoint(scratch_.path("w.pt"));
            const Tensor weight = at(at(value, "state_dict"), "weight").to_tensor();
            QVERIFY(requires_grad(weight));
            QVERIFY(at(at(value, "state_dict"), "view").to_tensor().storage() == weight.storage());
            QCOMPARE(python_repr(at(value, "history")), std::string("[[1, 'a'], [1, 'a']]"));
            QVERIFY(at(value, "history").to_list().elements[0].is_same(at(value, "history").to_list().elements[1]));
            QCOMPARE(python_repr(at(value, "steps")), std::string("{0: 1, 5: 2}"));
        }
    }

    void refuses_to_write_what_pytorch_could_not_read() {
        const Tensor t = tensor_of<float>({1, 2}, {2});
        const Tensor other = t.shallow_copy();
        other.impl()->dtype = ScalarType::Int32;
        const auto written = [&](const IValue& value) {
            return error_of([&] { write_checkpoint(value, scratch_.path("no.pt")); });
        };
        QCOMPARE(written(list({t, other})),
                 "Cannot save multiple tensors or storages that view the same data as different types"s);
        const auto itself = make_ptr<ListObject>(types::any());
        itself->elements.push_back(IValue(itself));
        QCOMPARE(written(IValue(itself)), ""s);  // as Python's pickles hold it
        itself->elements.clear();
        std::filesystem::remove(scratch_.path("no.pt"));
        IValue deep = list({t});
        for (int i = 0; i < 1001; ++i) deep = list({deep});
        QCOMPARE(written(deep), "Cannot serialize values that nest more than 1000 deep"s);
        QVERIFY(!std::filesystem::exists(scratch_.path("no.pt")));
    }

    void weights_of_a_training_are_found() {
        const CheckpointWeights weights = read_checkpoint_weights(fixture("checkpoints/training.pt"));
        QCOMPARE(weights.part, "model"s);
        const auto arrays = read_npz(fixture("checkpoints/training.npz"));
        QCOMPARE(weights.tensors.size(), arrays.size());
        QVERIFY(std::find(weights.notes.begin(), weights.notes.end(), "epoch: 3") != weights.notes.end());
        // Classes of the program are named, not made.
        const CheckpointWeights named = read_checkpoint_weights(fixture("checkpoints/namespace.pt"));
        QCOMPARE(named.tensors.size(), std::size_t{1});
        QCOMPARE(named.notes.back(), "not read, because files do not run code here: argparse.Namespace"s);
        QVERIFY(error_of([&] {
                    write_checkpoint(dict({{"a", 1}}), scratch_.path("n.pt"));
                    read_checkpoint_weights(scratch_.path("n.pt"));
                }).starts_with("n.pt: no weights: "));
    }

    void modules_are_guessed_from_names_and_shapes() {
        CheckpointWeights weights;
        const auto add = [&](const char* name, std::vector<std::int64_t> sizes) {
            weights.tensors.emplace_back(std::string("module.") + name, zeros(sizes));
        };
        add("conv1.weight", {8, 3, 7, 7});
        add("bn1.weight", {8});
        add("bn1.bias", {8});
        add("bn1.running_mean", {8});
        add("bn1.running_var", {8});
        add("up.weight", {8, 4, 2, 2});
        add("up.bias", {4});
        add("layers.0.self_attn.in_proj_weight", {12, 4});
        add("layers.0.self_attn.out_proj.weight", {4, 4});
        add("layers.0.linear1.weight", {16, 4});
        add("layers.0.linear1.bias", {16});
        add("layers.0.linear2.weight", {4, 16});
        add("layers.0.linear2.bias", {4});
        add("rnn.weight_ih_l0", {20, 3});
        add("rnn.weight_hh_l0", {20, 5});
        add("rnn.weight_ih_l0_reverse", {20, 3});
        add("gru.weight_ih", {15, 3});
        add("gru.weight_hh", {15, 5});
        add("tok_emb.weight", {100, 16});
        add("ln_f.weight", {16});
        add("ln_f.bias", {16});
        add("scale", {3});
        QVERIFY(strip_wrapper_prefix(weights));
        QCOMPARE(weights.notes.back(),
                 "all names began with 'module.', which torch.nn.DataParallel puts there: it was dropped"s);
        const auto tree = guess_module_tree(weights);
        const std::vector<std::pair<const char*, const char*>> expected{{"conv1", "Conv2d"},
                                                                        {"bn1", "BatchNorm2d"},
                                                                        {"up", "ConvTranspose2d"},
                                                                        {"layers", "Sequential"},
                                                                        {"layers.0", "TransformerEncoderLayer"},
                                                                        {"layers.0.self_attn", "MultiheadAttention"},
                                                                        {"layers.0.linear1", "Linear"},
                                                                        {"rnn", "LSTM"},
                                                                        {"gru", "GRUCell"},
                                                                        {"tok_emb", "Embedding"},
                                                                        {"ln_f", "LayerNorm"}};
        for (const auto& [path, name] : expected) QCOMPARE(tree->get_submodule(path)->class_name(), std::string(name));
        QCOMPARE(tree->get_submodule("conv1")->attribute("in_channels").to_int(), std::int64_t{3});
        QCOMPARE(tree->get_submodule("rnn")->attribute("hidden_size").to_int(), std::int64_t{5});
        QVERIFY(tree->get_submodule("conv1")->attribute("guessed").to_string().find("weight 8x3x7x7 without bias") !=
                std::string::npos);
        // All weights are there under their names.
        QCOMPARE(tree->state_dict().size(), weights.tensors.size());
        QCOMPARE(tree->named_buffers().size(), std::size_t{2});
    }

    void a_pickled_module_keeps_its_classes() {
        const CheckpointWeights weights = read_checkpoint_weights(fixture("checkpoints/module.pt"));
        QCOMPARE(weights.tensors.size(), std::size_t{7});
        QVERIFY((weights.classes.at(1) == std::pair{"first"s, "torch.nn.modules.conv.Conv2d"s}));
        QCOMPARE(guess_module_tree(weights)->children().front().first, "first"s);
        const auto tree = guess_module_tree(weights);
        QCOMPARE(tree->class_name(), "Sequential"s);
        QCOMPARE(tree->get_submodule("act")->class_name(), "ReLU"s);
        QCOMPARE(tree->get_submodule("rest.0")->class_name(), "BatchNorm2d"s);
        QVERIFY(tree->get_submodule("rest.0")->attribute("guessed").to_string().starts_with("100 %"));
        QVERIFY(error_of([] {
                    read_checkpoint(fixture("checkpoints/module.pt"));
                }).find("torch.nn.modules.container.Sequential") != std::string::npos);
    }

    void names_that_lead_nowhere_do_no_harm() {
        CheckpointWeights weights;
        const std::array<std::int64_t, 1> one{1};
        for (const std::string& name : {"a..b"s, ""s, "."s, "a"s, "a.b"s, std::string(1000, '.')})
            weights.tensors.emplace_back(name, zeros(one));
        const auto tree = guess_module_tree(weights);
        QCOMPARE(tree->state_dict().size(), std::size_t{1});
        QVERIFY(tree->find_attribute("note1") != nullptr);
    }

    void says_what_is_no_checkpoint() {
        QCOMPARE(error_of([&] { read_checkpoint(scratch_.write("a.txt", "hello")); }),
                 "a.txt: nothing that torch.save writes"s);
        const std::string legacy = read_text_file(fixture("checkpoints/autoencoder_weights_legacy.pth"));
        for (std::size_t size = 15; size < legacy.size(); size += 101) {
            const auto line = error_of([&] { read_checkpoint(scratch_.write("short.pth", legacy.substr(0, size))); });
            QVERIFY2(line.starts_with("short.pth: truncated: "), line.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestCheckpoint)
#include "test_checkpoint.moc"
