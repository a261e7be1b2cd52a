#include "harness/workers/cuda/record_approximate.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "harness/workers/approximate/instructions.h"
#include "harness/workers/approximate/recorded_device.h"
#include "harness/workers/approximate/survey.h"
#include "harness/workers/approximate/table.h"
#include "harness/workers/cuda/context.h"

namespace assay::harness::worker::cuda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kIncomplete = 3;
// Inputs of one launch: 64 MiB of results.
constexpr std::uint64_t kLaunch = std::uint64_t{1} << 24;
constexpr unsigned kThreads = 256;
constexpr const char* kSummary = "summary.json";

struct Request {
  fs::path tables, summaries;
  unsigned jobs = 1;
  std::uint64_t first = 0, count = 0;
  std::vector<const ApproximateInstruction*> instructions;
};

// The results of a range of inputs, by one kernel.
class Kernel {
 public:
  explicit Kernel(Context* context) : context_(context) {}
  ~Kernel() {
    const Driver& d = context_->driver();
    if (buffer_ != 0) (void)d.cuMemFree_v2(buffer_);
    if (module_ != nullptr) (void)d.cuModuleUnload(module_);
  }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Fails where the device does not have the instruction.
  Status load(const ApproximateInstruction& instruction) {
    const Driver& d = context_->driver();
    bytes_ = instruction.bits / 8;
    const std::string text = recording_kernel(instruction);
    CUresult r =
        d.cuModuleLoadDataEx(&module_, text.c_str(), 0, nullptr, nullptr);
    if (r == kSuccess) r = d.cuModuleGetFunction(&entry_, module_, "record");
    if (r != kSuccess) return context_->failed("loading its kernel", r);
    r = d.cuMemAlloc_v2(&buffer_, kLaunch * bytes_);
    if (r != kSuccess) return context_->failed("memory for results", r);
    return success();
  }

  Result<std::vector<std::uint32_t>> run(std::uint64_t first,
                                         std::uint64_t count) {
    const Driver& d = context_->driver();
    auto begin = static_cast<std::uint32_t>(first);
    auto n = static_cast<std::uint32_t>(count);
    void* parameters[] = {&buffer_, &begin, &n};
    const unsigned blocks = (n + kThreads - 1) / kThreads;
    std::vector<std::byte> raw(count * bytes_);
    CUresult r = d.cuLaunchKernel(entry_, blocks, 1, 1, kThreads, 1, 1, 0,
                                  context_->stream(), parameters, nullptr);
    if (r == kSuccess) {
      r = d.cuMemcpyDtoHAsync_v2(raw.data(), buffer_, raw.size(),
                                 context_->stream());
    }
    if (r == kSuccess) r = context_->wait();
    if (r != kSuccess) {
      return context_->failed(fmt::format("inputs from 0x{:x} on", first), r);
    }
    std::vector<std::uint32_t> out(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::memcpy(&out[i], raw.data() + i * bytes_, bytes_);
    }
    return out;
  }

 private:
  Context* context_;
  CUmodule module_ = nullptr;
  CUfunction entry_ = nullptr;
  CUdeviceptr buffer_ = 0;
  std::size_t bytes_ = 4;
};

class Recorder {
 public:
  Recorder(Context* context, Request request)
      : context_(context), request_(std::move(request)) {
    const DeviceFacts& f = context_->facts();
    device_ = {{"gpu", f.name}, {"sm", f.sm}, {"driver", f.driver}};
    const std::string name = recording_name(f.name, f.sm);
    tables_ = request_.tables / name;
    summary_ = request_.summaries / name / kSummary;
    read_summary();
  }

  Status run() {
    for (const ApproximateInstruction* i : request_.instructions) {
      if (is_there(*i)) {
        fmt::print("{}: recorded already\n", i->name);
        continue;
      }
      Kernel kernel(context_);
      const Status loaded = kernel.load(*i);
      if (!loaded) {
        if (is_lost(loaded.error().message)) return loaded;
        fmt::print("{}: left out: {}\n", i->name, loaded.error().message);
        continue;
      }
      const Status done = record(*i, kernel);
      if (!done) {
        return Error{fmt::format("{}: {}", i->name, done.error().message)};
      }
      std::fflush(stdout);
    }
    return success();
  }

