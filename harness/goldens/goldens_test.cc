// Kept goldens: what is read back equals what was worked out, and whatever is
// in the folder that is not, is worked out anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <thread>

#include "harness/goldens/cached_source.h"
#include "harness/goldens/golden_bytes.h"
#include "harness/run/session.h"
#include "harness/testing/command.h"
#include "harness/testing/fakes.h"

namespace assay::harness {
namespace {

using reference::Golden;
using testing::slurp;
namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class Goldens : public ::testing::Test {
 protected:
  Goldens() {
    dir_ = fs::path(::testing::TempDir()) / "goldens" /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  ~Goldens() override { fs::remove_all(dir_); }

  std::size_t files() const {
    std::size_t n = 0;
    for (const auto& e : fs::recursive_directory_iterator(dir_)) {
      n += e.path().extension() == ".golden" ? 1 : 0;
    }
    return n;
  }
  fs::path dir_;
};

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) {
                      return std::bit_cast<std::uint64_t>(x) ==
                             std::bit_cast<std::uint64_t>(y);
                    });
}

bool same(const reference::ElementSet& a, const reference::ElementSet& b) {
  const bool pieces =
      a.pieces && b.pieces ? *a.pieces == *b.pieces : a.pieces == b.pieces;
  return pieces && a.lo == b.lo && a.hi == b.hi &&
         a.has_values == b.has_values && a.nan == b.nan &&
         a.any_zero_sign == b.any_zero_sign && a.unspecified == b.unspecified &&
         a.undecided == b.undecided && a.clause == b.clause;
}

void expect_same(const Golden& a, const Golden& b, const std::string& of) {
  EXPECT_EQ(a.precision, b.precision) << of;
  ASSERT_EQ(a.error.has_value(), b.error.has_value()) << of;
  if (a.error) {
    EXPECT_EQ(a.error->clause, b.error->clause) << of;
    EXPECT_EQ(a.error->raises, b.error->raises) << of;
    EXPECT_EQ(a.error->message, b.error->message) << of;
    EXPECT_EQ(a.error->phase, b.error->phase) << of;
  }
  ASSERT_EQ(a.outputs.size(), b.outputs.size()) << of;
  for (std::size_t k = 0; k < a.outputs.size(); ++k) {
    const auto& x = a.outputs[k];
    const auto& y = b.outputs[k];
    EXPECT_EQ(x.type, y.type) << of;
    EXPECT_EQ(x.clauses, y.clauses) << of;
    EXPECT_TRUE(same(x.exact, y.exact)) << of;
    EXPECT_TRUE(same(x.bound, y.bound)) << of;
    EXPECT_TRUE(same(x.tree, y.tree)) << of;
    EXPECT_TRUE(same(x.spread, y.spread)) << of;
    ASSERT_EQ(x.elements.size(), y.elements.size()) << of;
    for (std::size_t i = 0; i < x.elements.size(); ++i) {
      EXPECT_TRUE(same(x.elements[i], y.elements[i])) << of << " at " << i;
    }
  }
}

// Programs whose sets have gaps, that must refuse, that need MPFR, of all
// kinds of dtype, with sums whose quality is judged.
TEST_F(Goldens, ComeBackAsTheyWere) {
  const auto session = open_session(ASSAY_SOURCE_DIR "/specs");
  ASSERT_TRUE(session) << session.error().message;
  const auto cases =
      select_cases(**session,
                   {"e8m0_encode", "cast_round_trip", "bmm", "mean", "exp/C2",
                    "argmax", "round", "floor_divide", "sort"},
                   cases::Profile::quick);
  ASSERT_TRUE(cases) << cases.error().message;
  const auto oracle = live_oracle((*session)->specs);
  CachedGoldens cache(*oracle, (*session)->specs, "b", dir_, 64 * kMiB, 0);
  std::size_t refusals = 0, gaps = 0, trees = 0;
  for (const cases::Case* c : *cases) {
    const auto inputs = c->make_inputs();
    const auto made = cache.golden(c->program, inputs, {});
    const auto back = cache.golden(c->program, inputs, {});
    ASSERT_TRUE(made && back) << c->path;
    expect_same(*made, *back, c->path);
    refusals += made->error ? 1 : 0;
    for (const auto& out : made->outputs) {
      trees += out.tree.empty() ? 0 : 1;
      for (const auto& e : out.elements) gaps += e.pieces ? 1 : 0;
    }
  }
  EXPECT_GT(cases->size(), 50u);
  EXPECT_GT(refusals, 5u);
  EXPECT_GT(gaps, 0u);
  EXPECT_GT(trees, 0u);
  // Two names of one question share their golden.
  EXPECT_EQ(cache.stats().made + cache.stats().read, 2 * cases->size());
  EXPECT_EQ(cache.stats().kept, cache.stats().made);
  EXPECT_EQ(files(), cache.stats().kept);
}

