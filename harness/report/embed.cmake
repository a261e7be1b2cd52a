# Writes OUT, a C++ source of what page_parts.h declares, from TEMPLATE and the
# lists STYLE and SCRIPT, a literal for each file: compilers need not take one
# of more than 65,536 characters.
#   cmake -D OUT=... -D TEMPLATE=... -D STYLE=a,b -D SCRIPT=c,d -P embed.cmake
function(literal name files out)
  string(REPLACE "," ";" files "${files}")
  set(text "const char* const ${name}[] = {\n")
  foreach(file IN LISTS files)
    file(READ "${file}" content)
    string(FIND "${content}" ")assay_page\"" clash)
    if(NOT clash EQUAL -1)
      message(FATAL_ERROR "${file} holds what ends a literal: )assay_page\"")
    endif()
    string(APPEND text "R\"assay_page(${content})assay_page\",\n")
  endforeach()
  set(${out} "${text}nullptr};\n" PARENT_SCOPE)
endfunction()

literal(kPageTemplate "${TEMPLATE}" template)
literal(kPageStyle "${STYLE}" style)
literal(kPageScript "${SCRIPT}" script)
file(WRITE "${OUT}" "#include \"harness/report/page_parts.h\"

namespace assay::harness {
${template}${style}${script}}  // namespace assay::harness
")
