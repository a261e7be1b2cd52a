// Names inside of a function. A brace opens a scope: its registers and labels
// hide those outside, and its variables get a name that is unique in the
// function ("name@2").
#ifndef ASSAY_PTX_TEXT_SCOPES_H_
#define ASSAY_PTX_TEXT_SCOPES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/text/module.h"

namespace assay::ptx {

class Scopes {
 public:
  explicit Scopes(Function& f) : f_(f) { open(); }

  void open();
  // Labels that were named and not defined are looked for further out. At
  // the last scope they stay undefined: see undefined_label().
  void close();

  void declare(const std::string& name, Type type);
  // %name<count>: %name0 ... are made when they are first used.
  void declare_range(const std::string& prefix, std::uint64_t count, Type type);
  std::optional<std::uint32_t> find_register(std::string_view name);

  // The name that the variable has in the function.
  std::string declare_variable(const std::string& name);
  std::string variable(std::string_view name) const;

  // False if the scope has that label already.
  bool define_label(std::string_view name);
  std::uint32_t label(std::string_view name);
  // The first label that was used and is nowhere.
  std::optional<std::string> undefined_label() const { return undefined_; }

 private:
  struct Range {
    std::string prefix;
    std::uint64_t count;
    Type type;
  };
  struct Scope {
    std::map<std::string, std::uint32_t, std::less<>> registers;
    std::vector<Range> ranges;
    std::map<std::string, std::uint32_t, std::less<>> labels;
    std::map<std::string, std::string, std::less<>> variables;
  };

  std::uint32_t add(std::string_view name, Type type);

  Function& f_;
  std::vector<Scope> scopes_;
  std::vector<bool> defined_;  // by label
  // An inner label that was resolved to an outer one.
  std::vector<std::uint32_t> forward_;
  std::optional<std::string> undefined_;
  unsigned renamed_ = 0;

  friend void resolve_labels(Scopes& scopes, Function& f);
};

// Once all scopes are closed: every operand's label becomes the one it was
// resolved to.
void resolve_labels(Scopes& scopes, Function& f);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_TEXT_SCOPES_H_
