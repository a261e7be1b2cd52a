#include "harness/records/identity.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/utsname.h>

#include <cstring>
#include <ctime>
#include <fstream>
#include <set>
#include <sstream>

namespace assay::harness {
namespace {

using nlohmann::ordered_json;

// Extensions that change which code a numeric library or compiler chooses.
bool is_numeric(const std::string& flag) {
  static const std::set<std::string> kExact = {"fma",  "f16c",  "sse4_2",
                                               "bmi2", "asimd", "asimdhp",
                                               "sve",  "sve2",  "bf16"};
  return kExact.count(flag) != 0 || flag.rfind("avx", 0) == 0 ||
         flag.rfind("amx", 0) == 0;
}

// The program's own GNU build-id note: the first object that is visited.
int find_build_id(dl_phdr_info* info, std::size_t, void* out) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* at =
        reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* description = name + ((note.n_namesz + 3u) & ~3u);
      at = description + ((note.n_descsz + 3u) & ~3u);
      if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
          std::memcmp(name, "GNU", 4) != 0) {
        continue;
      }
      auto* text = static_cast<std::string*>(out);
      for (unsigned b = 0; b < note.n_descsz; ++b) {
        *text +=
            fmt::format("{:02x}", static_cast<unsigned char>(description[b]));
      }
      return 1;
    }
  }
  return 1;
}

}  // namespace

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string program_version() { return ASSAY_VERSION; }

std::string build_id() {
  std::string id;
  ::dl_iterate_phdr(find_build_id, &id);
  return id.empty() ? "unknown" : id;
}

CpuIdentity cpu_identity() {
  CpuIdentity out;
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    const bool flags =
        line.rfind("flags", 0) == 0 || line.rfind("Features", 0) == 0;
    if (line.rfind("model name", 0) == 0 && out.model.empty()) {
      out.model = value;
    } else if (flags && out.flags.empty()) {
      std::istringstream words(value);
      for (std::string flag; words >> flag;) {
        if (!is_numeric(flag)) continue;
        out.flags += out.flags.empty() ? flag : " " + flag;
      }
    }
  }
  utsname system{};
  if (out.model.empty() && ::uname(&system) == 0) out.model = system.machine;
  return out;
}

ordered_json make_header(const HeaderFacts& facts) {
  const CpuIdentity cpu = cpu_identity();
  ordered_json columns = ordered_json::array();
  for (const HeaderColumn& c : facts.columns) {
    columns.push_back({{"column", c.identity.column},
                       {"subject", c.spelling},
                       {"facts", c.identity.facts}});
  }
  return {{"program", program_version()},
          {"build", build_id()},
          {"spec_hash", fmt::format("{:016x}", facts.spec_hash)},
          {"profile", facts.profile},
          {"numerics", facts.numerics},
          {"filters", facts.filters},
          {"cases", facts.cases},
          {"cpu", cpu.model},
          {"cpu_flags", cpu.flags},
          {"columns", columns},
          {"jobs", facts.jobs},
          {"started", now_utc()}};
}

}  // namespace assay::harness
