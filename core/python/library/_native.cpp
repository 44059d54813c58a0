// SPDX-License-Identifier: Apache-2.0
// What modules in Python ask of C++: digests, tracebacks, random bytes. MD5 as in RFC 1321, SHA-1 and SHA-2 as in FIPS
// 180-4.
#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "core/base/strings.h"
#include "core/nn/module.h"
#include "core/nn/weak_module.h"
#include "core/python/language/arguments.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/library/standard_modules.h"
#include "core/runtime/interpreter/curve.h"
#include "core/tensor/half.h"

namespace loupe::python {
namespace {

// The message with a one bit, zeros and its length in bits, in whole blocks.
std::string padded(const std::string& message, std::size_t block, bool is_little) {
    std::string out = message + '\x80';
    const std::size_t length_bytes = block / 8;
    while (out.size() % block != block - length_bytes) out += '\0';
    const std::uint64_t bits = static_cast<std::uint64_t>(message.size()) * 8;
    for (std::size_t i = 0; i < length_bytes; ++i) {
        const std::size_t place = is_little ? i : length_bytes - 1 - i;
        out += place < 8 ? static_cast<char>((bits >> (8 * place)) & 0xff) : '\0';
    }
    return out;
}

template <typename Word>
Word read_word(const std::string& text, std::size_t at, bool is_little) {
    Word out = 0;
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
        const std::size_t place = is_little ? sizeof(Word) - 1 - i : i;
        out = static_cast<Word>(out << 8U) | static_cast<Word>(static_cast<unsigned char>(text[at + place]));
    }
    return out;
}

template <typename Word, std::size_t N>
std::string written(const std::array<Word, N>& words, bool is_little) {
    std::string out;
    for (const Word word : words) {
        for (std::size_t i = 0; i < sizeof(Word); ++i) {
            const std::size_t place = is_little ? i : sizeof(Word) - 1 - i;
            out += static_cast<char>((word >> (8 * place)) & 0xff);
        }
    }
    return out;
}

std::string md5(const std::string& message) {
    constexpr std::array<std::array<int, 4>, 4> kTurns = {
        {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
    std::array<std::uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const std::string text = padded(message, 64, true);
    for (std::size_t block = 0; block < text.size(); block += 64) {
        auto [a, b, c, d] = state;
        for (std::uint32_t i = 0; i < 64; ++i) {
            const std::uint32_t round = i / 16;
            const std::uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                                        : round == 1 ? (d & b) | (~d & c)
                                        : round == 2 ? b ^ c ^ d
                                                     : c ^ (b | ~d);
            const std::uint32_t word = round == 0   ? i
                                       : round == 1 ? (5 * i + 1) % 16
                                       : round == 2 ? (3 * i + 5) % 16
                                                    : (7 * i) % 16;
            const auto constant =
                static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(static_cast<double>(i) + 1)) * 0x1p32));
            const std::uint32_t sum = mixed + a + constant + read_word<std::uint32_t>(text, block + word * 4, true);
            a = d;
            d = c;
            c = b;
            b += std::rotl(sum, kTurns[round][i % 4]);
        }
        state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
    }
    return written(state, true);
}

std::string sha1(const std::string& message) {
    std::array<std::uint32_t, 5> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    const std::string text = padded(message, 64, false);
    for (std::size_t block = 0; block < text.size(); block += 64) {
        std::array<std::uint32_t, 80> w{};
        for (std::size_t i = 0; i < 80; ++i) {
            w[i] = i < 16 ? read_word<std::uint32_t>(text, block + i * 4, false)
                          : std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
        }
        auto [a, b, c, d, e] = state;
        for (std::size_t i = 0; i < 80; ++i) {
            const std::uint32_t mixed = i < 20              ? (b & c) | (~b & d)
                                        : i < 40 || i >= 60 ? b ^ c ^ d
                                                            : (b & c) | (b & d) | (c & d);
            const std::uint32_t constant = i < 20 ? 0x5a827999 : i < 40 ? 0x6ed9eba1 : i < 60 ? 0x8f1bbcdc : 0xca62c1d6;
            const std::uint32_t next = std::rotl(a, 5) + mixed + e + constant + w[i];
            e = d;
            d = c;
            c = std::rotl(b, 30);
            b = a;
            a = next;
        }
        state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
    }
    return written(state, false);
}

// The first 64 bits behind the point of the cube roots of the first 80 primes; SHA-256 takes the upper halves.
constexpr std::array<std::uint64_t, 80> kRoots = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

struct Turns {
    int a, b, c;
};

