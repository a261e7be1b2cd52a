// Text as a page holds it: small, and free of what could end an element.
#ifndef ASSAY_HARNESS_REPORT_PACKED_H_
#define ASSAY_HARNESS_REPORT_PACKED_H_

#include <string>

namespace assay::harness {

// TEXT as a zlib stream (RFC 1950) in base64 (RFC 4648, padded, in one line),
// which browsers unpack themselves: DecompressionStream('deflate').
std::string packed(const std::string& text);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_PACKED_H_
