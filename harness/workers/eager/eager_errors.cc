#include "harness/workers/eager/eager_errors.h"

#include <c10/util/Exception.h>

#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::harness::worker {
namespace {

using Classes = std::vector<std::string>;

// The class first, then its bases: what type(e).__mro__ shows in Python.
Classes bases_of(const std::string& name) {
  Classes out = {name};
  if (name == "IndexError") out.push_back("LookupError");
  if (name == "NotImplementedError" || name == "LinAlgError" ||
      name == "OutOfMemoryError") {
    out.push_back("RuntimeError");
  }
  out.insert(out.end(), {"Exception", "BaseException"});
  return out;
}

Failure as_python(const std::string& name, std::string message) {
  return {"refused", std::move(message), name, bases_of(name)};
}

// The CPU allocator reports with a plain Error, so the text has to tell.
bool says_out_of_memory(std::string_view message) {
  return message.find("DefaultCPUAllocator") != std::string_view::npos &&
         message.find("memory") != std::string_view::npos;
}

}  // namespace

Failure refused(const std::string& exception, std::string message) {
  return as_python(exception, std::move(message));
}

// Most derived classes first; each is what CATCH_TH_ERRORS makes of it.
Failure failure_of_current_exception() {
  try {
    throw;
  } catch (const c10::IndexError& e) {
    return as_python("IndexError", e.what_without_backtrace());
  } catch (const c10::ValueError& e) {
    return as_python("ValueError", e.what_without_backtrace());
  } catch (const c10::TypeError& e) {
    return as_python("TypeError", e.what_without_backtrace());
  } catch (const c10::NotImplementedError& e) {
    return as_python("NotImplementedError", e.what_without_backtrace());
  } catch (const c10::BufferError& e) {
    return as_python("BufferError", e.what_without_backtrace());
  } catch (const c10::SyntaxError& e) {
    return as_python("SyntaxError", e.what_without_backtrace());
  } catch (const c10::LinAlgError& e) {
    return as_python("LinAlgError", e.what_without_backtrace());
  } catch (const c10::OutOfMemoryError& e) {
    return {"out_of_memory", e.what_without_backtrace()};
  } catch (const c10::Error& e) {
    if (says_out_of_memory(e.what_without_backtrace())) {
      return {"out_of_memory", e.what_without_backtrace()};
    }
    return as_python("RuntimeError", e.what_without_backtrace());
  } catch (const std::bad_alloc& e) {
    return {"out_of_memory", e.what()};
  } catch (const std::exception& e) {
    return as_python("RuntimeError", e.what());
  }
}

}  // namespace assay::harness::worker
