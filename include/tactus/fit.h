/* Fitting: numbers of a model from recordings of a real system, and what the recordings say about each.
 *
 *   tac_fit_new(model, &options, &fit_options, &fit, &err);         a model with registered parameters
 *   tac_fit_add_param(fit, &param, &err);                           which of them are unknown, and how they move
 *   tac_fit_add_recording(fit, &recording, &err);                   what was measured
 *   tac_fitter_new(fit, &fitter, &err);                             a solver at work on it
 *   tac_fitter_run(fitter, &result, &err);                          estimates
 *   tac_fitter_judge(fitter, &judgement, &err);                     standard errors, intervals, unseen directions
 *
 * A recording is cut into segments. The step predicts each segment from its first frame on. Residuals are what was
 * predicted minus what was measured, over its deviation. docs/theory/fit.md has the equations. */
#pragma once

#include "tactus/optimize.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is unknown, and from which data. It keeps the model, the recordings' arrays and the outputs. */
typedef struct tacFit tacFit;
/* A solver at work on it: its memory, its threads, its place. One thread at a time. */
typedef struct tacFitter tacFitter;

/* How a parameter moves between iterations. */
typedef enum {
    TAC_MOVE_PLAIN,  /* as it is, in units of its scale */
    TAC_MOVE_LOG,    /* by its logarithm: it stays positive */
    TAC_MOVE_BETWEEN /* low + (high - low) / (1 + exp(-z)): it stays between its bounds */
} tacMove;

typedef struct tacFitParam {
    uint32_t cookie;         /* set by tac_default_fit_param */
    int param;               /* registered parameter: index of theta */
    tacMove move;            /* default plain */
    double low, high;        /* bounds; default none. LOG: low above 0. BETWEEN: both */
    double start;            /* first guess; default NaN: the model's value */
    double scale;            /* PLAIN: its unit; default 0: |start|, or 1 where that is 0 */
    double prior, deviation; /* a measurement of it by other means; deviation 0, the default: none */
} tacFitParam;
/* The defaults of each field, and the cookie. */
TAC_API tacFitParam tac_default_fit_param(void);

/* Where a segment starts. */
typedef enum {
    TAC_SEGMENT_MEASURED, /* at the state of its first frame */
    TAC_SEGMENT_ESTIMATED /* at a state of its own, which is unknown; that of its first frame is a measurement of it */
} tacSegmentStart;

/* Which frames of a segment count. */
typedef enum {
    TAC_SCORE_ALL, /* all but the first */
    TAC_SCORE_LAST /* the last one: a prediction over the whole horizon */
} tacScore;

/* How estimates are found. */
typedef enum {
    TAC_FIT_LEVENBERG, /* Levenberg-Marquardt on the whole data */
    TAC_FIT_ADAM       /* gradient steps on batches of segments */
} tacFitMethod;

/* What is known of how a fit ended. Only SOLVED is success. */
#define TAC_FIT_END_LIST(X)                                                                                            \
    X(TAC_FIT_RUNNING, "running")       /* it has not ended */                                                         \
    X(TAC_FIT_SOLVED, "solved")         /* no parameter moves any more */                                              \
    X(TAC_FIT_ITERATIONS, "iterations") /* they were used up */                                                        \
    X(TAC_FIT_STALLED, "stalled")       /* no step lowers the loss, and the gradient is not small */                   \
    X(TAC_FIT_STOPPED, "stopped")       /* by the flag */                                                              \
    X(TAC_FIT_FAILED, "failed")         /* no segment can be predicted at the start */
typedef enum {
#define X(name, word) name,
    TAC_FIT_END_LIST(X)
#undef X
        TAC_FIT_ENDS
} tacFitEnd;
/* "solved" */
TAC_API const char *tac_fit_end_text(tacFitEnd end);

