#include "harness/records/recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "core/program_text.h"
#include "harness/records/result_json.h"
#include "harness/records/results_file.h"
#include "harness/records/seal.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kFormat = "assay_recording";
constexpr int kVersion = 1;

constexpr std::array<const char*, 10> kKinds = {
    "returned",  "linted",        "raised",    "unsupported", "crashed",
    "timed_out", "out_of_memory", "malformed", "not_run",     "device_lost"};

// Little-endian bytes of the elements in row-major order.
std::string element_bytes(const Tensor& whole) {
  const Tensor t = components(whole);
  const auto width = static_cast<std::size_t>(size_bytes(t.dtype()));
  const std::int64_t n = t.numel();
  std::string out;
  out.reserve(static_cast<std::size_t>(n) * width);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t bits = t.bits(i);
    for (std::size_t b = 0; b < width; ++b) {
      out += static_cast<char>((bits >> (8 * b)) & 0xff);
    }
  }
  return out;
}

std::string to_hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  throw std::invalid_argument("data is not lower-case hexadecimal");
}

ordered_json tensor_json(const Tensor& t) {
  return {{"dtype", dtype_name(t.dtype())},
          {"sizes", t.sizes()},
          {"data", to_hex(element_bytes(t))}};
}

Tensor tensor_from(const ordered_json& j) {
  const auto dtype = parse_dtype(j.at("dtype").get<std::string>());
  if (!dtype) throw std::invalid_argument("unknown dtype");
  const auto sizes = j.at("sizes").get<Shape>();
  // Checked before anything of that size is allocated.
  const auto& hex = j.at("data").get_ref<const std::string&>();
  const auto width = static_cast<std::size_t>(size_bytes(component(*dtype)));
  const std::size_t parts = is_complex(*dtype) ? 2 : 1;  // of an element
  const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  std::size_t count = empty ? 0 : parts;
  std::int64_t reach = 1;  // of strides, which a tensor without elements has
  for (const std::int64_t s : sizes) {
    if (s < 0 ||
        __builtin_mul_overflow(reach, std::max<std::int64_t>(s, 1), &reach)) {
      throw std::invalid_argument("a size is out of range");
    }
    const auto size = static_cast<std::size_t>(s);
    if (!empty && count > hex.size() / size) {
      throw std::invalid_argument("sizes and data do not agree");
    }
    count *= size;
  }
  if (hex.size() != 2 * width * count) {
    throw std::invalid_argument("sizes and data do not agree");
  }
  const Tensor t = Tensor::zeros(*dtype, sizes);
  Tensor given = components(t);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    for (std::size_t b = 0; b < width; ++b) {
      const std::size_t at = 2 * (i * width + b);
      const int byte = 16 * hex_digit(hex[at]) + hex_digit(hex[at + 1]);
      bits |= static_cast<std::uint64_t>(byte) << (8 * b);
    }
    given.set_bits(static_cast<std::int64_t>(i), bits);
  }
  return t;
}

std::vector<ReturnedLayout> layouts_from(const ordered_json& j,
                                         const std::vector<Tensor>& outputs) {
  std::vector<ReturnedLayout> out;
  for (const auto& l : j.value("layouts", ordered_json::array())) {
    out.push_back({l.at("strides").get<Shape>(),
                   l.at("offset").get<std::int64_t>(),
                   l.value("storage", kStorageUntold)});
  }
  if (out.empty()) return out;
  bool fit = out.size() == outputs.size();
  for (std::size_t k = 0; fit && k < out.size(); ++k) {
    fit = out[k].strides.size() == outputs[k].sizes().size();
  }
  if (!fit) throw std::invalid_argument("layouts and outputs do not agree");
  return out;
}

bool is_recording(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const auto header = ordered_json::parse(line, nullptr, false);
  return header.is_object() && header.contains(kFormat);
}

// Where the last whole record ends, and its seal.
struct End {
  std::uint64_t bytes = 0;
  std::uint64_t seal = 0;
  bool ends_line = true;
};

