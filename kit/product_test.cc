// A product behind the C interface, as a host calls it.
#include "kit/product.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kit/pointwise.h"
#include "kit/testing/calls.h"

namespace assay::kit {
namespace {

using ::testing::ElementsAre;
using testing::handed;
using ::testing::HasSubstr;
using testing::numbers;
using testing::tensor;

// Quotient and remainder; integers are not divided by zero.
Plan divide(const Call& call) {
  const TensorType type = call.operand_types()[0];
  return {{type, type},
          [](const std::vector<View>& in, const std::vector<View>& out) {
            if (in[1].integer(0) == 0) {
              throw Raised{"ZeroDivisionError", "by zero", "divide/E1"};
            }
            for_each_offset<1>(in[0].sizes(), {in[0].type.strides},
                               [&, i = std::int64_t{0}](auto at) mutable {
                                 const auto a = in[0].integer(at[0]);
                                 const auto b = in[1].integer(0);
                                 out[0].set_integer(i, a / b);
                                 out[1].set_integer(i++, a % b);
                               });
          }};
}

const Product kProduct = {
    "sample",
    "0.1",
    "cpu cpu-wide",
    {{"aten.neg.default", of_numbers<1>([](auto x) { return -x; })},
     {"aten.add.Tensor",
      in_common_type<2>([](auto a, auto b) { return a + b; })},
     {"aten.divide.default", divide}}};

class Plugin : public ::testing::Test {
 protected:
  Plugin() : table_(plugin_of(kProduct, ASSAY_PLUGIN_ABI_MAJOR)) {}
  ~Plugin() override {
    if (artifact_ != nullptr) table_->destroy(artifact_);
  }

  AssayCode query(const std::string& lines, const char* target = "cpu") {
    return table_->query(("assay-program 1\n" + lines).c_str(), target,
                         &error_);
  }
  AssayCode compile(const std::string& lines) {
    return table_->compile(("assay-program 1\n" + lines).c_str(), "cpu",
                           nullptr, 0, &artifact_, &error_);
  }
  AssayCode launch(const std::vector<Tensor>& inputs,
                   const std::vector<Tensor>& outputs) {
    std::vector<AssayTensor> in, out;
    for (const Tensor& t : inputs) in.push_back(handed(t));
    for (const Tensor& t : outputs) out.push_back(handed(t));
    return table_->launch(artifact_, in.data(), in.size(), out.data(),
                          out.size(), &error_);
  }

