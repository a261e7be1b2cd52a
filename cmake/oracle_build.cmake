# cmake -D OUT=FILE -D "FILES=A;B" -P oracle_build.cmake: writes a source that
# names the oracle's build by a hash of its libraries. It stays the same while
# only what surrounds the oracle is built anew.
set(all "")
foreach(file IN LISTS FILES)
  file(SHA256 "${file}" hash)
  string(APPEND all "${hash}\n")
endforeach()
string(SHA256 hash "${all}")
file(WRITE "${OUT}" "#include \"harness/goldens/oracle_build.h\"

namespace assay::harness {
const char* oracle_build() { return \"${hash}\"; }
}  // namespace assay::harness
")
