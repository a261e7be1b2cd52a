#include "harness/report/page.h"

#include <string_view>

#include "harness/records/result_json.h"
#include "harness/report/junit.h"
#include "harness/report/packed.h"
#include "harness/report/page_parts.h"

namespace assay::harness {
namespace {

struct Place {
  std::string_view mark;
  std::string text;
};

// The template with each mark replaced, in the order in which they occur:
// what was put in is not looked at again.
std::string filled(std::string_view text, const std::vector<Place>& places) {
  std::string out;
  for (const Place& p : places) {
    const std::size_t at = text.find(p.mark);
    if (at == std::string_view::npos) continue;
    out += text.substr(0, at);
    out += p.text;
    text.remove_prefix(at + p.mark.size());
  }
  return out += text;
}

}  // namespace

std::string html_page(const PageInput& input) {
  return filled(joined(kPageTemplate),
                {{"@title@", xml_escaped(title(*input.report))},
                 {"/*@style@*/", joined(kPageStyle)},
                 {"@data@", packed(json_line(page_data(input)))},
                 {"/*@script@*/", joined(kPageScript)}});
}

}  // namespace assay::harness
