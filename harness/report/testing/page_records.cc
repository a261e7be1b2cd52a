#include "harness/report/testing/page_records.h"

#include <nettle/base64.h>
#include <zlib.h>

#include <cstdint>

namespace assay::harness::testing {

std::string unpacked(const std::string& text) {
  base64_decode_ctx context;
  base64_decode_init(&context);
  std::string stream(BASE64_DECODE_LENGTH(text.size()), '\0');
  std::size_t length = stream.size();
  if (base64_decode_update(&context, &length,
                           reinterpret_cast<std::uint8_t*>(stream.data()),
                           text.size(), text.data()) == 0 ||
      base64_decode_final(&context) == 0) {
    return {};
  }
  std::string out(1 << 10, '\0');
  for (;; out.resize(2 * out.size())) {
    uLongf size = out.size();
    const int status =
        uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                   reinterpret_cast<const Bytef*>(stream.data()), length);
    if (status == Z_BUF_ERROR && out.size() < (std::size_t{1} << 30)) continue;
    return status == Z_OK ? out.substr(0, size) : std::string();
  }
}

std::string page_records(const std::string& html) {
  const std::string open = "id=\"data\">";
  const std::size_t at = html.find(open);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + open.size();
  return unpacked(html.substr(begin, html.find("</script>", begin) - begin));
}

}  // namespace assay::harness::testing
