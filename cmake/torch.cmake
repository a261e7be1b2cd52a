# assay::torch: LibTorch as it lies in a Python environment. The launcher sets
# ASSAY_TORCH_DIR to the package folder (.../site-packages/torch). Without it
# the target is absent, and what needs it is left out.
set(ASSAY_TORCH_DIR "" CACHE PATH "Folder of the installed torch package")

if(NOT ASSAY_TORCH_DIR)
  message(STATUS "ASSAY_TORCH_DIR is not set: no eager worker is built")
  return()
endif()
set(lib ${ASSAY_TORCH_DIR}/lib)
foreach(needed IN ITEMS ${lib}/libtorch_cpu.so ${lib}/libc10.so
                        ${ASSAY_TORCH_DIR}/include/ATen/ATen.h)
  if(NOT EXISTS ${needed})
    message(FATAL_ERROR "${needed} is missing: ASSAY_TORCH_DIR must be the "
                        "folder of an installed torch package")
  endif()
endforeach()

# "2.11.0", without what a build of it adds: its C++ interface is that of the
# release.
file(STRINGS ${ASSAY_TORCH_DIR}/version.py version
  REGEX "^__version__ = ['\"]" LIMIT_COUNT 1)
string(REGEX REPLACE "^[^'\"]*['\"]([^+'\"]*).*$" "\\1"
  ASSAY_TORCH_VERSION "${version}")

# Two libraries are enough: what they need themselves (OpenMP, CUDA in the
# default wheel) they find through their own run path, so the linker must not
# insist on seeing it.
add_library(assay_torch INTERFACE IMPORTED)
add_library(assay::torch ALIAS assay_torch)
target_include_directories(assay_torch SYSTEM INTERFACE
  ${ASSAY_TORCH_DIR}/include
  ${ASSAY_TORCH_DIR}/include/torch/csrc/api/include)
target_compile_definitions(assay_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
target_link_libraries(assay_torch INTERFACE
  ${lib}/libtorch_cpu.so ${lib}/libc10.so Threads::Threads)
target_link_options(assay_torch INTERFACE
  -Wl,--unresolved-symbols=ignore-in-shared-libs -Wl,-rpath,${lib})
