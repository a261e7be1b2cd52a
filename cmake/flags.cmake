# Flags that hold for every file of ours. Other people's headers are system
# headers, so the warnings do not reach them.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ASSAY_CCACHE})
endif()

# A source spends most of its time on headers and templates that it shares with
# its neighbours.
option(ASSAY_UNITY "Compile the sources of a target by eights" ON)
option(ASSAY_WERROR "Treat warnings as errors" ON)
set(ASSAY_SANITIZE "" CACHE STRING "Value for -fsanitize=, empty for none")

add_library(assay_flags INTERFACE)
add_library(assay::flags ALIAS assay_flags)
target_include_directories(assay_flags INTERFACE ${PROJECT_SOURCE_DIR})

# An oracle may not be at the mercy of a contraction or of a reassociation.
target_compile_options(assay_flags INTERFACE
  -ffp-contract=off -fno-fast-math)

# -Wfloat-conversion is the one numeric warning of the list: a double that
# silently becomes a float is the very defect that this suite looks for.
target_compile_options(assay_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wcast-align -Wformat=2 -Wextra-semi -Wvla -Wimplicit-fallthrough
  -Wfloat-conversion
  $<$<BOOL:${ASSAY_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of g++ 12: -Wrestrict on std::string's operator+, and
  # -Wmaybe-uninitialized where a sanitizer has rewritten the control flow.
  target_compile_options(assay_flags INTERFACE -Wno-restrict)
  if(ASSAY_SANITIZE)
    target_compile_options(assay_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

if(ASSAY_SANITIZE)
  add_compile_options(-fsanitize=${ASSAY_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ASSAY_SANITIZE})
endif()
