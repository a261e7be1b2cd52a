// Compiled with -march=x86-64-v4.
#define A_BLOCK_FUNCTIONS block_functions_v4
#include "compiler/blocks/functions.inc"
