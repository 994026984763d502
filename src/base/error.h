/* Filling tacError. */
#pragma once

#include "base/platform.h"
#include "tactus/status.h"

#include <stdarg.h>

/* The caller broke the contract: active in debug and test builds (TAC_CHECKS), gone in release. */
#ifdef TAC_CHECKS
#include <assert.h>
#define TAC_ASSERT(x) assert(x)
#else
#define TAC_ASSERT(x) ((void)sizeof(x))
#endif

/* Writes status and text to err (may be NULL) and returns status: `return tac_fail(err, TAC_ERR_SHAPE, "...", ...);` */
tacStatus tac_fail(tacError *err, tacStatus status, const char *format, ...) TAC_FORMAT(3, 4);

/* The same about one element. */
tacStatus tac_fail_at(tacError *err, tacStatus status, tacKind kind, int id, const char *format, ...) TAC_FORMAT(5, 6);

/* The same with a va_list. */
tacStatus tac_fail_list(tacError *err, tacStatus status, tacKind kind, int id, const char *format, va_list args)
    TAC_FORMAT(5, 0);

/* Returns from the function when a call is not TAC_OK. Memory is released by TAC_SCOPE (base/arena.h). */
#define TAC_TRY(call)                                                                                                  \
    do {                                                                                                               \
        tacStatus tac_try_ = (call);                                                                                   \
        if (tac_try_ != TAC_OK) return tac_try_;                                                                       \
    } while (0)
