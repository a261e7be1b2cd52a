// A quick look that comes before a slow one, once it is worth its making.
#ifndef ASSAY_COMPILER_SCREEN_H_
#define ASSAY_COMPILER_SCREEN_H_

#include <functional>
#include <future>
#include <vector>

namespace assay::compiler {

struct TensorRef;

// Of the inputs of a launch: whether no requirement on elements refuses them.
// Where a screen does not pass them the requirements have to be asked: it does
// not say which of them refuses, and may not be there.
class Screen {
 public:
  using Check = std::function<bool(const std::vector<TensorRef>&)>;

  // `compile` takes long, and gives an empty function if it fails. It is called
  // after so many launches, on a thread of its own.
  Screen(int launches_before, std::function<Check()> compile);

  // Not reentrant.
  bool passes(const std::vector<TensorRef>& inputs);

 private:
  bool is_there();

  int launches_before_ = 0;
  std::function<Check()> compile_;  // empty once it was called
  std::future<Check> coming_;
  Check check_;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_SCREEN_H_
