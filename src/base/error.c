#include "base/error.h"

#include <stdio.h>

const char *tac_status_text(tacStatus status) {
    static const char *const text[] = {
#define X(name, meaning) [name] = meaning,
        TAC_STATUS_LIST(X)
#undef X
    };
    return (unsigned)status < TAC_STATUS_COUNT ? text[status] : "unknown status";
}

const char *tac_kind_text(tacKind kind) {
    static const char *const text[TAC_KIND_COUNT] = {"",        "body",   "joint",    "geom",     "mesh",
                                                     "site",    "tendon", "actuator", "equality", "pair",
                                                     "exclude", "key",    "sensor",   "option"};
    return (unsigned)kind < TAC_KIND_COUNT ? text[kind] : "";
}

tacStatus tac_fail_list(tacError *err, tacStatus status, tacKind kind, int id, const char *format, va_list args) {
    if (err == NULL) return status;
    err->status = status;
    err->kind = kind;
    err->id = id;
    vsnprintf(err->text, sizeof err->text, format, args);
    return status;
}

tacStatus tac_fail(tacError *err, tacStatus status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tac_fail_list(err, status, TAC_KIND_NONE, -1, format, args);
    va_end(args);
    return status;
}

tacStatus tac_fail_at(tacError *err, tacStatus status, tacKind kind, int id, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tac_fail_list(err, status, kind, id, format, args);
    va_end(args);
    return status;
}