Result<End> read_one(const fs::path& file, const RecordingReader& reader) {
  std::ifstream in(file);
  if (!in) return Error{fmt::format("{}: {}", file.string(), errno_text())};
  std::string line;
  std::uint64_t seal = 0;
  End end;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const bool torn = in.eof();  // no newline behind it
    const auto fault = [&](const std::string& what) {
      return Error{fmt::format("{}:{}: {}", file.string(), number, what)};
    };
    const auto record = ordered_json::parse(line, nullptr, false);
    if (!record.is_object()) {
      if (torn && number > 1) return end;
      return fault("this is no JSON record");
    }
    const Status whole = check_seal(record, &seal);
    const auto edited = [&] {
      return fault(whole.error().message + ": record it again");
    };
    Status status = success();
    if (number == 1) {
      if (!record.contains(kFormat) || record[kFormat] != kVersion) {
        return fault(
            fmt::format("this is no recording of format {}: its "
                        "header lacks \"{}\": {}",
                        kVersion, kFormat, kVersion));
      }
      if (!whole) return edited();
      status = reader.on_header(record);
    } else {
      Result<RecordedObservation> o = observation_from_json(record);
      if ((!o || !whole) && torn) return end;
      if (!o) return fault(o.error().message);
      if (!whole) return edited();
      status = reader.on_observation(std::move(o.value()));
    }
    if (!status.ok()) return fault(status.error().message);
    end.bytes += line.size() + (torn ? 0 : 1);
    end.seal = seal;
    end.ends_line = !torn;
  }
  return end;
}

// Did the run that wrote the file end before its header was whole?
bool is_torn_header(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!in) return false;
  if (std::getline(in, line) && !in.eof()) return false;
  const std::string begin = fmt::format("{{\"{}\"", kFormat);
  return line.starts_with(begin) || begin.starts_with(line);
}

// Headers as runs know them.
ordered_json plain(ordered_json header) {
  header.erase(kFormat);
  header.erase("seal");
  return header;
}

}  // namespace

std::uint64_t identity_of(const cases::Case& c,
                          const std::vector<Tensor>& inputs) {
  std::string text = to_text(c.program);
  for (const Tensor& t : inputs) text += element_bytes(t);
  return fnv1a(text);
}

ordered_json to_json(const RecordedObservation& r) {
  const Observation& o = r.observation;
  ordered_json out = {{"case", r.case_path},
                      {"case_hash", fmt::format("{:016x}", r.case_hash)},
                      {"column", r.column},
                      {"kind", kKinds[static_cast<std::size_t>(o.kind)]}};
  if (o.kind == Observation::Kind::returned) {
    out["outputs"] = ordered_json::array();
    for (const Tensor& t : o.outputs) out["outputs"].push_back(tensor_json(t));
    for (const ReturnedLayout& l : o.layouts) {
      out["layouts"].push_back(
          {{"strides", l.strides}, {"offset", l.storage_offset}});
      if (l.storage != kStorageUntold) {
        out["layouts"].back()["storage"] = l.storage;
      }
    }
    for (const std::vector<Tensor>& other : o.alternatives) {
      ordered_json list = ordered_json::array();
      for (const Tensor& t : other) list.push_back(tensor_json(t));
      out["alternatives"].push_back(std::move(list));
    }
    if (!o.depends_on.empty()) out["depends_on"] = o.depends_on;
  }
  if (!o.remarks.empty()) out["remarks"] = o.remarks;
  if (o.evidence != Evidence::ran) out["evidence"] = evidence_name(o.evidence);
  if (o.lowering != Lowering::untold) {
    out["lowering"] = lowering_name(o.lowering);
  }
  if (o.kind == Observation::Kind::raised) {
    out["error"] = {{"exception", o.error.exception},
                    {"classes", o.error.classes},
                    {"clause", o.error.clause},
                    {"message", o.error.message},
                    {"phase", o.error.phase}};
  }
  out["detail"] = o.detail;
  out["breaches"] = o.breaches;
  out["seconds"] = o.seconds;
  return out;
}

