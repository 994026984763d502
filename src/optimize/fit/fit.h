/* A fit as it is kept, and the sums that its solvers and judgements share   (docs/theory/fit.md) */
#pragma once

#include "base/arena.h"
#include "base/threads.h"
#include "tactus/fit.h"
#include "tactus/tactus.h"

/* Cookies of structs made by the tac_default_* functions of fit.h. */
#define TAC_FIT_COOKIE           0x7acf1700u
#define TAC_FIT_PARAM_COOKIE     0x7acf1701u
#define TAC_FIT_RECORDING_COOKIE 0x7acf1702u

/* Segments whose sums are held at a time. */
enum { TAC_FIT_CHUNK = 32 };

/* One unknown number z: a parameter alone, or one of ten of an inertia. */
typedef struct tacFitVar {
    int param;        /* registered parameter; of an inertia: the one at this place of the ten */
    int block;        /* of an inertia: its number; otherwise -1 */
    tacMove move;     /* alone */
    double scale;     /* PLAIN: theta = scale z */
    double low, high; /* of theta, BETWEEN */
    double z_low, z_high, z_start;
    double z_prior, z_deviation; /* deviation 0: none */
} tacFitVar;

struct tacFit {
    const tacModel *model;
    tacOptions step;
    tacFitOptions options;
    int nx, ndx, ninput, nparam, nz;
    double *deviation, *start_deviation, *output_deviation; /* ndx, ndx, nz; or NULL */
    tacOutput *output;
    double *theta, *input; /* the model's parameters, and the default input */
    tacFitVar *var;
    int nvar;
    int (*block)[10]; /* registered parameters of each inertia */
    int nblock;
    tacFitRecording *recording;
    int nrecording;
    int (*segment)[2]; /* recording, first frame */
    int nsegment;
    long nresidual;
};

/* Frames that segment i predicts. */
int tac_fit_horizon(const tacFit *fit, int segment);
/* z[nvar] -> theta[nparam]; those that are not unknown keep the model's value. */
void tac_fit_theta(const tacFit *fit, const double *z, double *theta);
/* Derivative by theta, rows x nparam, -> derivative by z, rows x nvar with leading dimension ld. */
void tac_fit_chain(const tacFit *fit, const double *z, int rows, const double *P, double *Z, int ld);
/* theta[nparam] -> z[nvar], inside bounds. TAC_ERR_ARGUMENT: a value that its move cannot reach. */
tacStatus tac_fit_inverse(const tacFit *fit, const double *theta, double *z, tacError *err);

/* Gauss-Newton sums at z: loss, half its gradient g, and H = sum J' W J, with starts of segments eliminated. */
typedef struct tacFitSums {
    double loss;
    long residuals;
    int failed;
    double *g, *H; /* nvar, nvar x nvar */
    double *S;     /* nvar x nvar: sum over groups of g_i g_i'; NULL: not asked for */
} tacFitSums;

/* A thread's workspace. */
typedef struct tacFitWork {
    tacSim *sim;
    tacArena arena;
    void *memory;
} tacFitWork;

/* Sums of one segment, or of one group of them. */
typedef struct tacFitSlot {
    double loss;
    long residuals;
    tacStatus status;
    double *g, *H; /* nvar, nvar x nvar */
} tacFitSlot;

/* Numbers of a fitter's place, beside its arrays. */
enum {
    TAC_FIT_LOSS,
    TAC_FIT_DAMPING,
    TAC_FIT_GROWTH,
    TAC_FIT_RESIDUALS,
    TAC_FIT_FAILURES,
    TAC_FIT_ITERATION,
    TAC_FIT_ENDED,
    TAC_FIT_NUMBERS
};
/* A loss that counts as zero, in squared deviations. */
#define TAC_FIT_LEAST_LOSS 1e-20

struct tacFitter {
    const tacFit *fit;
    tacPool *pool;
    tacFitWork *work;
    int nwork;
    tacFitSlot slot[TAC_FIT_CHUNK];
    double *slots; /* their memory */
    double *group; /* nvar: gradient of the group that is being summed */
    /* the place: z, the sums there, starts of segments, the solver's own numbers */
    double *place;
    size_t nplace;
    double *z, *g, *H;        /* nvar, nvar, nvar^2 */
    double *adam;             /* 2 nvar: means of gradient and square */
    double *starts;           /* nsegment x nx with ESTIMATED */
    double *worst;            /* nsegment: largest loss of a segment while it could be predicted */
    double *number;           /* TAC_FIT_NUMBERS */
    tacFitIteration *history; /* iterations + 1 */
    double *z_new, *g_new, *H_new, *starts_new, *worst_new, *scratch; /* candidates */
    double *theta, *theta_new;
};

/* Where sums are taken. */
typedef struct tacFitAt {
    const double *z, *theta;
    const double *starts; /* in: of all segments, or NULL */
    double *starts_new;   /* out: improved, or NULL */
    double *worst;        /* in and out */
    int first, count;     /* segments */
    const int *list;      /* count: which segments; NULL: first and those that follow */
} tacFitAt;

/* Sums over segments in a fixed order, on the fitter's threads. TAC_ERR_STOPPED: the flag was set. */
tacStatus tac_fit_sum(tacFitter *f, const tacFitAt *at, tacFitSums *sums);
/* Loss and sums of priors, added. */
void tac_fit_add_priors(const tacFit *fit, const double *z, tacFitSums *sums);
/* Sums of one segment, by one thread. */
void tac_fit_segment_sums(const tacFit *fit, tacFitWork *work, const tacFitAt *at, int segment, tacFitSlot *slot);
/* Residuals r and derivative J by (z, start), rows x (nvar + ndx with ESTIMATED), of one segment from x0. */
tacStatus tac_fit_segment_residuals(const tacFit *fit, tacFitWork *work, const double *z, const double *theta,
                                    int segment, const double *x0, double *r, double *J);
/* Scratch that a thread takes. */
void tac_fit_measure(const tacFit *fit, tacArena *dry);
/* One iteration of each method. */
tacFitEnd tac_fit_levenberg(tacFitter *f, tacFitIteration *now);
tacFitEnd tac_fit_adam(tacFitter *f, tacFitIteration *now);

/* Eigenvalues, descending, and eigenvectors, one each row, of a symmetric A[n x n], which is overwritten. */
void tac_symmetric_eigen(int n, double *A, double *value, double *vector);
/* How many of these eigenvalues of H, descending, belong to directions that the data see. */
int tac_fit_rank(int n, const double *value, double loss, long residuals);
/* 97.5 % quantile of Student's t with this many degrees of freedom. */
double tac_student_quantile(int degrees);
