// The numbers of the SPIR-V specification (unified, 1.6) that this library reads or writes, under the
// specification's names. Everything else passes through as it is.
#pragma once

#include <cstdint>

namespace spirv {

inline constexpr std::uint32_t kMagic = 0x07230203;
inline constexpr std::size_t kHeaderWords = 5;

// Section 3.3.
enum class Op : std::uint16_t {
  Source = 3,
  Name = 5,
  MemberName = 6,
  Extension = 10,
  ExtInstImport = 11,
  EntryPoint = 15,
  ExecutionMode = 16,
  Capability = 17,
  TypeVoid = 19,
  TypeBool = 20,
  TypeInt = 21,
  TypeFloat = 22,
  TypeVector = 23,
  TypeMatrix = 24,
  TypeImage = 25,
  TypeSampler = 26,
  TypeSampledImage = 27,
  TypeArray = 28,
  TypeRuntimeArray = 29,
  TypeStruct = 30,
  TypeOpaque = 31,
  TypePointer = 32,
  TypeFunction = 33,
  ConstantTrue = 41,
  ConstantFalse = 42,
  Constant = 43,
  ConstantComposite = 44,
  ConstantSampler = 45,
  ConstantNull = 46,
  SpecConstantTrue = 48,
  SpecConstantFalse = 49,
  SpecConstant = 50,
  SpecConstantComposite = 51,
  SpecConstantOp = 52,
  Function = 54,
  FunctionEnd = 56,
  FunctionCall = 57,
  Variable = 59,
  Load = 61,
  CopyMemory = 63,
  CopyMemorySized = 64,
  Decorate = 71,
  MemberDecorate = 72,
  DecorationGroup = 73,
  GroupDecorate = 74,
  GroupMemberDecorate = 75,
  VectorShuffle = 79,
  CompositeConstruct = 80,
  CompositeExtract = 81,
  CompositeInsert = 82,
  SampledImage = 86,
  UConvert = 113,
  SConvert = 114,
  FConvert = 115,
  Bitcast = 124,
  SNegate = 126,
  IAdd = 128,
  ISub = 130,
  IMul = 132,
  UDiv = 134,
  SDiv = 135,
  UMod = 137,
  SRem = 138,
  SMod = 139,
  LogicalEqual = 164,
  LogicalNotEqual = 165,
  LogicalOr = 166,
  LogicalAnd = 167,
  LogicalNot = 168,
  Select = 169,
  IEqual = 170,
  INotEqual = 171,
  UGreaterThan = 172,
  SGreaterThan = 173,
  UGreaterThanEqual = 174,
  SGreaterThanEqual = 175,
  ULessThan = 176,
  SLessThan = 177,
  ULessThanEqual = 178,
  SLessThanEqual = 179,
  ShiftRightLogical = 194,
  ShiftRightArithmetic = 195,
  ShiftLeftLogical = 196,
  BitwiseOr = 197,
  BitwiseXor = 198,
  BitwiseAnd = 199,
  Not = 200,
  Phi = 245,
  LoopMerge = 246,
  SelectionMerge = 247,
  Label = 248,
  Branch = 249,  // this and all up to Unreachable end a block
  BranchConditional = 250,
  Switch = 251,
  Unreachable = 255,
  ExecutionModeId = 331,
  DecorateId = 332,
  TerminateInvocation = 4416,
  TypeCooperativeMatrixKHR = 4456,
  CooperativeMatrixLoadKHR = 4457,
  CooperativeMatrixStoreKHR = 4458,
  CooperativeMatrixMulAddKHR = 4459,
  CooperativeMatrixLengthKHR = 4460,
};

// The execution model of compute kernels.
inline constexpr std::uint32_t kExecutionModelGLCompute = 5;

inline constexpr std::uint32_t kCapabilityCooperativeMatrixKHR = 6022;

// Dimensions of images, section 3.8.
inline constexpr std::uint32_t kDim2D = 1;
inline constexpr std::uint32_t kDim3D = 2;
inline constexpr std::uint32_t kDimBuffer = 5;

enum class ExecutionMode : std::uint32_t { LocalSize = 17, LocalSizeId = 38 };

enum class Decoration : std::uint32_t {
  SpecId = 1,
  Block = 2,
  BufferBlock = 3,
  RowMajor = 4,
  ArrayStride = 6,
  MatrixStride = 7,
  BuiltIn = 11,
  NonWritable = 24,
  NonReadable = 25,
  Binding = 33,
  DescriptorSet = 34,
  Offset = 35,
};

inline constexpr std::uint32_t kBuiltInWorkgroupSize = 25;

enum class StorageClass : std::uint32_t {
  UniformConstant = 0,
  Uniform = 2,
  Workgroup = 4,
  Private = 6,
  Function = 7,
  PushConstant = 9,
  StorageBuffer = 12,
};

}  // namespace spirv