  const AssayPlugin* table_;
  AssayArtifact* artifact_ = nullptr;
  AssayError error_ = {sizeof(AssayError), nullptr, nullptr, nullptr, nullptr};
};

TEST_F(Plugin, SaysWhatItIs) {
  EXPECT_STREQ(table_->name, "sample");
  EXPECT_STREQ(table_->version, "0.1");
  EXPECT_STREQ(table_->targets, "cpu cpu-wide");
  EXPECT_EQ(plugin_of(kProduct, ASSAY_PLUGIN_ABI_MAJOR + 1), nullptr);
}

TEST_F(Plugin, RunsCallsOfInputsConstantsAndEachOther) {
  ASSERT_EQ(compile("%0 = input f32[2, 2] strides[1, 2]\n"
                    "%1 = const f32[2] {0x3f800000, 0x40000000}\n"
                    "%2 = aten.add.Tensor(%0, %1)\n"
                    "%3 = aten.neg.default(%2)\n"
                    "return %3, %2, %0\n"),
            ASSAY_OK)
      << error_.message;
  const Tensor x = tensor({DType::f32, {2, 2}, {1, 2}}, {1, 2, 3, 4});
  const std::vector<Tensor> out = {Tensor::zeros(DType::f32, {2, 2}),
                                   Tensor::zeros(DType::f32, {2, 2}),
                                   Tensor::zeros(DType::f32, {2, 2})};
  ASSERT_EQ(launch({x}, out), ASSAY_OK) << error_.message;
  EXPECT_THAT(numbers(out[0]), ElementsAre(-2, -4, -4, -6));
  EXPECT_THAT(numbers(out[1]), ElementsAre(2, 4, 4, 6));
  EXPECT_THAT(numbers(out[2]), ElementsAre(1, 2, 3, 4));
}

TEST_F(Plugin, HasFurtherOutputs) {
  const std::string head =
      "%0 = input i32[2]\n%1 = input i32[]\n"
      "%2 = aten.divide.default(%0, %1)\n";
  ASSERT_EQ(compile(head + "%3 = getitem(%2, 1)\n"
                           "%4 = aten.neg.default(%3)\nreturn %2, %3, %4\n"),
            ASSAY_OK)
      << error_.message;
  const std::vector<Tensor> out = {Tensor::zeros(DType::i32, {2}),
                                   Tensor::zeros(DType::i32, {2}),
                                   Tensor::zeros(DType::i32, {2})};
  ASSERT_EQ(
      launch({tensor(DType::i32, {2}, {7, 9}), tensor(DType::i32, {}, {4})},
             out),
      ASSAY_OK);
  EXPECT_THAT(numbers(out[0]), ElementsAre(1, 2));
  EXPECT_THAT(numbers(out[1]), ElementsAre(3, 1));
  EXPECT_THAT(numbers(out[2]), ElementsAre(-3, -1));
  EXPECT_EQ(query(head + "%3 = getitem(%2, 2)\nreturn %2, %3\n"),
            ASSAY_UNSUPPORTED);
}

TEST_F(Plugin, RefusesWhereItIsCompiled) {
  const std::string bad =
      "%0 = input bool[1]\n%1 = aten.neg.default(%0)\nreturn %1\n";
  EXPECT_EQ(query(bad), ASSAY_OK);
  ASSERT_EQ(compile(bad), ASSAY_REFUSED);
  EXPECT_STREQ(error_.exception, "RuntimeError");
  EXPECT_THAT(error_.message, HasSubstr("aten.neg.default"));
  EXPECT_EQ(error_.clause, nullptr);
}

TEST_F(Plugin, RefusesValuesWhereItIsLaunched) {
  ASSERT_EQ(compile("%0 = input i32[1]\n%1 = input i32[]\n"
                    "%2 = aten.divide.default(%0, %1)\nreturn %2\n"),
            ASSAY_OK);
  const Tensor one = tensor(DType::i32, {1}, {1});
  EXPECT_EQ(launch({one, tensor(DType::i32, {}, {0})}, {}), ASSAY_REFUSED);
  EXPECT_STREQ(error_.exception, "ZeroDivisionError");
  EXPECT_STREQ(error_.clause, "divide/E1");
  EXPECT_EQ(launch({one, tensor(DType::i32, {}, {1})}, {}), ASSAY_OK);
}

TEST_F(Plugin, DeclaresWhatItDoesNotSupport) {
  // Whatever a call before it does.
  EXPECT_EQ(query("%0 = input bool[1]\n%1 = aten.neg.default(%0)\n"
                  "%2 = aten.exotic.default(%1)\nreturn %2\n"),
            ASSAY_UNSUPPORTED);
  EXPECT_THAT(error_.message, HasSubstr("aten.exotic.default"));
  const std::string neg =
      "%0 = input f32[1]\n%1 = aten.neg.default(%0)\nreturn %1\n";
  EXPECT_EQ(query(neg, "cpu-wide"), ASSAY_OK);
  EXPECT_EQ(query(neg, "cuda"), ASSAY_UNSUPPORTED);
  EXPECT_EQ(table_->query(("assay-program 1 device 1\n" + neg).c_str(), "cpu",
                          &error_),
            ASSAY_UNSUPPORTED);
}

TEST_F(Plugin, TellsItsOwnFaultsApart) {
  EXPECT_EQ(query("%0 = nonsense\n"), ASSAY_INTERNAL);
  EXPECT_THAT(error_.message, HasSubstr("line 2"));
  const std::string neg =
      "%0 = input f32[1]\n%1 = aten.neg.default(%0)\nreturn %1\n";
  const AssayOption option = {"fast", "1"};
  EXPECT_EQ(table_->compile(("assay-program 1\n" + neg).c_str(), "cpu", &option,
                            1, &artifact_, &error_),
            ASSAY_INTERNAL);
  EXPECT_THAT(error_.message, HasSubstr("fast"));
  ASSERT_EQ(compile(neg), ASSAY_OK);
  const Tensor good = tensor(DType::f32, {1}, {1});
  const Tensor other = tensor(DType::f64, {1}, {1});
  EXPECT_EQ(launch({other}, {good}), ASSAY_INTERNAL);
  EXPECT_THAT(error_.message, HasSubstr("f64[1]"));
  EXPECT_EQ(launch({good}, {other}), ASSAY_INTERNAL);
  EXPECT_EQ(launch({good, good}, {good}), ASSAY_INTERNAL);
}

TEST_F(Plugin, WritesNoFieldThatAnOlderHostDoesNotHave) {
  error_.struct_size = offsetof(AssayError, message);
  error_.message = "kept";
  EXPECT_EQ(query("%0 = nonsense\n"), ASSAY_INTERNAL);
  EXPECT_STREQ(error_.message, "kept");
}

}  // namespace
}  // namespace assay::kit