Result<RecordedObservation> observation_from_json(const ordered_json& j) {
  try {
    RecordedObservation r;
    r.case_path = j.at("case").get<std::string>();
    r.case_hash =
        std::stoull(j.at("case_hash").get<std::string>(), nullptr, 16);
    r.column = j.at("column").get<std::string>();
    const auto kind = j.at("kind").get<std::string>();
    const auto* at = std::find(kKinds.begin(), kKinds.end(), kind);
    if (at == kKinds.end()) {
      return Error{fmt::format("unknown kind '{}' of observation", kind)};
    }
    Observation& o = r.observation;
    o.kind = static_cast<Observation::Kind>(at - kKinds.begin());
    if (o.kind == Observation::Kind::returned) {
      for (const auto& t : j.at("outputs")) o.outputs.push_back(tensor_from(t));
      o.layouts = layouts_from(j, o.outputs);
      for (const auto& list : j.value("alternatives", ordered_json::array())) {
        o.alternatives.emplace_back();
        for (const auto& t : list) {
          o.alternatives.back().push_back(tensor_from(t));
        }
      }
      o.depends_on = j.value("depends_on", std::vector<std::string>());
    }
    o.remarks = j.value("remarks", std::vector<std::string>());
    const std::string evidence = j.value("evidence", "ran");
    if (!parse_evidence(evidence)) {
      return Error{fmt::format("unknown evidence '{}'", evidence)};
    }
    o.evidence = *parse_evidence(evidence);
    const std::string lowering = j.value("lowering", "untold");
    if (!parse_lowering(lowering)) {
      return Error{fmt::format("unknown lowering '{}'", lowering)};
    }
    o.lowering = *parse_lowering(lowering);
    if (o.kind == Observation::Kind::raised) {
      const auto& e = j.at("error");
      o.error.exception = e.at("exception").get<std::string>();
      o.error.classes = e.at("classes").get<std::vector<std::string>>();
      o.error.clause = e.at("clause").get<std::string>();
      o.error.message = e.at("message").get<std::string>();
      o.error.phase = e.at("phase").get<std::string>();
    }
    o.detail = j.at("detail").get<std::string>();
    o.breaches = j.at("breaches").get<std::vector<std::string>>();
    o.seconds = j.at("seconds").get<double>();
    return r;
  } catch (const std::exception& e) {
    return Error{e.what()};
  }
}

Result<RecordingWriter> RecordingWriter::create(const fs::path& file,
                                                const ordered_json& header) {
  RecordingWriter out;
  out.file_ = file;
  out.out_ = Descriptor(::open(
      file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
  if (!out.out_.valid()) {
    return Error{
        fmt::format("cannot record to {}: {}", file.string(), errno_text())};
  }
  ordered_json first = {{kFormat, kVersion}};
  first.update(header);
  const Status written =
      write_all(out.out_.get(), sealed_line(first, &out.seal_), file);
  if (!written.ok()) return written.error();
  return out;
}

Result<RecordingWriter> RecordingWriter::resume(const fs::path& file,
                                                const ordered_json& header,
                                                RecordedCases* there) {
  std::error_code error;
  if (is_torn_header(file)) fs::remove(file, error);
  if (!fs::exists(file, error)) return create(file, header);
  RecordingReader reader;
  reader.on_header = [&](const ordered_json& found) -> Status {
    const std::string difference = header_difference(plain(found), header);
    if (difference.empty()) return success();
    return Error{fmt::format(
        "this recording cannot be gone on with: {}. Name another --record",
        difference)};
  };
  reader.on_observation = [&](const RecordedObservation& o) {
    there->emplace(o.case_path, o.column);
    return success();
  };
  const Result<End> end = read_one(file, reader);
  if (!end) return end.error();
  RecordingWriter out;
  out.file_ = file;
  out.seal_ = end->seal;
  out.out_ = Descriptor(::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!out.out_.valid() ||
      ::ftruncate(out.out_.get(), static_cast<off_t>(end->bytes)) != 0) {
    return Error{
        fmt::format("cannot record to {}: {}", file.string(), errno_text())};
  }
  if (!end->ends_line) {
    const Status written = write_all(out.out_.get(), "\n", file);
    if (!written) return written.error();
  }
  return out;
}

Status RecordingWriter::append(const RecordedObservation& o) {
  return write_all(out_.get(), sealed_line(to_json(o), &seal_), file_);
}

Result<std::vector<fs::path>> recordings_in(const fs::path& dir) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    if (entry.path().extension() == ".jsonl" && is_recording(entry.path())) {
      files.push_back(entry.path());
    }
  }
  if (error) {
    return Error{fmt::format("{}: {}", dir.string(), error.message())};
  }
  std::sort(files.begin(), files.end());
  return files;
}

Status read_recording(const fs::path& path, const RecordingReader& reader) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return Error{
        fmt::format("{}: there is no such file or folder", path.string())};
  }
  const auto read = [&reader](const fs::path& file) -> Status {
    const Result<End> end = read_one(file, reader);
    return end ? success() : Status(end.error());
  };
  if (!fs::is_directory(path, error)) return read(path);
  const Result<std::vector<fs::path>> files = recordings_in(path);
  if (!files) return files.error();
  if (files->empty()) {
    return Error{fmt::format(
        "{} holds no recording; `assay run --record FILE` makes one",
        path.string())};
  }
  for (const fs::path& file : *files) {
    Status status = read(file);
    if (!status.ok()) return status;
  }
  return success();
}

}  // namespace assay::harness
