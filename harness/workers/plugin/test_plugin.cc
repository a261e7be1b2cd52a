// A compiler under test that is a shared object, small enough to read at once:
// it negates f32 tensors of rank 1, refuses what it is told to refuse, and
// shows the options that it was given. For plugin_worker_test.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "assay/plugin.h"

struct AssayArtifact {
  std::string text;
};

namespace {

std::string message;

AssayCode fail(AssayError* error, AssayCode code, const char* exception,
               const char* clause, std::string text) {
  message = std::move(text);
  error->exception = exception;
  error->clause = clause;
  error->message = message.c_str();
  return code;
}

bool has(const std::string& program, const char* op) {
  return program.find(op) != std::string::npos;
}

// As a plugin of version 1.0, whose table ends before what came later.
bool is_old() { return std::getenv("TEST_PLUGIN_IS_OLD") != nullptr; }

AssayCode query(const char* program, const char*, AssayError* error) {
  if (has(program, "aten.exotic")) {
    return fail(error, ASSAY_UNSUPPORTED, nullptr, nullptr,
                "exotic operations are not for us");
  }
  return ASSAY_OK;
}

AssayCode query_with_options(const char* program, const char* target,
                             const AssayOption* options, size_t option_count,
                             AssayError* error) {
  if (is_old()) std::abort();
  for (size_t i = 0; i < option_count; ++i) {
    if (std::strcmp(options[i].name, "exotic") != 0) continue;
    return fail(error, ASSAY_UNSUPPORTED, nullptr, nullptr,
                std::string("no exotic=") + options[i].value);
  }
  return query(program, target, error);
}

AssayCode compile(const char* program, const char* target,
                  const AssayOption* options, size_t option_count,
                  AssayArtifact** artifact, AssayError* error) {
  if (has(program, "aten.refused")) {
    if (!is_old()) error->lowering = "hand";
    return fail(error, ASSAY_REFUSED, "IndexError", "refused/E2",
                "dimension out of range");
  }
  if (has(program, "aten.broken")) {
    return fail(error, ASSAY_INTERNAL, nullptr, nullptr, "pass 3 failed");
  }
  auto* made = new AssayArtifact{std::string("for ") + target};
  for (size_t i = 0; i < option_count; ++i) {
    made->text += std::string(" ") + options[i].name + "=" + options[i].value;
  }
  *artifact = made;
  return ASSAY_OK;
}

AssayCode launch(AssayArtifact*, const AssayTensor* inputs, size_t input_count,
                 AssayTensor* outputs, size_t output_count, AssayError* error) {
  const AssayDType f32 = {2, 32, 1};
  if (input_count != 1 || inputs[0].rank != 1 ||
      std::memcmp(&inputs[0].dtype, &f32, sizeof f32) != 0) {
    return fail(error, ASSAY_INTERNAL, nullptr, nullptr, "one f32[N] please");
  }
  const auto* in = static_cast<const float*>(inputs[0].data);
  for (int64_t i = 0; i < inputs[0].sizes[0]; ++i) {
    const float x = in[i * inputs[0].strides[0]];
    if (x < 0) {
      return fail(error, ASSAY_REFUSED, "ValueError", "neg/E1",
                  "no negative numbers");
    }
    // No output where the harness expects a refusal: guards are checked all
    // the same.
    if (output_count > 0) static_cast<float*>(outputs[0].data)[i] = -x;
  }
  return ASSAY_OK;
}

void destroy(AssayArtifact* artifact) { delete artifact; }

const char* explain(AssayArtifact* artifact, const char* kind) {
  return std::strcmp(kind, "options") == 0 ? artifact->text.c_str() : nullptr;
}

const char* lowering(AssayArtifact*) {
  if (is_old()) std::abort();
  return "derived";
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const AssayPlugin*
assay_plugin_query(uint32_t, uint32_t) {
  static const AssayPlugin plugin = {
      is_old() ? offsetof(AssayPlugin, query_with_options)
               : sizeof(AssayPlugin),
      ASSAY_PLUGIN_ABI_MAJOR,
      ASSAY_PLUGIN_ABI_MINOR,
      "tiny",
      "0.3",
      "cpu-plain cpu-fancy",
      nullptr,
      query,
      compile,
      launch,
      destroy,
      explain,
      query_with_options,
      lowering,
      "rows"};
  return &plugin;
}
