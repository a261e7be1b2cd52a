// What device printf writes.
#ifndef ASSAY_PTX_MACHINE_PRINTF_H_
#define ASSAY_PTX_MACHINE_PRINTF_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace assay::ptx {

// `values` holds the arguments as a variadic call lays them out: each aligned
// to its size, integers of 4 or 8 bytes, floating point as f64. `text_of`
// reads the string that a device pointer points at.
std::string format_values(
    std::string_view format, std::span<const std::byte> values,
    const std::function<std::string(std::uint64_t)>& text_of);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_MACHINE_PRINTF_H_
