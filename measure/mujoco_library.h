/* MuJoCo's shared library where it is installed, and a model in it: found at run time, so that the binary does not
 * depend on it. Empty where its headers are not: its structs are unknown then. */
#pragma once

#include "tactus/tactus.h"

#ifdef TAC_WITH_MUJOCO /* cmake/TactusMujoco.cmake */
#include <mujoco/mujoco.h>

/* The functions we call. */
typedef struct tacMujocoCalls {
    int (*version)(void);
    mjModel *(*load)(const char *, const mjVFS *, char *, int);
    mjData *(*make_data)(const mjModel *);
    void (*free_model)(mjModel *);
    void (*free_data)(mjData *);
    void (*reset)(const mjModel *, mjData *);
    void (*forward)(const mjModel *, mjData *);
    void (*step)(const mjModel *, mjData *);
    void (*contact_force)(const mjModel *, const mjData *, int, mjtNum *);
    void (*differences)(const mjModel *, mjData *, mjtNum, mjtByte, mjtNum *, mjtNum *, mjtNum *, mjtNum *);
} tacMujocoCalls;

enum { TAC_MUJOCO_VERSION_TEXT = 32 };
/* Loads the library. 0, with the reason, where it is not installed, lacks a function, or is another version than the
 * headers this was compiled with. version: "2.2.2". */
int measure_mujoco_library(tacMujocoCalls *call, char version[TAC_MUJOCO_VERSION_TEXT], char *reason, size_t size);
/* The file, Euler's integrator, step dt, no sensors. A null pointer, with the reason, where MuJoCo cannot read it or
 * has other sizes than ours. */
mjModel *measure_mujoco_load(const tacMujocoCalls *call, const char *path, const tacModel *m, double dt, char *reason,
                             size_t size);
#endif