  const fs::path& tables() const { return tables_; }
  const fs::path& summary() const { return summary_; }

 private:
  bool is_lost(const std::string& message) const {
    return context_->failure(message).kind == "device_lost";
  }

  std::uint64_t count_of(const ApproximateInstruction& i) const {
    const std::uint64_t rest =
        i.inputs() - std::min(i.inputs(), request_.first);
    return request_.count == 0 ? rest : std::min(request_.count, rest);
  }

  fs::path file_of(const ApproximateInstruction& i) const {
    return tables_ / fmt::format("{}.table", i.name);
  }

  bool is_there(const ApproximateInstruction& i) const {
    const auto table = Table::open(file_of(i));
    return table && (*table)->head().first == request_.first &&
           (*table)->head().count == count_of(i) &&
           (*table)->head().device == device_ && found_.contains(i.name);
  }

  Status record(const ApproximateInstruction& i, Kernel& kernel) {
    const std::uint64_t count = count_of(i);
    auto writer = TableWriter::begin(file_of(i),
                                     {i.name, request_.first, count, device_});
    if (!writer) return writer.error();
    Survey all(i);
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t n = std::min(kLaunch, count - done);
      const auto results = kernel.run(request_.first + done, n);
      if (!results) return results.error();
      const Status kept =
          keep(i, request_.first + done, *results, &*writer, &all);
      if (!kept) return kept;
      done += n;
    }
    const Status whole = writer->finish();
    if (!whole) return whole;
    ordered_json found = all.to_json();
    found["first_input"] = request_.first;
    found["table_bytes"] = writer->bytes();
    print(found);
    found_[i.name] = std::move(found);
    return write_summary();
  }

  // Packs and counts by several threads.
  Status keep(const ApproximateInstruction& i, std::uint64_t first,
              const std::vector<std::uint32_t>& results, TableWriter* writer,
              Survey* all) const {
    const std::size_t blocks = (results.size() + kTableBlock - 1) / kTableBlock;
    std::vector<std::string> packed(blocks);
    std::vector<Survey> surveys(blocks, Survey(i));
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t b = next++; b < blocks; b = next++) {
        const std::size_t begin = b * kTableBlock;
        const std::span<const std::uint32_t> part(
            results.data() + begin,
            std::min<std::size_t>(kTableBlock, results.size() - begin));
        packed[b] = pack_block(part, i.bits);
        surveys[b].add(first + begin, part);
      }
    };
    std::vector<std::thread> threads;
    for (unsigned t = 1; t < request_.jobs; ++t) threads.emplace_back(work);
    work();
    for (std::thread& t : threads) t.join();
    for (std::size_t b = 0; b < blocks; ++b) {
      const Status kept = writer->append(packed[b]);
      if (!kept) return kept;
      all->add(surveys[b]);
    }
    return success();
  }

  static void print(const ordered_json& found) {
    const auto inputs = found["inputs"].get<std::uint64_t>();
    const std::uint64_t same = found["distances"].value("0", 0ULL);
    fmt::print(
        "{}: {} inputs, {} not correctly rounded, at most {} away, {} outside "
        "of the ISA's bound; {} bytes\n",
        found["instruction"].get<std::string>(), inputs, inputs - same,
        found["largest_distance"].get<std::int64_t>(),
        found["outside_of_bound"].get<std::uint64_t>(),
        found["table_bytes"].get<std::uint64_t>());
  }

  // What another device left is not ours.
  void read_summary() {
    std::ifstream in(summary_);
    const auto all = ordered_json::parse(in, nullptr, false);
    if (!all.is_object() ||
        json(all.value("device", ordered_json())) != device_)
      return;
    for (const auto& one : all.value("instructions", ordered_json::array())) {
      found_[one.value("instruction", "")] = one;
    }
  }

  Status write_summary() const {
    ordered_json all = {{"recording", 1}, {"device", device_}};
    all["instructions"] = ordered_json::array();
    for (const auto& [name, found] : found_) {
      all["instructions"].push_back(found);
    }
    std::error_code failed;
    fs::create_directories(summary_.parent_path(), failed);
    const fs::path draft = fmt::format("{}.{}", summary_.string(), getpid());
    {
      std::ofstream out(draft);
      out << all.dump(1) << "\n";
      out.close();
      if (out) fs::rename(draft, summary_, failed);
      if (out && !failed) return success();
    }
    fs::remove(draft, failed);
    return Error{fmt::format("{} cannot be written", summary_.string())};
  }

  Context* context_;
  Request request_;
  json device_;
  fs::path tables_, summary_;
  std::map<std::string, ordered_json> found_;
};

