#include "suite/language/check/arguments.h"

#include <algorithm>
#include <array>
#include <vector>

namespace assay::language {
namespace {

using K = ValueKind;

struct Row {
  char letter;
  std::vector<K> kinds;
  const char* text;
};

const Row* find(char letter) {
  static const std::array<Row, 12> rows = {{
      {'n', {K::number, K::integer}, "a number"},
      {'i', {K::number, K::integer}, "an integer"},
      {'o', {K::number, K::integer, K::none}, "an integer or none"},
      {'d', {K::dtype}, "a dtype"},
      {'s', {K::shape}, "a shape, a pack or a list of integers"},
      {'q', {K::shape, K::none}, "a list of integers or none"},
      {'w',
       {K::number, K::integer, K::shape},
       "a number or a list of integers"},
      {'m',
       {K::number, K::integer, K::shape},
       "a number or a list of integers"},
      {'v', {K::shape, K::tensors, K::numbers}, "a list"},
      {'t', {K::tensor}, "a tensor"},
      {'l', {K::tensors}, "a list of tensors"},
      {'b', {K::boolean}, "a truth value"},
  }};
  const auto it =
      std::find_if(rows.begin(), rows.end(),
                   [letter](const Row& r) { return r.letter == letter; });
  return it == rows.end() ? nullptr : &*it;
}

}  // namespace

bool accepts(char letter, ValueKind found) {
  if (letter == 'c') return found != K::string && found != K::shape;
  const Row* row = find(letter);
  return row == nullptr || found == K::any ||
         std::find(row->kinds.begin(), row->kinds.end(), found) !=
             row->kinds.end();
}

const char* expected_text(char letter) {
  if (letter == 'c') return "a parameter or a dtype";
  if (letter == 'p') return "a parameter";
  const Row* row = find(letter);
  return row ? row->text : "";
}

}  // namespace assay::language
