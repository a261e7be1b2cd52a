// Files that are no CUBIN; those that are one: build_test.cc.
#include "ptx/lint/cubin.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace assay::ptx {
namespace {

using ::testing::HasSubstr;

std::string header(std::uint16_t machine, std::uint16_t sections = 0) {
  Elf64_Ehdr h{};
  std::memcpy(h.e_ident, ELFMAG, SELFMAG);
  h.e_ident[EI_CLASS] = ELFCLASS64;
  h.e_machine = machine;
  h.e_shoff = sizeof h;
  h.e_shnum = sections;
  std::string bytes(sizeof h, '\0');
  std::memcpy(bytes.data(), &h, sizeof h);
  return bytes;
}

std::string why(const std::string& bytes) {
  const auto cubin = read_cubin(bytes);
  return cubin.ok() ? "" : cubin.error().message;
}

TEST(Cubin, RefusesOtherFiles) {
  EXPECT_THAT(why(""), HasSubstr("cut off"));
  EXPECT_THAT(why(std::string(100, 'x')), HasSubstr("no 64-bit ELF file"));
  EXPECT_THAT(why(header(EM_X86_64)), HasSubstr("not for a CUDA device"));
  EXPECT_THAT(why(header(EM_CUDA, 3)), HasSubstr("cut off"));
  EXPECT_THAT(why(header(EM_CUDA)), HasSubstr("no names"));
}

}  // namespace
}  // namespace assay::ptx
