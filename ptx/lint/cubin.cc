#include "ptx/lint/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>

namespace assay::ptx {
namespace {

// Attributes of .nv.info by name of nvdisasm: EIATTR_REGCOUNT and
// EIATTR_FRAME_SIZE, each a symbol's number and a value.
constexpr unsigned kRegisterCount = 0x2f;
constexpr unsigned kFrameSize = 0x11;
// How an attribute holds its value: in a block of its own, whose size comes
// first. In the other formats two bytes after the attribute are all.
constexpr unsigned kSizedFormat = 4;

constexpr unsigned kSecondByteVersion = 8;

constexpr std::string_view kText = ".text.";
constexpr std::string_view kShared = ".nv.shared.";
// What ptxas calls the subroutines that it adds.
constexpr std::string_view kInternal = "$__internal_";

struct Fault {
  std::string message;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  Cubin read() {
    const auto header = at<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64) {
      throw Fault{"it is no 64-bit ELF file"};
    }
    if (header.e_machine != EM_CUDA) throw Fault{"it is not for a CUDA device"};
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      sections_.push_back(
          at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    }
    if (header.e_shstrndx >= sections_.size()) throw Fault{"it has no names"};
    names_ = content(sections_[header.e_shstrndx]);
    Cubin cubin;
    // Assemblers before CUDA 12.8, and 12.8 for targets before sm_100, put the
    // target into the lowest byte of the flags; the next version of the
    // format has it in the second (measured; LLVM's ELF.h names both).
    const bool old = header.e_ident[EI_ABIVERSION] < kSecondByteVersion;
    cubin.sm = static_cast<int>(header.e_flags >> (old ? 0 : 8) & 0xff);
    read_symbols();
    read_attributes();
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const std::string name = text(names_, sections_[i].sh_name);
      if (name.starts_with(kText)) {
        cubin.kernels.push_back(kernel(name.substr(kText.size()), i));
      }
    }
    return cubin;
  }

 private:
  struct Symbol {
    std::string name;
    Elf64_Sym entry;
  };

  template <class T>
  T at(std::uint64_t offset, std::string_view from) const {
    T value;
    if (offset > from.size() || from.size() - offset < sizeof value) {
      throw Fault{"it is cut off"};
    }
    std::memcpy(&value, from.data() + offset, sizeof value);
    return value;
  }
  template <class T>
  T at(std::uint64_t offset) const {
    return at<T>(offset, bytes_);
  }

  std::string_view content(const Elf64_Shdr& s) const {
    if (s.sh_type == SHT_NOBITS) return {};
    if (s.sh_offset > bytes_.size() ||
        bytes_.size() - s.sh_offset < s.sh_size) {
      throw Fault{"it is cut off"};
    }
    return bytes_.substr(s.sh_offset, s.sh_size);
  }

  static std::string text(std::string_view table, std::uint64_t offset) {
    const std::size_t end = table.find('\0', offset);
    if (end == std::string_view::npos) throw Fault{"a name does not end"};
    return std::string(table.substr(offset, end - offset));
  }

  void read_symbols() {
    for (const Elf64_Shdr& s : sections_) {
      if (s.sh_type != SHT_SYMTAB || s.sh_link >= sections_.size()) continue;
      const std::string_view table = content(s);
      const std::string_view names = content(sections_[s.sh_link]);
      for (std::uint64_t i = 0; i + sizeof(Elf64_Sym) <= table.size();
           i += sizeof(Elf64_Sym)) {
        const auto entry = at<Elf64_Sym>(i, table);
        symbols_.push_back({text(names, entry.st_name), entry});
      }
      return;
    }
  }

  void read_attributes() {
    for (const Elf64_Shdr& s : sections_) {
      if (text(names_, s.sh_name) != ".nv.info") continue;
      const std::string_view list = content(s);
      for (std::uint64_t i = 0; i < list.size();) {
        const auto format = at<std::uint8_t>(i, list);
        const auto attribute = at<std::uint8_t>(i + 1, list);
        const auto size = at<std::uint16_t>(i + 2, list);
        i += 4;
        if (format != kSizedFormat) continue;
        if (size == 8) {
          const auto symbol = at<std::uint32_t>(i, list);
          if (symbol < symbols_.size()) {
            attributes_[{attribute, symbols_[symbol].name}] =
                at<std::uint32_t>(i + 4, list);
          }
        }
        i += size;
      }
    }
  }

  std::uint32_t attribute(unsigned number, const std::string& kernel) const {
    const auto found = attributes_.find({number, kernel});
    return found == attributes_.end() ? 0 : found->second;
  }

  bool is_internal(std::size_t section, std::uint64_t offset) const {
    return std::any_of(symbols_.begin(), symbols_.end(), [&](const Symbol& s) {
      return s.entry.st_shndx == section && s.name.starts_with(kInternal) &&
             offset >= s.entry.st_value &&
             offset - s.entry.st_value < s.entry.st_size;
    });
  }

  CubinKernel kernel(const std::string& name, std::size_t section) const {
    CubinKernel out;
    out.name = name;
    const std::string_view code = content(sections_[section]);
    for (std::uint64_t i = 0; i + sizeof(SassWord) <= code.size();
         i += sizeof(SassWord)) {
      if (is_internal(section, i)) continue;
      out.code.push_back({at<std::uint64_t>(i, code),
                          at<std::uint64_t>(i + sizeof(std::uint64_t), code)});
    }
    out.registers = attribute(kRegisterCount, name);
    out.local_bytes = attribute(kFrameSize, name);
    for (const Elf64_Shdr& s : sections_) {
      if (text(names_, s.sh_name) == std::string(kShared) + name) {
        out.shared_bytes = s.sh_size;
      }
    }
    return out;
  }

  std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::string_view names_;
  std::vector<Symbol> symbols_;
  std::map<std::pair<unsigned, std::string>, std::uint32_t> attributes_;
};

}  // namespace

Result<Cubin> read_cubin(std::string_view bytes) {
  try {
    return Reader(bytes).read();
  } catch (const Fault& fault) {
    return Error{"the CUBIN cannot be read: " + fault.message};
  }
}

}  // namespace assay::ptx
