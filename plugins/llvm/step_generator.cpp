// SPDX-License-Identifier: Apache-2.0
#include "plugins/llvm/step_generator.h"

#include <cstring>

#include "core/base/error.h"
#include "core/ops/pointwise/kernels.h"

namespace loupe::llvm_fuser {

using llvm::Intrinsic::ID;
using runtime::FusedStep;
using runtime::LoopFamily;
using Inputs = std::vector<llvm::Value*>;

llvm::Type* StepGenerator::memory_type(ScalarType dtype) const {
    switch (dtype) {
        case ScalarType::Float32:
            return b_.getFloatTy();
        case ScalarType::Float64:
            return b_.getDoubleTy();
        case ScalarType::Float16:
            return b_.getHalfTy();
        default:
            return b_.getIntNTy(static_cast<unsigned>(8 * element_size(dtype)));
    }
}

llvm::Type* StepGenerator::register_type(ScalarType dtype) const {
    if (dtype == ScalarType::Float64) return b_.getDoubleTy();
    if (is_floating(dtype)) return b_.getFloatTy();
    return dtype == ScalarType::Bool ? b_.getInt1Ty() : b_.getInt64Ty();
}

llvm::Value* StepGenerator::from_memory(llvm::Value* element, ScalarType dtype) const {
    switch (dtype) {
        case ScalarType::Float32:
        case ScalarType::Float64:
        case ScalarType::Int64:
            return element;
        case ScalarType::Float16:
            return b_.CreateFPExt(element, b_.getFloatTy());
        case ScalarType::BFloat16:
            return b_.CreateBitCast(b_.CreateShl(b_.CreateZExt(element, b_.getInt32Ty()), 16), b_.getFloatTy());
        case ScalarType::Bool:
            return b_.CreateICmpNE(element, b_.getInt8(0));
        case ScalarType::UInt8:
            return b_.CreateZExt(element, b_.getInt64Ty());
        default:
            return b_.CreateSExt(element, b_.getInt64Ty());
    }
}

llvm::Value* StepGenerator::to_memory(llvm::Value* element, ScalarType dtype) const {
    switch (dtype) {
        case ScalarType::Float32:
        case ScalarType::Float64:
        case ScalarType::Int64:
            return element;
        case ScalarType::Float16:
            return b_.CreateFPTrunc(element, b_.getHalfTy());
        case ScalarType::BFloat16:
            return b_.CreateTrunc(b_.CreateLShr(b_.CreateBitCast(element, b_.getInt32Ty()), 16), b_.getInt16Ty());
        case ScalarType::Bool:
            return b_.CreateZExt(element, b_.getInt8Ty());
        default:
            return b_.CreateTrunc(element, memory_type(dtype));
    }
}

// To the nearest, ties to even; NaN is one NaN.
llvm::Value* StepGenerator::round_to_bfloat16(llvm::Value* x) const {
    llvm::Value* bits = b_.CreateBitCast(x, b_.getInt32Ty());
    llvm::Value* odd = b_.CreateAnd(b_.CreateLShr(bits, 16), b_.getInt32(1));
    llvm::Value* rounded =
        b_.CreateAnd(b_.CreateAdd(bits, b_.CreateAdd(odd, b_.getInt32(0x7fff))), b_.getInt32(0xffff0000U));
    return b_.CreateBitCast(pick(is_nan(x), b_.getInt32(0x7fc00000U), rounded), b_.getFloatTy());
}

llvm::Value* StepGenerator::convert(llvm::Value* x, ScalarType from, ScalarType to) const {
    if (from == to) return x;
    if (to == ScalarType::Bool) {
        if (is_floating(from)) return b_.CreateFCmpUNE(x, llvm::ConstantFP::get(x->getType(), 0.0));
        return b_.CreateICmpNE(x, b_.getInt64(0));
    }
    if (is_integral(to)) {
        if (from == ScalarType::Bool) return b_.CreateZExt(x, b_.getInt64Ty());
        return from_memory(to_memory(x, to), to);
    }
    if (from == ScalarType::Bool)
        x = b_.CreateUIToFP(x, to == ScalarType::Float64 ? b_.getDoubleTy() : b_.getFloatTy());
    else if (is_integral(from))
        x = b_.CreateSIToFP(x, to == ScalarType::Float64 ? b_.getDoubleTy() : b_.getFloatTy());
    else if (to == ScalarType::Float64)
        x = b_.CreateFPExt(x, b_.getDoubleTy());
    else if (from == ScalarType::Float64)
        x = b_.CreateFPTrunc(x, b_.getFloatTy());
    if (to == ScalarType::BFloat16) return round_to_bfloat16(x);
    if (to == ScalarType::Float16) return b_.CreateFPExt(b_.CreateFPTrunc(x, b_.getHalfTy()), b_.getFloatTy());
    return x;
}

llvm::Constant* StepGenerator::number(const std::byte* element, ScalarType dtype) const {
    const auto read = [element]<typename T>(T value) {
        std::memcpy(&value, element, sizeof(T));
        return value;
    };
    switch (dtype) {
        case ScalarType::Float32: {
            const llvm::APInt bits(32, read(std::uint32_t{}));
            return llvm::ConstantFP::get(b_.getContext(), llvm::APFloat(llvm::APFloat::IEEEsingle(), bits));
        }
        case ScalarType::Float64: {
            const llvm::APInt bits(64, read(std::uint64_t{}));
            return llvm::ConstantFP::get(b_.getContext(), llvm::APFloat(llvm::APFloat::IEEEdouble(), bits));
        }
        case ScalarType::Float16:
            return llvm::ConstantFP::get(b_.getFloatTy(), static_cast<double>(static_cast<float>(read(Half{}))));
        case ScalarType::BFloat16:
            return llvm::ConstantFP::get(b_.getFloatTy(), static_cast<double>(static_cast<float>(read(BFloat16{}))));
        case ScalarType::Bool:
            return b_.getInt1(read(std::uint8_t{}) != 0);
        case ScalarType::UInt8:
            return b_.getInt64(read(std::uint8_t{}));
        case ScalarType::Int8:
            return llvm::ConstantInt::getSigned(b_.getInt64Ty(), read(std::int8_t{}));
        case ScalarType::Int16:
            return llvm::ConstantInt::getSigned(b_.getInt64Ty(), read(std::int16_t{}));
        case ScalarType::Int32:
            return llvm::ConstantInt::getSigned(b_.getInt64Ty(), read(std::int32_t{}));
        case ScalarType::Int64:
            return llvm::ConstantInt::getSigned(b_.getInt64Ty(), read(std::int64_t{}));
        default:
            throw Error(ErrorKind::Internal, "a number of a dtype that is not compiled");
    }
}

llvm::Value* StepGenerator::param(const FusedStep& step, std::size_t i) const {
    if (step.kind.as == ScalarType::Float32)
        return llvm::ConstantFP::get(b_.getFloatTy(), static_cast<double>(step.params[i].to<float>()));
    if (step.kind.as == ScalarType::Float64)
        return llvm::ConstantFP::get(b_.getDoubleTy(), step.params[i].to<double>());
    return llvm::ConstantInt::getSigned(b_.getInt64Ty(), step.params[i].to<std::int64_t>());
}

// a * b + c, in one rounding where the machine has it, as the engine's loops do.
llvm::Value* StepGenerator::multiply_add(llvm::Value* a, llvm::Value* b, llvm::Value* c) const {
    if (!has_fma_) return b_.CreateFAdd(b_.CreateFMul(a, b), c);
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

llvm::Value* StepGenerator::call(ID function, llvm::Value* x) const { return b_.CreateUnaryIntrinsic(function, x); }

llvm::Value* StepGenerator::unary(const FusedStep& step, const Inputs& inputs) const {
    llvm::Value* x = inputs[0];
    if (!x->getType()->isFloatingPointTy()) return b_.CreateMul(x, x);  // Square only
    llvm::Value* one = llvm::ConstantFP::get(x->getType(), 1.0);
    llvm::Value* zero = llvm::ConstantFP::get(x->getType(), 0.0);
    switch (static_cast<UnaryOp>(step.kind.op)) {
        case UnaryOp::Abs:
            return call(llvm::Intrinsic::fabs, x);
        case UnaryOp::Neg:
            return b_.CreateFNeg(x);
        case UnaryOp::Sign:
            return b_.CreateFSub(pick(b_.CreateFCmpOGT(x, zero), one, zero),
                                 pick(b_.CreateFCmpOLT(x, zero), one, zero));
        case UnaryOp::Reciprocal:
            return b_.CreateFDiv(one, x);
        case UnaryOp::Sqrt:
            return call(llvm::Intrinsic::sqrt, x);
        case UnaryOp::Rsqrt:
            return b_.CreateFDiv(one, call(llvm::Intrinsic::sqrt, x));
        case UnaryOp::Square:
            return b_.CreateFMul(x, x);
        case UnaryOp::Floor:
            return call(llvm::Intrinsic::floor, x);
        case UnaryOp::Ceil:
            return call(llvm::Intrinsic::ceil, x);
        case UnaryOp::Round:
            return call(llvm::Intrinsic::nearbyint, x);
        case UnaryOp::Trunc:
            return call(llvm::Intrinsic::trunc, x);
        default:
            return b_.CreateFSub(x, call(llvm::Intrinsic::trunc, x));  // Frac
    }
}

llvm::Value* StepGenerator::binary(const FusedStep& step, const Inputs& inputs) const {
    llvm::Value* x = inputs[0];
    llvm::Value* y = inputs[1];
    const auto op = static_cast<BinaryOp>(step.kind.op);
    if (!x->getType()->isFloatingPointTy()) {
        switch (op) {
            case BinaryOp::Add:
                return b_.CreateAdd(x, y);
            case BinaryOp::Sub:
                return b_.CreateSub(x, y);
            case BinaryOp::Mul:
                return b_.CreateMul(x, y);
            case BinaryOp::AddScaled:
                return b_.CreateAdd(x, b_.CreateMul(param(step, 0), y));
            case BinaryOp::SubScaled:
                return b_.CreateSub(x, b_.CreateMul(param(step, 0), y));
            case BinaryOp::Maximum:
                return pick(b_.CreateICmpSGT(x, y), x, y);
            case BinaryOp::Minimum:
                return pick(b_.CreateICmpSLT(x, y), x, y);
            case BinaryOp::BitwiseAnd:
                return b_.CreateAnd(x, y);
            case BinaryOp::BitwiseOr:
                return b_.CreateOr(x, y);
            default:
                return b_.CreateXor(x, y);
        }
    }
    switch (op) {
        case BinaryOp::Add:
            return b_.CreateFAdd(x, y);
        case BinaryOp::Sub:
            return b_.CreateFSub(x, y);
        case BinaryOp::Mul:
            return b_.CreateFMul(x, y);
        case BinaryOp::Div:
            return b_.CreateFDiv(x, y);
        case BinaryOp::AddScaled:
            return multiply_add(param(step, 0), y, x);
        case BinaryOp::SubScaled:
            return multiply_add(b_.CreateFNeg(param(step, 0)), y, x);
        case BinaryOp::Maximum:
            return pick(b_.CreateOr(is_nan(x), b_.CreateFCmpOGT(x, y)), x, y);
        case BinaryOp::Minimum:
            return pick(b_.CreateOr(is_nan(x), b_.CreateFCmpOLT(x, y)), x, y);
        case BinaryOp::Fmax:
            return pick(b_.CreateOr(is_nan(y), b_.CreateFCmpOGT(x, y)), x, y);
        default:
            return pick(b_.CreateOr(is_nan(y), b_.CreateFCmpOLT(x, y)), x, y);
    }
}

llvm::Value* StepGenerator::compare(const FusedStep& step, const Inputs& inputs) const {
    llvm::Value* x = inputs[0];
    llvm::Value* y = inputs[1];
    const auto is_set = [&](llvm::Value* v) { return convert(v, step.kind.as, ScalarType::Bool); };
    const auto op = static_cast<CompareOp>(step.kind.op);
    const bool is_float = x->getType()->isFloatingPointTy();
    switch (op) {
        case CompareOp::LogicalAnd:
            return b_.CreateAnd(is_set(x), is_set(y));
        case CompareOp::LogicalOr:
            return b_.CreateOr(is_set(x), is_set(y));
        case CompareOp::LogicalXor:
            return b_.CreateXor(is_set(x), is_set(y));
        case CompareOp::Eq:
            return is_float ? b_.CreateFCmpOEQ(x, y) : b_.CreateICmpEQ(x, y);
        case CompareOp::Ne:
            return is_float ? b_.CreateFCmpUNE(x, y) : b_.CreateICmpNE(x, y);
        case CompareOp::Lt:
            return is_float ? b_.CreateFCmpOLT(x, y) : b_.CreateICmpSLT(x, y);
        case CompareOp::Le:
            return is_float ? b_.CreateFCmpOLE(x, y) : b_.CreateICmpSLE(x, y);
        case CompareOp::Gt:
            return is_float ? b_.CreateFCmpOGT(x, y) : b_.CreateICmpSGT(x, y);
        case CompareOp::Ge:
            return is_float ? b_.CreateFCmpOGE(x, y) : b_.CreateICmpSGE(x, y);
    }
    return nullptr;
}

llvm::Value* StepGenerator::activation(const FusedStep& step, const Inputs& inputs) const {
    llvm::Value* x = inputs.back();
    llvm::Value* g = inputs[0];  // of the gradients
    llvm::Value* one = llvm::ConstantFP::get(x->getType(), 1.0);
    llvm::Value* zero = llvm::ConstantFP::get(x->getType(), 0.0);
    switch (static_cast<ActivationOp>(step.kind.op)) {
        case ActivationOp::Relu:
            return pick(b_.CreateFCmpOLT(x, zero), zero, x);
        case ActivationOp::Hardtanh: {
            llvm::Value* raised = pick(b_.CreateFCmpOLT(x, param(step, 0)), param(step, 0), x);
            return pick(b_.CreateFCmpOGT(raised, param(step, 1)), param(step, 1), raised);
        }
        case ActivationOp::LeakyRelu:
            return pick(b_.CreateFCmpOGT(x, zero), x, b_.CreateFMul(x, param(step, 0)));
        case ActivationOp::Threshold:
            return pick(b_.CreateFCmpOLE(x, param(step, 0)), param(step, 1), x);
        case ActivationOp::HardtanhBackward:
            return pick(b_.CreateOr(b_.CreateFCmpOLE(x, param(step, 0)), b_.CreateFCmpOGE(x, param(step, 1))), zero, g);
        case ActivationOp::LeakyReluBackward:
            return pick(b_.CreateFCmpOGT(x, zero), g, b_.CreateFMul(g, param(step, 0)));
        case ActivationOp::ThresholdBackward:
            return pick(b_.CreateFCmpOLE(x, param(step, 0)), zero, g);
        case ActivationOp::SigmoidBackward:
            return b_.CreateFMul(g, b_.CreateFMul(b_.CreateFSub(one, x), x));
        default:
            return b_.CreateFMul(g, multiply_add(b_.CreateFNeg(x), x, one));  // TanhBackward
    }
}

llvm::Value* StepGenerator::ternary(const FusedStep& step, const Inputs& inputs) const {
    llvm::Value* x = inputs[0];
    llvm::Value* y = inputs[1];
    llvm::Value* z = inputs[2];
    switch (static_cast<TernaryOp>(step.kind.op)) {
        case TernaryOp::Addcmul:
            return multiply_add(b_.CreateFMul(param(step, 0), y), z, x);
        case TernaryOp::Addcdiv:
            return b_.CreateFAdd(x, b_.CreateFDiv(b_.CreateFMul(param(step, 0), y), z));
        case TernaryOp::Lerp: {
            llvm::Value* difference = b_.CreateFSub(y, x);
            llvm::Value* rest = b_.CreateFSub(llvm::ConstantFP::get(x->getType(), 1.0), z);
            llvm::Value* is_near =
                b_.CreateFCmpOLT(call(llvm::Intrinsic::fabs, z), llvm::ConstantFP::get(x->getType(), 0.5));
            return pick(is_near, multiply_add(z, difference, x), multiply_add(b_.CreateFNeg(difference), rest, y));
        }
        case TernaryOp::Clamp: {
            llvm::Value* raised = pick(b_.CreateFCmpOLT(x, y), y, x);
            llvm::Value* bounded = pick(b_.CreateFCmpOGT(raised, z), z, raised);
            return pick(is_nan(x), x, pick(is_nan(y), y, pick(is_nan(z), z, bounded)));
        }
    }
    return nullptr;
}

llvm::Value* StepGenerator::step(const FusedStep& step, const Inputs& inputs) const {
    switch (step.kind.family) {
        case LoopFamily::Unary:
            return unary(step, inputs);
        case LoopFamily::Binary:
            return binary(step, inputs);
        case LoopFamily::Compare:
            return compare(step, inputs);
        case LoopFamily::Activation:
            return activation(step, inputs);
        case LoopFamily::Ternary:
            return ternary(step, inputs);
        case LoopFamily::Where:
            return pick(inputs[0], inputs[1], inputs[2]);
        case LoopFamily::Convert:
            return convert(inputs[0], step.inputs[0].as, step.dtype);
        case LoopFamily::Test:
            if (static_cast<TestOp>(step.kind.op) == TestOp::IsNan) return is_nan(inputs[0]);
            return b_.CreateNot(convert(inputs[0], step.kind.as, ScalarType::Bool));
        default:
            break;
    }
    return nullptr;
}

}  // namespace loupe::llvm_fuser