Result<std::uint64_t> number(const std::string& text) {
  std::uint64_t out = 0;
  const auto [end, failed] =
      std::from_chars(text.data(), text.data() + text.size(), out);
  if (failed != std::errc() || end != text.data() + text.size()) {
    return Error{fmt::format("'{}' is no number", text)};
  }
  return out;
}

Result<Request> read_request(const std::vector<std::string>& a) {
  constexpr std::size_t kFixed = 5;
  if (a.size() < kFixed) {
    return Error{"TABLES SUMMARIES JOBS FIRST COUNT are due"};
  }
  Request r;
  r.tables = a[0].empty() ? recordings_folder() : fs::path(a[0]);
  r.summaries = a[1];
  const auto jobs = number(a[2]);
  const auto first = number(a[3]);
  const auto count = number(a[4]);
  for (const auto* n : {&jobs, &first, &count}) {
    if (!*n) return n->error();
  }
  r.jobs = static_cast<unsigned>(std::clamp<std::uint64_t>(*jobs, 1, 1024));
  r.first = *first;
  r.count = *count;
  if (r.first % kTableBlock != 0 || r.first >> 32 != 0) {
    return Error{
        fmt::format("the first input, {}, is no multiple of {} below 2^32",
                    r.first, kTableBlock)};
  }
  std::string known;
  for (const ApproximateInstruction& i : approximate_instructions()) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", i.name);
    if (a.size() == kFixed && r.first < i.inputs()) {
      r.instructions.push_back(&i);
    }
  }
  for (std::size_t k = kFixed; k < a.size(); ++k) {
    const ApproximateInstruction* i = find_approximate(a[k]);
    if (i == nullptr) {
      return Error{fmt::format("'{}' is none of {}", a[k], known)};
    }
    if (r.first >= i->inputs()) {
      return Error{fmt::format("{} has {} inputs, all below the first, {}",
                               i->name, i->inputs(), r.first)};
    }
    r.instructions.push_back(i);
  }
  return r;
}

}  // namespace

int record_approximate(const std::vector<std::string>& arguments) {
  Result<Request> request = read_request(arguments);
  if (!request) {
    fmt::print(stderr, "assay: {}\n", request.error().message);
    return 2;
  }
  Outcome<Context> context = Context::create();
  if (const auto* failure = std::get_if<Failure>(&context)) {
    fmt::print(stderr, "assay: no GPU can be used here: {}\n",
               failure->message);
    return kIncomplete;
  }
  Recorder recorder(&std::get<Context>(context), std::move(*request));
  const Status done = recorder.run();
  if (!done) {
    fmt::print(stderr,
               "assay: {}; what is whole is kept, and the same command goes "
               "on\n",
               done.error().message);
    return kIncomplete;
  }
  fmt::print("tables are in {}, what to commit in {}\n",
             recorder.tables().string(), recorder.summary().string());
  return 0;
}

}  // namespace assay::harness::worker::cuda