typedef struct tacFitOptions {
    uint32_t cookie;               /* set by tac_default_fit_options */
    int horizon;                   /* frames that a segment predicts; default 10; 0: to the end of its recording */
    int stride;                    /* frames between the starts of segments; default 0: the horizon */
    tacScore score;                /* default all */
    tacSegmentStart start;         /* default measured */
    const double *deviation;       /* ndx: of each coordinate of a measured state; infinite: it is not measured. Default
                                    NULL: states are not measured, only outputs */
    const double *start_deviation; /* ndx: of the first frame's state, with ESTIMATED; default NULL: deviation */
    tacOutputs outputs;            /* of which z of recordings is a measurement; default none */
    const double *output_deviation; /* one each number of the outputs */
    tacNorm norm;                   /* of residuals; default quadratic. linear, one_sided and barrier are refused */
    double width;                   /* of the norm, in deviations; default 1 */
    double kappa;                   /* ncp: softness of derivatives; default 0: that of the step */
    tacFitMethod method;            /* default Levenberg-Marquardt */
    int iterations;                 /* at most; default 100 */
    double tolerance; /* a step below it in all scaled parameters, or a promised decrease of the loss below its square
                           times the loss, ends; default 1e-8 */
    double rate;      /* ADAM: step length in scaled parameters; default 0.01 */
    double decay[2];  /* ADAM: of the means of gradient and square; default 0.9, 0.999 */
    double floor;     /* ADAM: added to the root; default 1e-8 */
    int batch;        /* ADAM: segments in a batch; default 32 */
    uint64_t seed;    /* ADAM: of the batches */
    int threads;      /* default 1 */
    const volatile int *stop; /* not 0 there: the fitter stops with the best so far; default NULL */
} tacFitOptions;
/* The defaults of each field, and the cookie. */
TAC_API tacFitOptions tac_default_fit_options(void);

/* Frames at even times. A number that is not a number was not measured. */
typedef struct tacFitRecording {
    uint32_t cookie;  /* set by tac_default_fit_recording */
    const char *name; /* in messages and reports */
    int frames;       /* at least 2 */
    int every;        /* steps from frame to frame; default 1 */
    const double *x;  /* frames x nx: states. The first of a segment has to be known, all of it */
    const double *z;  /* frames x numbers of the outputs; NULL without outputs */
    const double *u;  /* (frames - 1) every x ninput: controls of each step; default NULL: tac_default_input */
} tacFitRecording;
/* The defaults of each field, and the cookie. */
TAC_API tacFitRecording tac_default_fit_recording(void);

/* Keeps the model, which must outlive the fit; copies options and deviations. */
TAC_API tacStatus tac_fit_new(const tacModel *model, const tacOptions *options, const tacFitOptions *fit_options,
                              tacFit **fit, tacError *err);
TAC_API void tac_fit_free(tacFit *fit); /* NULL is fine */
/* One registered parameter becomes unknown. Twice the same one is refused. */
TAC_API tacStatus tac_fit_add_param(tacFit *fit, const tacFitParam *param, tacError *err);
/* Ten registered parameters of one body become unknown together, through the logarithm of the Cholesky factor of its
 * pseudo-inertia, so that every guess is a body that can exist: param[10] of mass, ipos[0..2], fullinertia[0..5]. */
TAC_API tacStatus tac_fit_add_inertia(tacFit *fit, const int *param, tacError *err);
/* Adds a recording, whose arrays must outlive the fit. One too short for a segment is refused, as is one whose numbers
 * are infinite, or whose first state of a segment is not known. *id (may be NULL) is its number. */
TAC_API tacStatus tac_fit_add_recording(tacFit *fit, const tacFitRecording *recording, int *id, tacError *err);

/* Unknown numbers, segments, residuals that count at most. */
typedef struct tacFitSizes {
    int nvar;     /* unknown numbers */
    int nparam;   /* of theta */
    int nsegment; /* of all recordings */
    int nrecording;
    long nresidual; /* numbers that are measured */
} tacFitSizes;
TAC_API tacFitSizes tac_fit_sizes(const tacFit *fit);
/* Registered parameter that unknown number i is; of an inertia: that of its entry. -1: there is none. */
TAC_API int tac_fit_var_param(const tacFit *fit, int i);

/* (mass, ipos[3], fullinertia[6]) -> z[10]: logarithm of the Cholesky factor of the pseudo-inertia. TAC_ERR_MODEL: no
 * such body can exist. */
TAC_API tacStatus tac_inertia_to_log(const double *inertia, double *z);
/* z[10] -> (mass, ipos[3], fullinertia[6]), and jac (NULL skips), 10 x 10: its derivative by z. */
TAC_API void tac_inertia_from_log(const double *z, double *inertia, double *jac);

/* One iteration. */
typedef struct tacFitIteration {
    int iteration; /* from 1; 0: the first guess */
    double loss;   /* sum over residuals, priors included */
    double step;   /* largest change of a scaled parameter; 0: none was accepted */
    double damping;
    double promised, gained; /* decrease of the loss */
    int failed;              /* segments that cannot be predicted */
    int bounds;              /* parameters that are held at a bound */
} tacFitIteration;

