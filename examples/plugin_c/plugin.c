/* A compiler of two operations, in C, with the header alone: programs that are
 * one call of neg or abs on f32. What else it is asked for it declares
 * unsupported, except for what PyTorch refuses: that it must refuse, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/plugin.h"

#define MAX_RANK 64

struct AssayArtifact {
  int magnitude; /* abs, else neg */
};

static AssayCode fail(AssayError* error, AssayCode code, const char* exception,
                      const char* message) {
  error->exception = exception;
  error->message = message;
  return code;
}

/* Reads a program of one call with one input. %n is only reached where all of
 * the text fits. */
static int read_program(const char* text, char dtype[16], char op[64]) {
  int end = 0;
  sscanf(text,
         "assay-program 1\n"
         "%%0 = input %15[a-z0-9]%*[^\n]\n"
         "%%1 = aten.%63[a-z0-9_].default(%%0)\n"
         "return %%1\n%n",
         dtype, op, &end);
  return end > 0 && text[end] == '\0';
}

static AssayCode query(const char* program, const char* target,
                       AssayError* error) {
  char dtype[16], op[64];
  (void)target; /* there is one */
  if (!read_program(program, dtype, op) ||
      (strcmp(op, "neg") != 0 && strcmp(op, "abs") != 0)) {
    return fail(error, ASSAY_UNSUPPORTED, NULL,
                "only programs of one call, neg or abs");
  }
  /* An invalid program is not an unsupported one: compile refuses bool. */
  if (strcmp(dtype, "f32") != 0 && strcmp(dtype, "bool") != 0) {
    return fail(error, ASSAY_UNSUPPORTED, NULL, "only f32");
  }
  return ASSAY_OK;
}

static AssayCode compile(const char* program, const char* target,
                         const AssayOption* options, size_t option_count,
                         AssayArtifact** artifact, AssayError* error) {
  char dtype[16], op[64];
  const AssayCode supported = query(program, target, error);
  (void)options;
  if (supported != ASSAY_OK) return supported;
  if (option_count != 0) {
    return fail(error, ASSAY_INTERNAL, NULL, "there are no options");
  }
  read_program(program, dtype, op);
  if (strcmp(dtype, "bool") == 0) {
    return fail(error, ASSAY_REFUSED, "RuntimeError",
                "bool has neither sign nor magnitude");
  }
  *artifact = malloc(sizeof **artifact);
  if (*artifact == NULL) {
    return fail(error, ASSAY_INTERNAL, NULL, "out of memory");
  }
  (*artifact)->magnitude = strcmp(op, "abs") == 0;
  return ASSAY_OK;
}

static float answer(const AssayArtifact* artifact, float x) {
  unsigned char bytes[sizeof x];
  memcpy(bytes, &x, sizeof x);
  /* The sign is a bit of its own: -0 and NaN have one, too. */
  if (artifact->magnitude) bytes[3] &= 0x7f;
  else bytes[3] ^= 0x80;
  memcpy(&x, bytes, sizeof x);
  return x;
}

static AssayCode launch(AssayArtifact* artifact, const AssayTensor* inputs,
                        size_t input_count, AssayTensor* outputs,
                        size_t output_count, AssayError* error) {
  const AssayTensor* in = inputs;
  int64_t index[MAX_RANK] = {0}, count = 1, i;
  const float* from;
  int d;
  if (input_count != 1 || in->rank > MAX_RANK) {
    return fail(error, ASSAY_INTERNAL, NULL, "one tensor of rank 64 at most");
  }
  if (output_count == 0) return ASSAY_OK; /* there is nothing to refuse */
  for (d = 0; d < in->rank; ++d) count *= in->sizes[d];
  from = (const float*)in->data;
  for (i = 0; i < count; ++i) { /* the output is row-major */
    ((float*)outputs[0].data)[i] = answer(artifact, *from);
    for (d = in->rank - 1; d >= 0; --d) {
      from += in->strides[d];
      if (++index[d] < in->sizes[d]) break;
      from -= in->sizes[d] * in->strides[d];
      index[d] = 0;
    }
  }
  return ASSAY_OK;
}

static void destroy(AssayArtifact* artifact) { free(artifact); }

const AssayPlugin* assay_plugin_query(uint32_t host_abi_major,
                                      uint32_t host_abi_minor) {
  static const AssayPlugin plugin = {
      sizeof(AssayPlugin), ASSAY_PLUGIN_ABI_MAJOR, ASSAY_PLUGIN_ABI_MINOR,
      "plugin_c",          "1.0",                  "cpu",
      NULL, /* no sanitizer */
      query,               compile,                launch,
      destroy,             NULL, /* nothing to explain */
      NULL, /* no options */
      NULL, /* and no lowering from specs */
      NULL, /* values and errors are all that it promises */
  };
  (void)host_abi_minor;
  return host_abi_major == ASSAY_PLUGIN_ABI_MAJOR ? &plugin : NULL;
}
