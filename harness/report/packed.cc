#include "harness/report/packed.h"

#include <nettle/base64.h>
#include <zlib.h>

#include <new>
#include <vector>

namespace assay::harness {

std::string packed(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::vector<Bytef> stream(size);
  // With room for the worst case, memory is all that compress2() can lack.
  if (compress2(stream.data(), &size,
                reinterpret_cast<const Bytef*>(text.data()), text.size(),
                Z_BEST_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out(BASE64_ENCODE_RAW_LENGTH(size), '\0');
  base64_encode_raw(out.data(), size, stream.data());
  return out;
}

}  // namespace assay::harness
