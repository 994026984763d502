/* Reading robots from files, and writing what they do (library tactus_io). */
#pragma once

#include "tactus/tactus.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { TAC_BASE_AUTO, TAC_BASE_FIXED, TAC_BASE_FLOATING } tacBase;

/* Plain struct from tac_default_load_options. */
typedef struct tacLoadOptions {
    int lenient;              /* 1: an unsupported element that would change the motion is a warning, not an error */
    tacBase base;             /* URDF: root link welded to the world (AUTO, FIXED) or on a free joint */
    int actuate_joints;       /* URDF: a motor on every movable joint */
    int allow_outside;        /* 1: files outside the model's folder may be opened */
    const char *package_dirs; /* URDF: package:// roots, ':'-separated; NULL: folders above the file */
    size_t max_bytes;         /* maximum size of one file; default 1 GiB */
} tacLoadOptions;

/* Strict, TAC_BASE_AUTO, no motors, no files outside the model's folder. */
TAC_API tacLoadOptions tac_default_load_options(void);

/* Ignored elements and warnings of a load; opaque. Lines read "file:line: text". */
typedef struct tacReport tacReport;
/* The name that the file gives its model, "" where it gives none. */
TAC_API const char *tac_report_name(const tacReport *report);
TAC_API int tac_report_ignored_count(const tacReport *report);
TAC_API const char *tac_report_ignored(const tacReport *report, int i);
TAC_API int tac_report_warning_count(const tacReport *report);
TAC_API const char *tac_report_warning(const tacReport *report, int i);
TAC_API void tac_report_free(tacReport *report);

/* File (.xml MJCF, .urdf, .tac packed; detected by content) -> model. Errors name file, line, element and what was
 * expected. */
TAC_API tacStatus tac_load(const char *path, tacModel **model, tacError *err);
/* tac_load with options and a report (either may be NULL). */
TAC_API tacStatus tac_load_with(const char *path, const tacLoadOptions *options, tacModel **model, tacReport **report,
                                tacError *err);
/* Model -> packed file, written under a temporary name, then renamed. */
TAC_API tacStatus tac_save(const tacModel *model, const char *path, tacError *err);

/* --- A motion as a page to look at -------------------------------------------------------------------------------- */

/* Motions along one parameter, and how the last place of a body moves with it. */
typedef struct tacPageGradient {
    const char *name;             /* of the parameter: "geom/ground.friction[0]" */
    const char *unit;             /* of it: "m/s"; NULL: a pure number */
    int body;                     /* whose last place, that of its origin */
    double derivative[3];         /* of that place by the parameter, world axes; m for each unit */
    int n;                        /* motions, 1 or more */
    int own;                      /* which of them is the page's own motion */
    const double *value;          /* n: of the parameter, rising */
    const tacModel *const *model; /* n: the models that moved; NULL: the page's */
    const double *const *x;       /* n: nframe x nx each, at the page's times */
} tacPageGradient;

/* A place that a plan is to reach. */
typedef struct tacPageTarget {
    const char *name;
    double place[3]; /* world, m */
    int first, last; /* frames of the page between which it counts */
} tacPageTarget;

/* A plan: motions of its iterations, how they came down to it, what it was to reach. */
typedef struct tacPagePlan {
    int n;                                  /* motions, 1 or more; the last is the page's own */
    const int *iteration;                   /* n: of each motion */
    const double *const *x;                 /* n: nframe x nx each, at the page's times */
    const double *const *u;                 /* n: nframe x ninput each; NULL: not known */
    int nhistory;                           /* iterations, the first guess included; may be 0 */
    const double *cost, *violation, *kappa; /* nhistory */
    int nterm;                              /* may be 0 */
    const char *const *term;                /* nterm: names of the terms of the cost */
    const double *term_cost;                /* nterm: their parts of it */
    int ntarget;                            /* may be 0 */
    const tacPageTarget *target;            /* ntarget */
    const double *low, *high;               /* nu: bounds of controls, infinite where there is none; NULL: none */
} tacPagePlan;

/* What a page shows. Plain struct from tac_default_page; model, nframe and x are to be set. */
typedef struct tacPage {
    const tacModel *model;
    const tacOptions *options;       /* contact forces are those of the step from each state; NULL: the model's own */
    int nframe;                      /* states, 1 or more */
    const double *time;              /* nframe: s, rising; NULL: options->dt apart */
    const double *x;                 /* nframe x nx */
    const double *u;                 /* nframe x ninput; NULL: tac_default_input */
    const tacPageGradient *gradient; /* NULL: none */
    const tacPagePlan *plan;         /* NULL: none; not beside a gradient */
    const char *title;               /* name of the robot; NULL: "motion" */
    const char *command;             /* what made it, shown below; NULL: nothing */
    /* of the run that made the states; all else is said to come from elsewhere */
    long steps;       /* that were made; -1: there was no run */
    double seconds;   /* of wall clock, in stepping; 0: not known */
    tacStatus status; /* why it stopped early, or TAC_OK */
    long unsolved;    /* steps without a solution */
    int bad_start;    /* 1: the first state breaks constraints */
} tacPage;

/* An empty page: no run, all pointers NULL. */
TAC_API tacPage tac_default_page(void);
/* Page -> HTML text, to be freed: one file that needs nothing else, with the motion, contact forces and plots. Errors
 * name the frame and number that is wrong. */
TAC_API tacStatus tac_page_text(const tacPage *page, char **text, tacError *err);
/* The same as a file; written under a temporary name first, then renamed. */
TAC_API tacStatus tac_write_page(const tacPage *page, const char *path, tacError *err);

/* --- Generated models, for stress tests and scaling benchmarks ---------------------------------------------------- */

typedef enum { TAC_CHAIN_HINGE, TAC_CHAIN_BALL, TAC_CHAIN_SLIDE, TAC_CHAIN_MIXED } tacChainJoint;

/* A chain or tree of equal links: body i hangs from body (i-1)/branching. Plain struct from tac_default_chain. */
typedef struct tacChain {
    int bodies;          /* at least 1, without the world */
    int branching;       /* children per body; 1: a chain */
    tacChainJoint joint; /* of each body; MIXED: hinge, ball, slide in turn */
    int free_root;       /* 1: the first body floats; 0: it hangs from the world */
} tacChain;

/* Ten hinged links in a row. */
TAC_API tacChain tac_default_chain(void);
/* -> MJCF text; free() it. Bodies nest, so they are numbered depth first. NULL: a field is out of range, or out of
 * memory. */
TAC_API char *tac_chain_model(const tacChain *chain);
/* -> the same tree with bodies numbered breadth first. */
TAC_API tacStatus tac_chain_build(const tacChain *chain, tacModel **model, tacError *err);
/* Seed -> MJCF text of a valid model; free() it. Trees with all kinds of joints, shapes, transmissions and actuators,
 * tendons, springs, keyframes. The same text on every machine. NULL: out of memory. */
TAC_API char *tac_random_model(uint64_t seed);

#ifdef __cplusplus
}
#endif
