// assay census: what the cases ask and what must be answered, as hashes, so
// that two states of specs and program can be compared: whoever moves, merges
// or rewrites specs shows with it that no promise changed.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "core/program_text.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/judge/adjudicate.h"
#include "harness/records/files.h"
#include "harness/records/json_lines.h"
#include "harness/records/recording.h"
#include "harness/records/result_json.h"
#include "harness/report/gate.h"
#include "harness/run/interrupt.h"
#include "harness/run/session.h"
#include "suite/cases/filter.h"

namespace assay::harness {
namespace {

struct CensusOptions {
  std::vector<std::string> filters;
  cases::Profile profile = cases::Profile::full;
  std::filesystem::path out;
  std::filesystem::path against;
  std::size_t show = 3;
  bool goldens = false;
  int jobs = 0;
  std::filesystem::path specs;
};

// One case. What it asks are its `program` (elements of captured constants
// aside) and its `data` (elements of constants and inputs); `promise` is the
// clause that must refuse it, "" if it must return. `answer` is a hash of what
// is admissible, and of nothing where no goldens were asked for.
struct Entry {
  std::string path, row, promise;
  cases::Profile profile = cases::Profile::quick;
  std::uint64_t program = 0, data = 0, answer = 0;
};

// Type, place in storage and elements.
std::string bits_of(const Tensor& t) {
  std::string out = fmt::format("{}[{}]+{}:", dtype_name(t.dtype()),
                                fmt::join(t.sizes(), ","), t.offset);
  const Tensor parts = components(t);
  for (std::int64_t i = 0; i < parts.numel(); ++i) {
    for (std::uint64_t bits = parts.bits(i), n = 0; n < 8; ++n, bits >>= 8) {
      out += static_cast<char>(bits & 0xff);
    }
  }
  return out;
}

void ask(const cases::Case& c, const std::vector<Tensor>& inputs, Entry* e) {
  Program bare = c.program;
  std::string data;
  for (Tensor& t : bare.constants) {
    data += bits_of(t);
    t = Tensor::strided(t.type, t.offset);
  }
  for (const Tensor& t : inputs) data += bits_of(t);
  e->program = fnv1a(to_text(bare));
  e->data = fnv1a(data);
}

// The promise without the names of clauses, which a spec may give anew.
std::string text_of(const PreparedCase& p) {
  if (!p.fault.empty()) return fmt::format("no golden: {}", p.fault);
  if (const auto& e = p.golden.error) {
    return fmt::format("{} {} {}", fmt::join(e->raises, " "), e->message,
                       e->phase);
  }
  std::string out = p.vacuous;
  for (const reference::GoldenOutput& g : p.golden.outputs) {
    out += fmt::format("; {}[{}]", dtype_name(g.type.dtype),
                       fmt::join(g.type.sizes, ","));
    for (const reference::ElementSet& s : g.elements) {
      out += fmt::format(" {:x}-{:x}{}{}{}{}", s.lo, s.hi,
                         s.has_values ? "v" : "", s.nan ? "n" : "",
                         s.any_zero_sign ? "z" : "", s.unspecified ? "u" : "");
      if (!s.pieces) continue;
      for (const reference::ElementRange& r : *s.pieces) {
        out += fmt::format("{}{:x}-{:x}", &r == s.pieces->data() ? "{" : ",",
                           r.lo, r.hi);
      }
      out += "}";
    }
  }
  return out;
}

// An error is an interruption.
Result<std::vector<Entry>> count(const Session& session,
                                 const std::vector<const cases::Case*>& cases,
                                 const CensusOptions& o) {
  std::vector<Entry> entries(cases.size());
  const auto oracle = live_oracle(session.specs);
  const Adjudicator adjudicator(*oracle, reference::Numerics::fused,
                                &session.specs);
  in_parallel(cases.size(), o.jobs, [&](std::size_t i) {
    if (interrupt_flag()) return;
    const cases::Case& c = *cases[i];
    entries[i] = {c.path, c.spec, c.must_raise, c.profile};
    if (!o.goldens) {
      ask(c, c.make_inputs(), &entries[i]);
      return;
    }
    const auto prepared = adjudicator.prepare(c);
    ask(c, prepared->inputs, &entries[i]);
    entries[i].answer = fnv1a(text_of(*prepared));
  });
  if (interrupt_flag()) return Error{"interrupted; nothing was written"};
  return entries;
}

std::string hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string lines_of(const std::vector<Entry>& entries) {
  std::string out;
  for (const Entry& e : entries) {
    nlohmann::ordered_json j = {{"case", e.path}, {"row", e.row}};
    if (!e.promise.empty()) j["promise"] = e.promise;
    j["profile"] = cases::profile_name(e.profile);
    j["program"] = hex(e.program);
    j["data"] = hex(e.data);
    if (e.answer != 0) j["answer"] = hex(e.answer);
    out += json_line(j) + "\n";
  }
  return out;
}

Result<std::vector<Entry>> read_census(const std::filesystem::path& file) {
  std::vector<Entry> out;
  const auto take = [&out](const nlohmann::ordered_json& j,
                           std::size_t) -> Status {
    const auto hash = [&j](const char* field) {
      return std::stoull(j.value(field, "0"), nullptr, 16);
    };
    try {
      const auto profile = cases::parse_profile(j.at("profile"));
      if (!profile) throw std::invalid_argument("unknown profile");
      out.push_back({j.at("case"), j.at("row"), j.value("promise", ""),
                     *profile, hash("program"), hash("data"), hash("answer")});
    } catch (const std::exception& e) {
      return Error{fmt::format("this is no line of a census ({})", e.what())};
    }
    return success();
  };
  const auto read = read_json_lines(file, take);
  if (!read) return read.error();
  return out;
}

// The entries of one row that only one side has, by what they ask. `key` says
// how much of it counts; what both sides have is taken out of both.
using Key = std::string (*)(const Entry&);
struct Rest {
  std::vector<const Entry*> before, after;
};
std::size_t take_equal(Key key, Rest* rest) {
  std::map<std::string, std::vector<const Entry*>> waiting;
  for (const Entry* e : rest->before) waiting[key(*e)].push_back(e);
  std::vector<const Entry*> after;
  std::size_t equal = 0;
  for (const Entry* e : rest->after) {
    auto& twins = waiting[key(*e)];
    if (twins.empty()) {
      after.push_back(e);
    } else {
      twins.pop_back();
      ++equal;
    }
  }
  rest->after = std::move(after);
  rest->before.clear();
  for (const auto& [_, left] : waiting) {
    rest->before.insert(rest->before.end(), left.begin(), left.end());
  }
  return equal;
}

std::string question(const Entry& e) {
  return hex(e.program) + e.promise + cases::profile_name(e.profile);
}
std::string with_data(const Entry& e) { return question(e) + hex(e.data); }
std::string whole(const Entry& e) { return with_data(e) + hex(e.answer); }

// A census without goldens is compared by what it has.
void drop_answers(std::vector<Entry>* before, std::vector<Entry>* after) {
  const auto lacks = [](const std::vector<Entry>& entries) {
    return std::any_of(entries.begin(), entries.end(),
                       [](const Entry& e) { return e.answer == 0; });
  };
  if (!lacks(*before) && !lacks(*after)) return;
  for (auto* entries : {before, after}) {
    for (Entry& e : *entries) e.answer = 0;
  }
}

std::string examples(const char* title, std::vector<const Entry*> list,
                     std::size_t show) {
  std::sort(list.begin(), list.end(),
            [](const Entry* a, const Entry* b) { return a->path < b->path; });
  std::string out;
  for (std::size_t i = 0; i < std::min(show, list.size()); ++i) {
    out +=
        fmt::format("    {}: {}{}\n", title, list[i]->path,
                    list[i]->profile == cases::Profile::full ? " (full)" : "");
  }
  return out;
}

// A line for each row that differs, and the sum; *same says whether none does.
std::string comparison(const std::vector<Entry>& before,
                       const std::vector<Entry>& after, std::size_t show,
                       bool* same) {
  std::map<std::string, Rest> rows;
  for (const Entry& e : before) rows[e.row].before.push_back(&e);
  for (const Entry& e : after) rows[e.row].after.push_back(&e);
  std::string out;
  std::size_t equal = 0, differing = 0;
  for (auto& [row, rest] : rows) {
    equal += take_equal(whole, &rest);
    if (rest.before.empty() && rest.after.empty()) continue;
    ++differing;
    const std::size_t answers = take_equal(with_data, &rest);
    const std::size_t data = take_equal(question, &rest);
    out += fmt::format(
        "{}: {} with another answer, {} with other elements, {} only before, "
        "{} only after\n",
        row, answers, data, rest.before.size(), rest.after.size());
    out += examples("only before", rest.before, show);
    out += examples("only after", rest.after, show);
  }
  *same = differing == 0;
  return out + fmt::format(
                   "{} cases before, {} after, {} equal; {} of {} rows "
                   "differ\n",
                   before.size(), after.size(), equal, differing, rows.size());
}

int census(const CensusOptions& o) {
  if (o.out.empty() && o.against.empty()) {
    return complain("say what to do: --out FILE, --against FILE or both");
  }
  if (!o.out.empty()) {
    const Status writable = check_writable(o.out);
    if (!writable) return complain(writable.error().message);
  }
  std::vector<Entry> before;
  if (!o.against.empty()) {
    Result<std::vector<Entry>> read = read_census(o.against);
    if (!read) return complain(read.error().message);
    before = std::move(*read);
    const cases::Filters filters(o.filters);
    std::erase_if(before, [&](const Entry& e) {
      return (!o.filters.empty() && filters.matching(e.path).empty()) ||
             e.profile > o.profile;
    });
  }
  Result<std::unique_ptr<Session>> session = open_session(o.specs, o.filters);
  if (!session) return complain(session.error().message);
  const auto cases = select_cases(**session, o.filters, o.profile);
  if (!cases) return complain(cases.error().message);
  auto entries = count(**session, *cases, o);
  if (!entries) return complain(entries.error().message, kIncomplete);
  if (!o.out.empty()) {
    const Status written = replace_file(o.out, lines_of(*entries));
    if (!written) return complain(written.error().message, kIncomplete);
  }
  if (o.against.empty()) return 0;
  drop_answers(&before, &*entries);
  bool same = false;
  const std::string text = comparison(before, *entries, o.show, &same);
  return print(text, same ? 0 : 1);
}

}  // namespace

void add_census_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<CensusOptions>();
  CLI::App* c = app.add_subcommand(
      "census",
      "Write down what every case asks and, with --goldens, what must be "
      "answered; or compare with what was written before.");
  c->add_option("FILTER", o->filters, "globs over case paths");
  add_profile_option(c, &o->profile);
  c->add_flag("--goldens", o->goldens,
              "ask the oracle too; answers are compared where both have them");
  c->add_option("--out", o->out, "write the census here");
  c->add_option("--against", o->against,
                "compare with this census: exit 0 if all cases are equal, in "
                "whatever order and under whatever path");
  c->add_option("--show", o->show, "examples per row that differs")
      ->capture_default_str();
  c->add_option("--jobs,-j", o->jobs, "threads, default all cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = census(*o); });
}

}  // namespace assay::harness
