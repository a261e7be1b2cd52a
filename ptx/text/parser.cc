#include "ptx/text/parser.h"

#include <array>
#include <charconv>
#include <utility>

#include "ptx/text/body.h"
#include "ptx/text/token_stream.h"
#include "ptx/text/variables.h"

namespace assay::ptx {
namespace {

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : in_(std::move(tokens)) {}

  Module run() {
    while (in_.peek().kind != Token::Kind::end) top_level();
    if (module_.target.empty()) in_.fail("a .target directive before");
    return std::move(module_);
  }

 private:
  void top_level() {
    if (in_.take_if(".version")) return version();
    if (in_.take_if(".target")) return target();
    if (in_.take_if(".address_size")) {
      module_.address_size =
          static_cast<unsigned>(in_.expect_integer("32 or 64"));
      if (module_.address_size != 64) in_.fail(".address_size 64 before");
      return;
    }
    if (in_.peek().is(".file") || in_.peek().is(".loc")) return in_.skip_line();
    if (in_.take_if(".section")) {
      while (in_.peek().kind == Token::Kind::word) in_.take();
      return in_.skip_braces();
    }
    if (in_.take_if(".pragma") || in_.take_if(".alias"))
      return in_.skip_past(';');
    declaration();
  }

  void version() {
    // "9.0" reads as a decimal number, whose text holds both parts.
    const Token& token = in_.take();
    std::string text(token.text);
    std::size_t dot = text.find('.');
    if (token.kind != Token::Kind::real64 || dot == text.npos)
      in_.fail("a version such as 8.7 before");
    const char* end = text.data() + text.size();
    auto major =
        std::from_chars(text.data(), text.data() + dot, module_.version_major);
    auto minor =
        std::from_chars(text.data() + dot + 1, end, module_.version_minor);
    if (major.ec != std::errc() || minor.ec != std::errc())
      in_.fail("a version such as 8.7 before");
  }

  void target() {
    module_.target = in_.expect_word("a target such as sm_80");
    while (in_.take_if(',')) in_.expect_word("a target's option");
  }

  void declaration() {
    bool is_extern = false;
    for (;;) {
      if (in_.take_if(".extern")) {
        is_extern = true;
      } else if (!in_.take_if(".visible") && !in_.take_if(".weak") &&
                 !in_.take_if(".common")) {
        break;
      }
    }
    if (in_.take_if(".entry")) return function(true);
    if (in_.take_if(".func")) return function(false);
    auto space = in_.peek().kind == Token::Kind::word
                     ? parse_space(in_.peek().text)
                     : std::nullopt;
    if (!space) in_.fail("a directive (.entry, .func, .global ...)");
    in_.take();
    for (Variable& v : parse_variables(in_, *space, is_extern))
      module_.variables.push_back(std::move(v));
  }

  std::vector<Variable> parameters() {
    std::vector<Variable> all;
    in_.expect('(');
    while (!in_.take_if(')')) {
      all.push_back(parse_parameter(in_));
      if (!in_.peek().is(')')) in_.expect(',');
    }
    return all;
  }

  void function(bool is_entry) {
    Function f;
    f.is_entry = is_entry;
    f.line = in_.peek().line;
    if (in_.take_if(".attribute")) {
      in_.expect('(');
      in_.skip_past(')');
    }
    if (!is_entry && in_.peek().is('(')) f.results = parameters();
    f.name = in_.expect_word("a function's name");
    if (in_.peek().is('(')) f.parameters = parameters();
    directives(f);
    if (in_.take_if(';')) {
      module_.functions.push_back(std::move(f));
      return;
    }
    f.is_defined = true;
    parse_body(in_, f);
    module_.functions.push_back(std::move(f));
  }

  // What may stand between the parameters and the body.
  void directives(Function& f) {
    while (in_.peek().kind == Token::Kind::word &&
           in_.peek().text.starts_with('.')) {
      std::string name(in_.take().text.substr(1));
      std::array<std::uint32_t, 3> values = {1, 1, 1};
      std::size_t count = 0;
      if (name == "pragma") {
        in_.skip_past(';');
        continue;
      }
      while (in_.peek().kind == Token::Kind::integer && count < 3) {
        values.at(count++) = static_cast<std::uint32_t>(in_.take().bits);
        if (!in_.take_if(',')) break;
      }
      f.directives[name] = values;
    }
  }

  TokenStream in_;
  Module module_;
};

}  // namespace

Result<Module> parse_module(std::string_view text) {
  auto tokens = tokenize(text);
  if (!tokens) return tokens.error();
  try {
    return Parser(std::move(tokens).value()).run();
  } catch (const SyntaxError& e) {
    return Error{e.message};
  }
}

}  // namespace assay::ptx