// state: of eight words; the turns of FIPS 180-4's Σ0, Σ1, σ0, σ1, the last of σ being a shift.
template <typename Word, std::size_t kRounds>
std::array<Word, 8> sha2(const std::string& message, std::array<Word, 8> state, const std::array<Turns, 4>& turns) {
    constexpr std::size_t kBlock = sizeof(Word) * 16;
    const auto big = [](Word x, const Turns& t) { return std::rotr(x, t.a) ^ std::rotr(x, t.b) ^ std::rotr(x, t.c); };
    const auto small = [](Word x, const Turns& t) {
        return std::rotr(x, t.a) ^ std::rotr(x, t.b) ^ (x >> static_cast<unsigned>(t.c));
    };
    const std::string text = padded(message, kBlock, false);
    for (std::size_t block = 0; block < text.size(); block += kBlock) {
        std::array<Word, kRounds> w{};
        for (std::size_t i = 0; i < kRounds; ++i) {
            w[i] = i < 16 ? read_word<Word>(text, block + i * sizeof(Word), false)
                          : small(w[i - 2], turns[3]) + w[i - 7] + small(w[i - 15], turns[2]) + w[i - 16];
        }
        auto [a, b, c, d, e, f, g, h] = state;
        for (std::size_t i = 0; i < kRounds; ++i) {
            const Word first = h + big(e, turns[1]) + ((e & f) ^ (~e & g)) +
                               static_cast<Word>(kRoots[i] >> (64 - sizeof(Word) * 8)) + w[i];
            const Word second = big(a, turns[0]) + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = d + first;
            d = c;
            c = b;
            b = a;
            a = first + second;
        }
        const std::array<Word, 8> now = {a, b, c, d, e, f, g, h};
        for (std::size_t i = 0; i < 8; ++i) state[i] += now[i];
    }
    return state;
}

constexpr std::array<Turns, 4> kTurns32 = {{{2, 13, 22}, {6, 11, 25}, {7, 18, 3}, {17, 19, 10}}};
constexpr std::array<Turns, 4> kTurns64 = {{{28, 34, 39}, {14, 18, 41}, {1, 8, 7}, {19, 61, 6}}};
constexpr std::array<std::uint32_t, 8> kSha256 = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
constexpr std::array<std::uint32_t, 8> kSha224 = {0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
                                                  0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4};
constexpr std::array<std::uint64_t, 8> kSha512 = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                                  0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                                  0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
constexpr std::array<std::uint64_t, 8> kSha384 = {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17,
                                                  0x152fecd8f70e5939, 0x67332667ffc00b31, 0x8eb44a8768581511,
                                                  0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4};

IValue digest(CallArguments arguments) {
    check_positional(arguments, "digest", 2, 2);
    const std::string name = str(arguments.positional[0]);
    const auto* bytes = object_as<BytesObject>(arguments.positional[1]);
    if (bytes == nullptr) throw_type_error("a bytes-like object is required");
    const std::string& data = bytes->data;
    if (name == "md5") return make_bytes(md5(data));
    if (name == "sha1") return make_bytes(sha1(data));
    if (name == "sha256") return make_bytes(written(sha2<std::uint32_t, 64>(data, kSha256, kTurns32), false));
    if (name == "sha224")
        return make_bytes(written(sha2<std::uint32_t, 64>(data, kSha224, kTurns32), false).substr(0, 28));
    if (name == "sha512") return make_bytes(written(sha2<std::uint64_t, 80>(data, kSha512, kTurns64), false));
    if (name == "sha384")
        return make_bytes(written(sha2<std::uint64_t, 80>(data, kSha384, kTurns64), false).substr(0, 48));
    throw_value_error(concat("unsupported hash type ", name));
}

IValue random_bytes(CallArguments arguments) {
    check_positional(arguments, "urandom", 1, 1);
    const std::int64_t count = to_index(arguments.positional[0]);
    if (count < 0) throw_value_error("negative argument not allowed");
    check_size(count, 1);
    std::random_device device;
    std::string out;
    for (std::int64_t i = 0; i < count; ++i) out += static_cast<char>(device() & 0xffU);
    return make_bytes(std::move(out));
}

// "Traceback (most recent call last): ..." of an exception that was raised.
IValue format_exception(CallArguments arguments) {
    check_positional(arguments, "format_exception", 1, 1);
    auto* exception = object_as<ExceptionObject>(arguments.positional[0]);
    if (exception == nullptr) throw_type_error("expected an exception");
    return IValue(PythonError(Ptr<ExceptionObject>(exception)).traceback());
}

// The module of that name, or None.
IValue find_module(CallArguments arguments) {
    check_positional(arguments, "find_module", 1, 1);
    Evaluator& evaluator = *Evaluator::current();
    return evaluator.state().find_module(evaluator, str(arguments.positional[0])).value_or(IValue());
}

// May a module of that name be imported? It is not loaded.
IValue has_module(CallArguments arguments) {
    check_positional(arguments, "has_module", 1, 1);
    Evaluator::State& state = Evaluator::current()->state();
    const std::string name = str(arguments.positional[0]);
    return state.published_modules->find(IValue(name)) != nullptr || state.library.find(name) != nullptr ||
           state.find_file(name).has_value();
}

