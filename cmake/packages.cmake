# Libraries from Debian. MPFR and GMP bring no CMake files, so they are looked
# up by hand.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)

find_path(ASSAY_MPFR_INCLUDE mpfr.h REQUIRED)
find_library(ASSAY_MPFR_LIBRARY mpfr REQUIRED)
find_library(ASSAY_GMP_LIBRARY gmp REQUIRED)
mark_as_advanced(ASSAY_MPFR_INCLUDE ASSAY_MPFR_LIBRARY ASSAY_GMP_LIBRARY)
add_library(assay_mpfr INTERFACE IMPORTED)
add_library(assay::mpfr ALIAS assay_mpfr)
target_include_directories(assay_mpfr SYSTEM INTERFACE ${ASSAY_MPFR_INCLUDE})
target_link_libraries(assay_mpfr INTERFACE
  ${ASSAY_MPFR_LIBRARY} ${ASSAY_GMP_LIBRARY})

# Arb: a library of its own in Debian 12, part of FLINT since.
find_library(ASSAY_FLINT_LIBRARY flint REQUIRED)
find_library(ASSAY_ARB_LIBRARY NAMES flint-arb arb flint REQUIRED)
mark_as_advanced(ASSAY_FLINT_LIBRARY ASSAY_ARB_LIBRARY)
add_library(assay_arb INTERFACE IMPORTED)
add_library(assay::arb ALIAS assay_arb)
target_link_libraries(assay_arb INTERFACE
  ${ASSAY_ARB_LIBRARY} ${ASSAY_FLINT_LIBRARY})

find_library(ASSAY_SLEEF_LIBRARY sleef REQUIRED)
mark_as_advanced(ASSAY_SLEEF_LIBRARY)
add_library(assay_sleef INTERFACE IMPORTED)
add_library(assay::sleef ALIAS assay_sleef)
target_link_libraries(assay_sleef INTERFACE ${ASSAY_SLEEF_LIBRARY})

find_library(ASSAY_ZSTD_LIBRARY NAMES libzstd.a zstd REQUIRED)
mark_as_advanced(ASSAY_ZSTD_LIBRARY)
add_library(assay_zstd INTERFACE IMPORTED)
add_library(assay::zstd ALIAS assay_zstd)
target_link_libraries(assay_zstd INTERFACE ${ASSAY_ZSTD_LIBRARY})

find_library(ASSAY_ZLIB_LIBRARY NAMES libz.a z REQUIRED)
mark_as_advanced(ASSAY_ZLIB_LIBRARY)
add_library(assay_zlib INTERFACE IMPORTED)
add_library(assay::zlib ALIAS assay_zlib)
target_link_libraries(assay_zlib INTERFACE ${ASSAY_ZLIB_LIBRARY})

# Used inline: nothing is linked.
find_path(ASSAY_XXHASH_INCLUDE xxhash.h REQUIRED)
mark_as_advanced(ASSAY_XXHASH_INCLUDE)

# libarchive in its static form, of which a program keeps tar and zstd once
# sections that nobody refers to are dropped: the shared one needs libxml2 and
# ICU, 35 MB that a bundle would carry along.
find_path(ASSAY_ARCHIVE_INCLUDE archive.h REQUIRED)
find_library(ASSAY_ARCHIVE_LIBRARY NAMES libarchive.a archive REQUIRED)
find_library(ASSAY_NETTLE_LIBRARY nettle REQUIRED)
mark_as_advanced(ASSAY_ARCHIVE_INCLUDE ASSAY_ARCHIVE_LIBRARY
  ASSAY_NETTLE_LIBRARY)
add_library(assay_archive INTERFACE IMPORTED)
add_library(assay::archive ALIAS assay_archive)
target_include_directories(assay_archive SYSTEM INTERFACE
  ${ASSAY_ARCHIVE_INCLUDE})
target_link_options(assay_archive INTERFACE LINKER:--gc-sections)
target_link_libraries(assay_archive INTERFACE
  ${ASSAY_ARCHIVE_LIBRARY} assay::zstd)
add_library(assay_nettle INTERFACE IMPORTED)
add_library(assay::nettle ALIAS assay_nettle)
target_link_libraries(assay_nettle INTERFACE ${ASSAY_NETTLE_LIBRARY})

# One spelling for all: yaml-cpp's target had no namespace before 0.8.
add_library(assay_yaml INTERFACE IMPORTED)
add_library(assay::yaml ALIAS assay_yaml)
if(TARGET yaml-cpp::yaml-cpp)
  target_link_libraries(assay_yaml INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(assay_yaml INTERFACE yaml-cpp)
endif()