TEST_F(Goldens, BytesThatAreNoGoldenAreNone) {
  Golden g = fakes::golden_of({fakes::point(DType::f32, 1), fakes::only_nan(),
                               fakes::range(DType::f32, -1, 2)},
                              {"neg/A1", "neg/S1"});
  using Ranges = std::vector<reference::ElementRange>;
  g.outputs[0].elements[2].pieces =
      std::make_shared<const Ranges>(Ranges{{1, 2}, {5, 9}});
  g.outputs[0].tree = {0, 1, 2};
  g.outputs.push_back(g.outputs[0]);
  g.outputs.back().type = TensorType::contiguous(DType::i64, {0, 3});
  g.outputs.back().elements.clear();
  for (auto* list : {&g.outputs.back().exact, &g.outputs.back().bound,
                     &g.outputs.back().tree}) {
    list->clear();
  }
  const std::string bytes = golden_to_bytes(g);
  const auto back = golden_from_bytes(bytes);
  ASSERT_TRUE(back);
  expect_same(g, *back, "made up");
  EXPECT_FALSE(golden_from_bytes(bytes + "x"));
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_FALSE(golden_from_bytes(std::string_view(bytes).substr(0, n))) << n;
  }
  // Whatever a byte becomes: a golden or none, and nothing else.
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    std::string other = bytes;
    other[n] = static_cast<char>(other[n] ^ 0xff);
    (void)golden_from_bytes(other);
  }
}

TEST_F(Goldens, AStoreGivesBackWhatItWasGivenOrNothing) {
  Store store(dir_, kMiB);
  const StoreKey a = key_of("a"), b = key_of("b");
  EXPECT_FALSE(store.get(a));
  ASSERT_TRUE(store.put(a, "what a is"));
  ASSERT_TRUE(store.put(b, ""));
  EXPECT_EQ(store.get(a), "what a is");
  EXPECT_EQ(store.get(b), "");
  const std::string whole = slurp(store.file_of(a));
  // Torn, longer, changed, of another key: as if it were not there.
  for (std::size_t n = 0; n < whole.size(); ++n) {
    std::ofstream(store.file_of(a), std::ios::binary) << whole.substr(0, n);
    EXPECT_FALSE(store.get(a)) << n;
  }
  std::ofstream(store.file_of(a), std::ios::binary) << whole << "x";
  EXPECT_FALSE(store.get(a));
  std::string changed = whole;
  changed[changed.size() / 2] ^= 1;
  std::ofstream(store.file_of(a), std::ios::binary) << changed;
  EXPECT_FALSE(store.get(a));
  fs::copy_file(store.file_of(b), store.file_of(a),
                fs::copy_options::overwrite_existing);
  EXPECT_FALSE(store.get(a));
  ASSERT_TRUE(store.put(a, "again"));
  EXPECT_EQ(store.get(a), "again");
}

TEST_F(Goldens, AStoreForgetsWhatWasNotUsedForLongest) {
  constexpr std::uint64_t kLimit = 100'000;
  Store store(dir_, kLimit);
  const std::string bytes(4000, 'x');
  const auto name = [](int i) { return key_of(std::to_string(i)); };
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 24; ++i) {
    ASSERT_TRUE(store.put(name(i), bytes));
    fs::last_write_time(store.file_of(name(i)),
                        now - std::chrono::hours(100 - i));
  }
  EXPECT_TRUE(store.get(name(0)));  // which makes it the last one used
  std::ofstream(store.file_of(name(1)).parent_path() / ".draft-0") << "torn";
  fs::last_write_time(store.file_of(name(1)).parent_path() / ".draft-0",
                      now - std::chrono::hours(2));
  for (int i = 24; i < 30; ++i) ASSERT_TRUE(store.put(name(i), bytes));
  store.trim();
  std::uint64_t total = 0;
  for (const auto& e : fs::recursive_directory_iterator(dir_)) {
    if (e.is_regular_file()) total += e.file_size();
    EXPECT_THAT(e.path().filename().string(),
                ::testing::Not(::testing::StartsWith(".draft")));
  }
  EXPECT_LE(total, kLimit);
  EXPECT_GT(total, kLimit / 2);
  EXPECT_TRUE(store.get(name(0)));
  EXPECT_TRUE(store.get(name(29)));
  EXPECT_FALSE(store.get(name(1)));
  // One that would push out an eighth of all is not kept.
  const auto giant = store.put(key_of("giant"), std::string(kLimit / 4, 'x'));
  ASSERT_TRUE(giant);
  EXPECT_FALSE(*giant);
  EXPECT_FALSE(store.get(key_of("giant")));
}

