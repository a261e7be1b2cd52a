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

// A file of one section, which holds the names.
std::string empty_cubin(unsigned char version, std::uint32_t flags) {
  std::string bytes = header(EM_CUDA, 1);
  Elf64_Ehdr h{};
  std::memcpy(&h, bytes.data(), sizeof h);
  h.e_ident[EI_ABIVERSION] = version;
  h.e_flags = flags;
  std::memcpy(bytes.data(), &h, sizeof h);
  Elf64_Shdr names{};
  names.sh_type = SHT_STRTAB;
  names.sh_offset = sizeof h + sizeof names;
  names.sh_size = 1;
  std::string section(sizeof names, '\0');
  std::memcpy(section.data(), &names, sizeof names);
  return bytes + section + '\0';
}

// Flags as ptxas 12.8 and 13.0 wrote them.
TEST(Cubin, ReadsTheTargetOfBothVersions) {
  EXPECT_EQ(read_cubin(empty_cubin(7, 0x00500550))->sm, 80);
  EXPECT_EQ(read_cubin(empty_cubin(8, 0x06005004))->sm, 80);
  EXPECT_EQ(read_cubin(empty_cubin(8, 0x0900640a))->sm, 100);
  EXPECT_EQ(read_cubin(empty_cubin(8, 0x06007802))->sm, 120);
}

}  // namespace
}  // namespace assay::ptx
