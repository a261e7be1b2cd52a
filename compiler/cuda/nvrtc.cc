#include "compiler/cuda/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace assay::compiler {
namespace {

// The functions, as nvrtc.h declares them since CUDA 11.2.
struct Table {
  using Program = void*;
  const char* (*nvrtcGetErrorString)(int) = nullptr;
  int (*nvrtcVersion)(int*, int*) = nullptr;
  int (*nvrtcGetNumSupportedArchs)(int*) = nullptr;
  int (*nvrtcGetSupportedArchs)(int*) = nullptr;
  int (*nvrtcCreateProgram)(Program*, const char*, const char*, int,
                            const char* const*, const char* const*) = nullptr;
  int (*nvrtcDestroyProgram)(Program*) = nullptr;
  int (*nvrtcCompileProgram)(Program, int, const char* const*) = nullptr;
  int (*nvrtcGetPTXSize)(Program, std::size_t*) = nullptr;
  int (*nvrtcGetPTX)(Program, char*) = nullptr;
  int (*nvrtcGetCUBINSize)(Program, std::size_t*) = nullptr;
  int (*nvrtcGetCUBIN)(Program, char*) = nullptr;
  int (*nvrtcGetProgramLogSize)(Program, std::size_t*) = nullptr;
  int (*nvrtcGetProgramLog)(Program, char*) = nullptr;
};

class Loaded : public Nvrtc {
 public:
  explicit Loaded(const Table& table) : f_(table) {}

  std::string version() const override {
    int major = 0;
    int minor = 0;
    f_.nvrtcVersion(&major, &minor);
    return fmt::format("{}.{}", major, minor);
  }

  Result<std::vector<int>> architectures() const override {
    int count = 0;
    int code = f_.nvrtcGetNumSupportedArchs(&count);
    std::vector<int> all(static_cast<std::size_t>(count));
    if (code == 0) code = f_.nvrtcGetSupportedArchs(all.data());
    if (code != 0) return failed("nvrtcGetSupportedArchs", code);
    return all;
  }

  Result<std::string> compile(const std::string& text,
                              const std::vector<std::string>& options,
                              Form form) const override {
    Table::Program program = nullptr;
    int code = f_.nvrtcCreateProgram(&program, text.c_str(), "kernels.cu", 0,
                                     nullptr, nullptr);
    if (code != 0) return failed("nvrtcCreateProgram", code);
    std::vector<const char*> list;
    for (const std::string& o : options) list.push_back(o.c_str());
    code = f_.nvrtcCompileProgram(program, static_cast<int>(list.size()),
                                  list.data());
    Result<std::string> made =
        code != 0 ? Result<std::string>(refused(program, code))
        : form == Form::ptx
            ? read(program, f_.nvrtcGetPTXSize, f_.nvrtcGetPTX)
            : read(program, f_.nvrtcGetCUBINSize, f_.nvrtcGetCUBIN);
    f_.nvrtcDestroyProgram(&program);
    // The text is a C string; its end is not a part of it.
    if (made.ok() && form == Form::ptx && made->ends_with('\0')) {
      made->pop_back();
    }
    return made;
  }

 private:
  using Size = int (*)(Table::Program, std::size_t*);
  using Get = int (*)(Table::Program, char*);

  Error failed(const char* function, int code) const {
    return Error{fmt::format("{}: {}", function, f_.nvrtcGetErrorString(code))};
  }

  Result<std::string> read(Table::Program program, Size size, Get get) const {
    std::size_t bytes = 0;
    int code = size(program, &bytes);
    std::string out(bytes, '\0');
    if (code == 0) code = get(program, out.data());
    if (code != 0) return failed("NVRTC has no result", code);
    return out;
  }

  Error refused(Table::Program program, int code) const {
    const Result<std::string> log =
        read(program, f_.nvrtcGetProgramLogSize, f_.nvrtcGetProgramLog);
    return Error{fmt::format("NVRTC {} does not compile the text: {}\n{}",
                             version(), f_.nvrtcGetErrorString(code),
                             log.ok() ? *log : "")};
  }

  Table f_;
};

template <class Function>
bool bind(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

}  // namespace

Result<std::unique_ptr<Nvrtc>> Nvrtc::load(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{fmt::format("cannot load NVRTC: {}", dlerror())};
  }
  Table t;
#define ASSAY_BIND(NAME)                                                 \
  if (!bind(library, #NAME, &t.NAME)) {                                  \
    return Error{path + " lacks " #NAME ": NVRTC 11.2 or later is due"}; \
  }
  ASSAY_BIND(nvrtcGetErrorString)
  ASSAY_BIND(nvrtcVersion)
  ASSAY_BIND(nvrtcGetNumSupportedArchs)
  ASSAY_BIND(nvrtcGetSupportedArchs)
  ASSAY_BIND(nvrtcCreateProgram)
  ASSAY_BIND(nvrtcDestroyProgram)
  ASSAY_BIND(nvrtcCompileProgram)
  ASSAY_BIND(nvrtcGetPTXSize)
  ASSAY_BIND(nvrtcGetPTX)
  ASSAY_BIND(nvrtcGetCUBINSize)
  ASSAY_BIND(nvrtcGetCUBIN)
  ASSAY_BIND(nvrtcGetProgramLogSize)
  ASSAY_BIND(nvrtcGetProgramLog)
#undef ASSAY_BIND
  return std::unique_ptr<Nvrtc>(std::make_unique<Loaded>(t));
}

}  // namespace assay::compiler