// A function that gives the object back as long as something else keeps it. Objects that are neither modules nor
// instances of a class of the program are kept.
IValue weak_reference(CallArguments arguments) {
    check_positional(arguments, "weak_reference", 1, 1);
    const IValue object = arguments.positional[0];
    auto* instance = object_as<Instance>(object);
    if (const nn::ModulePtr module = nn::as_module(object)) {
        return IValue::other(
            make_ptr<NativeCallable>("weak_reference", [weak = nn::weak_reference(*module)](const CallArguments&) {
                return *weak == nullptr ? IValue() : IValue(Ptr<Object>(*weak));
            }));
    }
    if (instance == nullptr) {
        return IValue::other(
            make_ptr<NativeCallable>("weak_reference", [object](const CallArguments&) { return object; }));
    }
    return IValue::other(
        make_ptr<NativeCallable>("weak_reference", [weak = instance->weak_reference()](const CallArguments&) {
            return *weak == nullptr ? IValue() : IValue::other(Ptr<RefCounted>(*weak));
        }));
}

bool is_one_object(const IValue& a, const IValue& b) {
    if (const nn::ModulePtr module = nn::as_module(a)) return module == nn::as_module(b);
    return a.is_other() && b.is_other() && a.object_pointer() == b.object_pointer();
}

// The arguments of the calls of that name under way that share the innermost one's first argument: of __init__ of an
// object's class and its bases. Those of the outermost count.
IValue caller_locals(CallArguments arguments) {
    check_positional(arguments, "caller_locals", 1, 1);
    const std::string wanted = str(arguments.positional[0]);
    auto found = make_dict();
    std::optional<IValue> object;
    for (const Frame* frame = thread_state().top; frame != nullptr; frame = frame->caller) {
        if (frame->code.name != wanted || frame->code.params.empty()) continue;
        const auto own = find_local(*frame, frame->code.params.front().name);
        if (!own || (object && !is_one_object(*own, *object))) continue;
        object = own;
        for (std::size_t i = 1; i < frame->code.params.size(); ++i) {
            const auto value = find_local(*frame, frame->code.params[i].name);
            if (!value || i == frame->code.rest) continue;
            if (i != frame->code.keyword_rest) {
                found->set(IValue(std::string(frame->code.params[i].name)), *value);
            } else {
                for (const auto& [name, each] : value->to_dict().entries()) found->set(name, each);
            }
        }
    }
    return IValue(found);
}

// report_curve(tag, values, step or None)
IValue report_curve(CallArguments arguments) {
    check_positional(arguments, "report_curve", 3, 3);
    runtime::CurvePoint point;
    point.tag = str(arguments.positional[0]);
    for (const IValue& value : to_vector(arguments.positional[1])) point.values.push_back(to_float(value));
    if (!arguments.positional[2].is_none()) point.step = to_index(arguments.positional[2]);
    runtime::report_curve(point);
    return {};
}

// The IEEE 754 number of 2, 4 or 8 bytes as an int.
IValue float_bits(CallArguments arguments) {
    check_positional(arguments, "float_bits", 2, 2);
    const double value = to_float(arguments.positional[0]);
    switch (to_index(arguments.positional[1])) {
        case 2: {
            const Half half(static_cast<float>(value));
            if (std::isinf(static_cast<float>(half)) && !std::isinf(value))
                throw_error("OverflowError", "float too large to pack with e format");
            return static_cast<std::int64_t>(half.bits);
        }
        case 4: {
            const auto single = static_cast<float>(value);
            if (std::isinf(single) && !std::isinf(value))
                throw_error("OverflowError", "float too large to pack with f format");
            return static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(single));
        }
        default:
            return integer_of_unsigned(std::bit_cast<std::uint64_t>(value));
    }
}

IValue float_of_bits(CallArguments arguments) {
    check_positional(arguments, "float_of_bits", 2, 2);
    const std::uint64_t bits = integer_to_unsigned(arguments.positional[0]).value_or(0);
    switch (to_index(arguments.positional[1])) {
        case 2: {
            Half half;
            half.bits = static_cast<std::uint16_t>(bits);
            return static_cast<double>(static_cast<float>(half));
        }
        case 4:
            return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        default:
            return std::bit_cast<double>(bits);
    }
}

}  // namespace

void fill_native(PythonModule& module) {
    module.define("digest", digest);
    module.define("find_module", find_module);
    module.define("has_module", has_module);
    module.define("weak_reference", weak_reference);
    module.define("caller_locals", caller_locals);
    module.define("report_curve", report_curve);
    module.define("float_bits", float_bits);
    module.define("float_of_bits", float_of_bits);
    module.define("urandom", random_bytes);
    module.define("format_exception", format_exception);
}

}  // namespace loupe::python