TEST_F(Goldens, ManyWriteReadAndTrimAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0}, found{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Store store(dir_, 60'000);
      for (int i = 0; i < 300; ++i) {
        const std::string name = std::to_string(i % 40);
        const std::string bytes(1000 + static_cast<std::size_t>(i % 40), 'x');
        if (!store.put(key_of(name), name + bytes)) ++wrong;
        const auto back = store.get(key_of(std::to_string((i + 7) % 40)));
        if (i % 50 == 0) store.trim();
        if (!back) continue;
        ++found;
        if (!back->starts_with(std::to_string((i + 7) % 40) + "x")) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 100);
}

class CachedOracle : public Goldens {
 protected:
  CachedOracle() {
    language::OpSpec op;
    op.aten = "aten.neg.default";
    op.hash = 7;
    specs_.ops.push_back(op);
  }
  language::SpecSet specs_;
  fakes::FakeOracle oracle_;
  Program program_ = fakes::negation();
  std::vector<Tensor> inputs_ = {fakes::f32(fakes::numbers_of(3))};
};

TEST_F(CachedOracle, TellsAllApartThatAGoldenRestsOn) {
  const CachedGoldens cache(oracle_, specs_, "build", dir_, kMiB);
  const StoreKey key = cache.key(program_, inputs_, {});
  EXPECT_EQ(cache.key(program_, inputs_, {}), key);
  // Another layout of the same elements is another program.
  Tensor view = Tensor::strided({DType::f32, {4}, {2}}, 1);
  for (std::int64_t i = 0; i < 4; ++i) view.set_bits(i, inputs_[0].bits(i));
  EXPECT_EQ(cache.key(program_, {view}, {}), key);
  std::vector<StoreKey> others = {
      cache.key(program_, {fakes::f32(fakes::numbers_of(4))}, {}),
      CachedGoldens(oracle_, specs_, "b", dir_, kMiB)
          .key(program_, inputs_, {})};
  Program other = program_;
  other.inputs[0].strides = {2};
  others.push_back(cache.key(other, inputs_, {}));
  reference::OracleOptions o;
  o.numerics = reference::Numerics::strict;
  others.push_back(cache.key(program_, inputs_, o));
  o = {};
  o.torch = {2, 15};
  others.push_back(cache.key(program_, inputs_, o));
  o = {};
  o.elided_casts = true;
  others.push_back(cache.key(program_, inputs_, o));
  o = {};
  o.last_precision = 64;
  others.push_back(cache.key(program_, inputs_, o));
  for (const double x : {1.0, 2.0}) {
    o = {};
    o.observed.emplace(1, fakes::f32({x}));
    others.push_back(cache.key(program_, inputs_, o));
  }
  specs_.ops[0].hash = 8;
  others.push_back(cache.key(program_, inputs_, {}));
  others.push_back(key);
  for (std::size_t i = 0; i < others.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(others[i], others[k]) << i;
  }
}

TEST_F(CachedOracle, KeepsWhatIsDearAlone) {
  for (const auto& [dear, asked] : {std::pair(1e3, 2), std::pair(0.0, 1)}) {
    fs::remove_all(dir_);
    oracle_.asked = 0;
    const CachedGoldens cache(oracle_, specs_, "b", dir_, kMiB, dear);
    EXPECT_TRUE(cache.golden(program_, inputs_, {}));
    EXPECT_TRUE(cache.golden(program_, inputs_, {}));
    EXPECT_EQ(oracle_.asked, asked);
  }
  // Another process, later.
  const CachedGoldens again(oracle_, specs_, "b", dir_, kMiB, 0);
  EXPECT_TRUE(again.golden(program_, inputs_, {}));
  EXPECT_EQ(oracle_.asked, 1);
  EXPECT_EQ(again.stats().read, 1u);
}

TEST_F(CachedOracle, AnswersWithoutAFolderAndKeepsNoRefusalToAnswer) {
  std::ofstream(dir_ / "file") << "no folder";
  const CachedGoldens nowhere(oracle_, specs_, "b", dir_ / "file", kMiB, 0);
  EXPECT_TRUE(nowhere.golden(program_, inputs_, {}));
  EXPECT_THAT(nowhere.stats().fault, ::testing::HasSubstr("file"));
  oracle_.without_golden = {3};
  const CachedGoldens cache(oracle_, specs_, "b", dir_, kMiB, 0);
  EXPECT_FALSE(cache.golden(program_, inputs_, {}));
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace assay::harness
