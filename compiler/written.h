// Programs that write into tensors which others see: bases, and other views of
// them. A value that is read after its storage was written to becomes another
// node, of what the storage holds by then; so the graph stays one of values.
#ifndef ASSAY_COMPILER_WRITTEN_H_
#define ASSAY_COMPILER_WRITTEN_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/builder.h"
#include "core/program.h"
#include "core/writes.h"

namespace assay::compiler {

class Written {
 public:
  // Is a value of the program, of those so far, complex? To the graph it is a
  // tensor of pairs then.
  using IsComplex = std::function<bool(ValueRef)>;

  // `program` and `builder` must outlive it.
  Written(const Program& program, IsComplex is_complex, Builder* builder)
      : program_(program),
        is_complex_(std::move(is_complex)),
        builder_(*builder),
        storages_(program) {}

  // Puts what `reader` sees of them into `values`: a later value, or
  // value_count() for who reads outputs. Says what is not supported, or
  // nothing.
  std::string renew(const std::vector<ValueRef>& read, int reader,
                    std::vector<NodeId>* values);
  // After each node.
  std::string follow(const std::vector<NodeId>& values);
  // Has a value become another node, or is it an input that is written to?
  bool has_changed(int value) const;

 private:
  // Where elements lie in their storage; null: all of it, in order.
  using Table = std::shared_ptr<const std::vector<std::int64_t>>;

  // What is not supported goes to `fault`.
  Table table_of(int value, const std::vector<NodeId>& values,
                 std::string* fault);
  Table numbers_of(int view, const Shape& base, std::string* fault) const;
  NodeId picked(NodeId from, const std::vector<std::int64_t>& table,
                const Shape& sizes);

  const Program& program_;
  IsComplex is_complex_;
  Builder& builder_;
  Storages storages_;
  std::map<int, Table> tables_;     // by value, as asked for
  std::map<int, NodeId> contents_;  // by value that made a storage
  std::set<int> renewed_;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_WRITTEN_H_
