/* DAE and glTF, whose library cannot be trusted with every file: read by a program of its own, tactus-mesh, which may
 * crash, run out of memory or of time without taking this process along. */
#pragma once

#include "io/mesh.h"

typedef struct tacMeshLimits {
    const char *program;  /* path of the reader; NULL: TACTUS_MESH_READER, or where it is built and installed */
    size_t memory_bytes;  /* address space; */
    size_t memory_factor; /* so many more for each byte of the largest file it opens */
    int cpu_seconds;      /* of processor time, and one more for each megabyte of the file */
    int wall_seconds;     /* after which it is killed, and one more for each megabyte of the file */
} tacMeshLimits;

tacMeshLimits tac_default_mesh_limits(void);

/* Runs the program on `path`. The program opens it, and what it refers to, by the rules of `files`. Its answer is
 * checked before it is used. TAC_ERR_UNSUPPORTED: there is no such program. No child is left behind, no signal is
 * raised in this process, and any number of threads may do this at a time. */
tacStatus tac_mesh_read_apart(const tacFiles *files, const char *path, const tacMeshLimits *limits, tacMeshData *mesh,
                              tacError *err);
