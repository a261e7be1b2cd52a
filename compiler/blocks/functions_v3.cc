// Compiled with -march=x86-64-v3.
#define A_BLOCK_FUNCTIONS block_functions_v3
#include "compiler/blocks/functions.inc"
