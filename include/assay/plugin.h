/* The C interface of a compiler under test that is a shared object.
 *
 * Export one symbol, assay_plugin_query (ASSAY_PLUGIN_SYMBOL). Every struct
 * starts with struct_size, set by whoever fills it in, so that fields can be
 * added at the end: read a field only if struct_size covers it.
 *
 * Rules. No exception crosses this interface. Nothing is printed to standard
 * output. Signal handlers, the rounding mode and flush-to-zero flags stay as
 * they were found. Functions are called by one thread at a time per artifact.
 * The same bytes in give the same bytes out. Inputs are not written to, except
 * where the program's operations mutate them.
 *
 * Outputs are allocated by the caller, row-major, filled with a NaN pattern and
 * fenced by canaries that are checked after each launch.
 */
#ifndef ASSAY_INCLUDE_ASSAY_PLUGIN_H_
#define ASSAY_INCLUDE_ASSAY_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_PLUGIN_ABI_MAJOR 1 /* differs: incompatible */
#define ASSAY_PLUGIN_ABI_MINOR 2 /* higher: only additions */
#define ASSAY_PLUGIN_SYMBOL "assay_plugin_query"

/* Type codes and widths are DLPack's (dmlc/dlpack, DLDataTypeCode). */
typedef struct AssayDType {
  /* 0 int, 1 uint, 2 float, 4 bfloat, 5 complex (64 bits or 128), 6 bool; of
     8 bits: 10 f8e4m3fn, 11 f8e4m3fnuz, 12 f8e5m2, 13 f8e5m2fnuz,
     14 f8e8m0fnu */
  uint8_t code;
  uint8_t bits;
  uint16_t lanes; /* 1 */
} AssayDType;

/* A strided tensor: the fields of DLTensor that apply, host memory. */
typedef struct AssayTensor {
  size_t struct_size;
  void* data; /* first element */
  AssayDType dtype;
  int32_t rank;
  const int64_t* sizes;
  const int64_t* strides; /* in elements, never negative */
} AssayTensor;

typedef enum AssayCode {
  ASSAY_OK = 0,
  ASSAY_UNSUPPORTED = 1, /* declared before anything runs */
  ASSAY_REFUSED = 2,     /* the program is invalid: the error contract */
  ASSAY_INTERNAL = 3     /* the compiler's own fault */
} AssayCode;

/* Filled in by the callee where a call does not return ASSAY_OK. Strings stay
 * valid until the next call on the same plugin. */
typedef struct AssayError {
  size_t struct_size;
  const char* exception; /* Python class name, e.g. "RuntimeError" */
  const char* clause;    /* the promise that refused, "bmm/E4", or NULL */
  const char* message;
  /* Since 1.1, of a program that compile refuses: as AssayPlugin's lowering. */
  const char* lowering;
} AssayError;

typedef struct AssayArtifact AssayArtifact; /* the plugin's own */

typedef struct AssayOption {
  const char* name;
  const char* value;
} AssayOption;

typedef struct AssayPlugin {
  size_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  const char* name; /* "bundled": the first part of its column's name */
  const char* version;
  const char* targets;   /* space-separated, default first: "cpu-avx2 ..." */
  const char* sanitizer; /* "address", "thread" or NULL: the host must match */

  /* Can it compile this program (canonical text: core/program_text.h, which
   * is installed with the kit, docs/vendor.md) for this target? ASSAY_OK,
   * ASSAY_UNSUPPORTED with the reason, or ASSAY_INTERNAL. An invalid program is
   * not "unsupported": compile must refuse it. */
  AssayCode (*query)(const char* program, const char* target,
                     AssayError* error);

  /* Makes an artifact, or returns ASSAY_REFUSED, ASSAY_UNSUPPORTED or
   * ASSAY_INTERNAL. `options` are the column's, by name. */
  AssayCode (*compile)(const char* program, const char* target,
                       const AssayOption* options, size_t option_count,
                       AssayArtifact** artifact, AssayError* error);

  /* Runs it: inputs and outputs in the program's order, of its dtypes and
   * sizes. No outputs although the program has some: check and refuse only. */
  AssayCode (*launch)(AssayArtifact* artifact, const AssayTensor* inputs,
                      size_t input_count, AssayTensor* outputs,
                      size_t output_count, AssayError* error);

  /* Frees what compile made. */
  void (*destroy)(AssayArtifact* artifact);

  /* Optional: text of one kind ("c++", "cuda", "ptx", "asm", "ledger", "nest",
   * "graph"; "launches", "launches+cubin": docs/launch-plan.md; "kinds" and
   * "passes": docs/subject-protocol.md). NULL where there is none. Valid until
   * the next call. */
  const char* (*explain)(AssayArtifact* artifact, const char* kind);

  /* Since 1.1, optional: asked in place of query, with what compile gets. */
  AssayCode (*query_with_options)(const char* program, const char* target,
                                  const AssayOption* options,
                                  size_t option_count, AssayError* error);

  /* Since 1.1, optional: "hand", "derived" where code or guards of a call were
   * made from its spec (docs/subject-protocol.md), or NULL, which says nothing.
   */
  const char* (*lowering)(AssayArtifact* artifact);

  /* Since 1.2, optional: what it promises besides values and errors
   * (docs/subject-protocol.md), words separated by spaces, or NULL. "rows": the
   * bits of a row do not hang on how many rows are beside it. */
  const char* promises;
} AssayPlugin;

/* Returns the table for the highest ABI that both sides know, or NULL. */
const AssayPlugin* assay_plugin_query(uint32_t host_abi_major,
                                      uint32_t host_abi_minor);

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_INCLUDE_ASSAY_PLUGIN_H_ */
