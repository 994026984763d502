/* What the program tactus-mesh writes to its standard output, for the process that started it: a head, then `count`
 * corners of three floats, or `count` bytes of text that say why not. Both are the same machine: numbers are as it has
 * them. */
#pragma once

#include <stdint.h>

#define TAC_MESH_ANSWER_MAGIC UINT64_C(0x314853454d434154) /* "TACMESH1" */

typedef enum { TAC_ANSWER_CORNERS, TAC_ANSWER_REFUSED, TAC_ANSWER_NO_MEMORY } tacMeshAnswerKind;

typedef struct tacMeshAnswer {
    uint64_t magic;
    uint64_t kind; /* a tacMeshAnswerKind */
    uint64_t count;
} tacMeshAnswer;

/* Arguments of the program, in this order, all of them needed. */
enum {
    TAC_READER_PATH = 1,      /* the mesh file */
    TAC_READER_ROOT,          /* tacFiles.root */
    TAC_READER_ALLOW_OUTSIDE, /* tacFiles.allow_outside: 0 or 1 */
    TAC_READER_MAX_BYTES,     /* tacFiles.max_bytes */
    TAC_READER_MEMORY,        /* bytes of address space */
    TAC_READER_FACTOR,        /* and so many more for each byte of the largest file that is opened */
    TAC_READER_CPU,           /* seconds */
    TAC_READER_ARGUMENTS
};