/* What was found so far. Arrays are the fitter's, valid until its next call. */
typedef struct tacFitResult {
    tacFitEnd end;
    double loss;         /* sum over residuals, priors included */
    double rms;          /* root of loss over the numbers that were measured */
    const double *theta; /* nparam: all registered parameters, unknown or not */
    int iterations, failed;
    long residuals;                 /* numbers that were measured, in segments that were predicted */
    const double *starts;           /* nsegment x nx: estimated starts; NULL with MEASURED */
    const tacFitIteration *history; /* iterations + 1, the first guess first */
} tacFitResult;

/* The fit must outlive the fitter and not change. Nothing is allocated afterwards, but by tac_fitter_judge. */
TAC_API tacStatus tac_fitter_new(const tacFit *fit, tacFitter **fitter, tacError *err);
TAC_API void tac_fitter_free(tacFitter *fitter); /* NULL is fine */
/* Begins anew from theta[nparam] (NULL: the first guesses). Values outside bounds are moved inside. */
TAC_API tacStatus tac_fitter_begin(tacFitter *fitter, const double *theta, tacError *err);
/* One iteration; TAC_FIT_RUNNING: there are more. */
TAC_API tacFitEnd tac_fitter_iterate(tacFitter *fitter);
/* Iterates to the end. The status tells whether it could run; result->end whether it is solved. */
TAC_API tacStatus tac_fitter_run(tacFitter *fitter, tacFitResult *result, tacError *err);
TAC_API tacStatus tac_fitter_result(const tacFitter *fitter, tacFitResult *result);
/* The place of a fitter as bytes. A fitter of the same fit that takes them goes on with the same bits. */
TAC_API size_t tac_fitter_save_bytes(const tacFitter *fitter);
TAC_API tacStatus tac_fitter_save(const tacFitter *fitter, void *bytes, size_t size, tacError *err);
TAC_API tacStatus tac_fitter_restore(tacFitter *fitter, const void *bytes, size_t size, tacError *err);

/* Prediction of one segment at the present parameters: x (frames x nx) and z (frames x outputs), both may be NULL; the
 * first frame is its start. Statuses as of tac_step. */
typedef struct tacFitSegment {
    int recording, first, frames; /* frames: horizon + 1 */
} tacFitSegment;
TAC_API tacFitSegment tac_fit_segment(const tacFit *fit, int i);
TAC_API tacStatus tac_fitter_predict(tacFitter *fitter, int segment, double *x, double *z);
/* Residuals of one segment and their derivatives by scaled parameters, before the norm: r[n], J[n x nvar] (NULL skips)
 * with n = tac_fit_segment_rows; entries that were not measured are 0. */
TAC_API int tac_fit_segment_rows(const tacFit *fit, int segment);
TAC_API tacStatus tac_fitter_residuals(tacFitter *fitter, int segment, double *r, double *J);

/* What the data say about the estimates. Arrays are the judgement's; tac_fit_judgement_free frees them. */
typedef struct tacFitJudgement {
    int nvar, groups;    /* groups: recordings, or, below ten of them, segments */
    int by_segment;      /* 1: groups are segments, since there are fewer than ten recordings */
    double variance;     /* of a residual: loss over numbers measured less parameters that are seen */
    double *value;       /* nvar: estimate, in the parameter's own unit, as all below */
    double *se_plain;    /* nvar: standard error from J'J and the residual's variance */
    double *se;          /* nvar: from the sandwich over groups */
    double *low, *high;  /* nvar: 95 % interval of the sandwich, Student's t with groups - 1 degrees */
    double *singular;    /* nvar: of the Jacobian by scaled parameters, descending */
    double *direction;   /* nvar x nvar: a unit vector each row, in the order of singular */
    double *correlation; /* nvar x nvar */
    double *information; /* nvar x nvar: Fisher information by parameters in their own units */
    unsigned char *seen; /* nvar: 1: the data determine this number */
    int rank;            /* directions that the data see */
    void *memory;        /* of all arrays */
} tacFitJudgement;
TAC_API tacStatus tac_fitter_judge(tacFitter *fitter, tacFitJudgement *judgement, tacError *err);
TAC_API void tac_fit_judgement_free(tacFitJudgement *judgement);

#ifdef __cplusplus
}
#endif
