/* Status and error text of a call. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* What the libraries export. TAC_BUILDING: the libraries themselves are being compiled. TAC_STATIC: they are linked
 * statically, which Windows needs to know. */
#if defined(TAC_STATIC)
#define TAC_API
#elif defined(_WIN32) || defined(__CYGWIN__)
#if defined(TAC_BUILDING)
#define TAC_API __declspec(dllexport)
#else
#define TAC_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TAC_API __attribute__((visibility("default")))
#else
#define TAC_API
#endif

/* A name that goes away in the next version. */
#if defined(__GNUC__)
#define TAC_DEPRECATED(text) __attribute__((deprecated(text)))
#elif defined(_MSC_VER)
#define TAC_DEPRECATED(text) __declspec(deprecated(text))
#else
#define TAC_DEPRECATED(text)
#endif

/* One list defines the enum and the texts. */
#define TAC_STATUS_LIST(X)                                                                                             \
    X(TAC_OK, "success")                                                                                               \
    X(TAC_ERR_ARGUMENT, "an argument is missing or out of range")                                                      \
    X(TAC_ERR_SHAPE, "array sizes do not agree")                                                                       \
    X(TAC_ERR_MEMORY, "out of memory")                                                                                 \
    X(TAC_ERR_ARENA_FULL, "scratch arena too small")                                                                   \
    X(TAC_ERR_FILE, "a file cannot be read or written")                                                                \
    X(TAC_ERR_SYNTAX, "a file is malformed")                                                                           \
    X(TAC_ERR_UNSUPPORTED, "the model asks for something not supported")                                               \
    X(TAC_ERR_MODEL, "the model is invalid")                                                                           \
    X(TAC_ERR_NAME, "no element or parameter of that name")                                                            \
    X(TAC_ERR_VERSION, "packed by another version")                                                                    \
    X(TAC_ERR_CHECKSUM, "packed bytes are damaged")                                                                    \
    X(TAC_ERR_NONFINITE, "a state or input is not finite")                                                             \
    X(TAC_ERR_SINGULAR,                                                                                                \
      "the joint-space inertia, or a step's system of inertia and contacts, is singular to rounding")                  \
    X(TAC_ERR_OPTIONS, "options were not made by tac_default_options")                                                 \
    X(TAC_ERR_DEGENERATE, "a contact has no derivative: its features coincide")                                        \
    X(TAC_ERR_CONTACTS, "more contacts than there is room for")                                                        \
    X(TAC_ERR_UNSOLVED, "the contact problem was not solved to tolerance; the best state found is returned")           \
    X(TAC_ERR_IMPACTS, "more impacts in a step than the options allow, or too fast a spin; the state after the last "  \
                       "of them is returned")                                                                          \
    X(TAC_ERR_INCONSISTENT,                                                                                            \
      "the state breaks its constraints: a loop is open, geoms overlap or a joint is out of range")                    \
    X(TAC_ERR_INNER_STEP, "error control asks for inner steps below 1e-14 s")                                          \
    X(TAC_ERR_INNER_MAX, "more inner steps in a step than the options allow")                                          \
    X(TAC_ERR_EVENTS, "more events in a step than the options allow")                                                  \
    X(TAC_ERR_STOPPED, "stopped by the flag of the options or of the batch")

typedef enum {
#define X(name, text) name,
    TAC_STATUS_LIST(X)
#undef X
        TAC_STATUS_COUNT
} tacStatus;

/* Kinds of model elements; the order is that of the model's field table. */
typedef enum {
    TAC_KIND_NONE = 0,
    TAC_KIND_BODY,
    TAC_KIND_JOINT,
    TAC_KIND_GEOM,
    TAC_KIND_MESH,
    TAC_KIND_SITE,
    TAC_KIND_TENDON,
    TAC_KIND_ACTUATOR,
    TAC_KIND_EQUALITY,
    TAC_KIND_PAIR,
    TAC_KIND_EXCLUDE,
    TAC_KIND_KEY,
    TAC_KIND_SENSOR,
    TAC_KIND_OPTION,
    TAC_KIND_COUNT
} tacKind;

enum { TAC_ERROR_TEXT = 1024 };

/* Filled by a call that fails; text is one line without a newline. */
typedef struct tacError {
    tacStatus status;
    tacKind kind;              /* kind of the element in error, or TAC_KIND_NONE */
    int id;                    /* its index, in the order of adding; -1: none */
    char text[TAC_ERROR_TEXT]; /* names the element, what was found and what was expected */
} tacError;

/* status -> its one-line meaning; never NULL. */
TAC_API const char *tac_status_text(tacStatus status);

/* kind -> "body", "joint", ...; "" for TAC_KIND_NONE. */
TAC_API const char *tac_kind_text(tacKind kind);

#ifdef __cplusplus
}
#endif
