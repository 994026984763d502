/* tactus solve FILE: one frictional contact problem. */
#include "cli/cli.h"
#include "cli/input/problem_file.h"
#include "cli/options.h"
#include "cli/report/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ALIGN = 64, LONGEST_LIST = 12 };

/* Largest relative residual, as computed here, of a problem that counts as solved. */
#define SOLVED 1e-10

typedef struct tacSolveArgs {
    int json;
    int friction; /* a tacFrictionForm */
} tacSolveArgs;

/* Words in the order of tacFrictionForm. */
static const tacArg SOLVE_OPTIONS[] = {
    {"--friction", NULL, TAC_ARG_CHOICE, offsetof(tacSolveArgs, friction), "box|cone",
     "friction set: cone, or box (each tangent is bounded separately); default cone"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacSolveArgs, json), NULL, "print JSON"},
    {0},
};

static const char *const SUMMARY =
    "Solves a frictional contact problem from a file in the text format of the published\n"
    "collections: reactions r and velocities u = W r + q, three per contact (normal, tangent,\n"
    "tangent). No compliance is added. The residual is the natural map, computed from the file\n"
    "and the reactions. The relative residual is divided by |q|. Exit code 1: unsolved.";

typedef struct tacAnswer {
    double *reaction, *velocity; /* n */
    tacProblemInfo info;
    double seconds, residual_abs, residual_rel;
} tacAnswer;

/* --- What it is worth --------------------------------------------------------------------------------------------- */

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/* Box: r_n >= 0, |r_t| <= mu r_n along each tangent. */
static void project_on_box(double mu, const double r[3], const double u[3], double p[3]) {
    double limit = mu * fmax(r[0], 0);
    p[0] = fmax(r[0] - u[0], 0);
    p[1] = clamp(r[1] - u[1], -limit, limit);
    p[2] = clamp(r[2] - u[2], -limit, limit);
}

/* Cone |p_t| <= mu p_n: of r - u - mu |u_t| e_n. */
static void project_on_cone(double mu, const double r[3], const double u[3], double p[3]) {
    double z[3] = {r[0] - u[0] - mu * hypot(u[1], u[2]), r[1] - u[1], r[2] - u[2]}, length = hypot(z[1], z[2]);
    double normal = fmax((z[0] + mu * length) / (1 + mu * mu), 0), shrink = length > 0 ? mu * normal / length : 0;
    int inside = length <= mu * z[0];
    p[0] = inside ? z[0] : normal;
    p[1] = inside ? z[1] : shrink * z[1];
    p[2] = inside ? z[2] : shrink * z[2];
}

/* r - P, all contacts in one Euclidean norm. u is computed here, from r and the file. */
static double natural_map(const tacProblem *p, tacFrictionForm form, const double *r) {
    int n = 3 * p->ncontact;
    double sum = 0;
    for (int c = 0; c < p->ncontact; c++) {
        double u[3], allowed[3];
        for (int i = 0; i < 3; i++) {
            const double *row = p->W + (size_t)(3 * c + i) * (size_t)n;
            long double total = (long double)p->q[3 * c + i];
            for (int j = 0; j < n; j++)
                total += (long double)row[j] * (long double)r[j];
            u[i] = (double)total;
        }
        (form == TAC_FRICTION_CONE ? project_on_cone : project_on_box)(p->mu[c], r + 3 * c, u, allowed);
        for (int i = 0; i < 3; i++)
            sum += (r[3 * c + i] - allowed[i]) * (r[3 * c + i] - allowed[i]);
    }
    return sqrt(sum);
}

static double norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* --- The answer --------------------------------------------------------------------------------------------------- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int solve(const tacProblem *problem, tacFrictionForm form, tacAnswer *answer) {
    size_t bytes = (tac_problem_bytes(problem->ncontact) + ALIGN - 1) / ALIGN * ALIGN;
    int n = 3 * problem->ncontact;
    void *memory = aligned_alloc(ALIGN, bytes);
    answer->reaction = calloc(2 * (size_t)n, sizeof *answer->reaction);
    answer->velocity = answer->reaction + n;
    tacStatus status = TAC_ERR_MEMORY;
    double start = now(), size = norm(n, problem->q);
    if (memory != NULL && answer->reaction != NULL)
        status = tac_problem_solve(problem, form, memory, answer->reaction, answer->velocity, &answer->info);
    answer->seconds = now() - start;
    free(memory);
    if (status != TAC_OK) return cli_fail("solve", "%s", tac_status_text(status));
    answer->residual_abs = natural_map(problem, form, answer->reaction);
    answer->residual_rel = size > 0 ? answer->residual_abs / size : answer->residual_abs;
    if (!(answer->residual_rel <= SOLVED)) answer->info.solved = 0;
    return CLI_GO_ON;
}

static int print_json(const tacProblem *problem, const tacAnswer *answer, int code) {
    tacJson json = measure_json_begin();
    int n = 3 * problem->ncontact;
    measure_json_put_count(&json, "contacts", problem->ncontact);
    measure_json_put(&json, "residual_abs", measure_json_number(&json, "residual_abs", answer->residual_abs));
    measure_json_put(&json, "residual_rel", measure_json_number(&json, "residual_rel", answer->residual_rel));
    measure_json_put_count(&json, "iterations", answer->info.iterations);
    measure_json_put(&json, "seconds", measure_json_number(&json, "seconds", answer->seconds));
    measure_json_put(&json, "status", measure_json_text(answer->info.solved ? "solved" : "unsolved"));
    measure_json_put_numbers(&json, "reaction", n, answer->reaction);
    measure_json_put_numbers(&json, "velocity", n, answer->velocity);
    code = cli_json_print("solve", &json, code);
    measure_json_free(&json);
    return code;
}

/* Name of the first number that is not finite, as in JSON; or a null pointer. */
static const char *find_not_finite(const tacProblem *problem, const tacAnswer *answer) {
    if (!isfinite(answer->residual_abs)) return "residual_abs";
    if (!isfinite(answer->residual_rel)) return "residual_rel";
    for (int i = 0; i < 3 * problem->ncontact; i++) {
        if (!isfinite(answer->reaction[i])) return "reaction";
        if (!isfinite(answer->velocity[i])) return "velocity";
    }
    return NULL;
}

static int print_text(const char *path, const tacProblem *problem, const tacAnswer *answer, int code) {
    const char *bad = find_not_finite(problem, answer);
    if (bad != NULL) {
        cli_fail("solve", "%s is not finite: nothing is printed", bad);
        return CLI_NO;
    }
    printf("%s: %d contact%s, %s: residual %.3g, relative %.3g, %d iterations, %.3g s\n", path, problem->ncontact,
           problem->ncontact == 1 ? "" : "s", answer->info.solved ? "solved" : "unsolved", answer->residual_abs,
           answer->residual_rel, answer->info.iterations, answer->seconds);
    printf("\n%7s %38s   %38s\n", "contact", "reaction: normal, tangent, tangent",
           "velocity: normal, tangent, tangent");
    for (int c = 0; c < problem->ncontact && c < LONGEST_LIST; c++) {
        const double *r = answer->reaction + 3 * c, *u = answer->velocity + 3 * c;
        printf("%7d %12.5g %12.5g %12.5g   %12.5g %12.5g %12.5g\n", c, r[0], r[1], r[2], u[0], u[1], u[2]);
    }
    if (problem->ncontact > LONGEST_LIST) printf("and %d more: --json prints all\n", problem->ncontact - LONGEST_LIST);
    return code;
}

int cmd_solve(int argc, char **argv) {
    tacSolveArgs own = {.friction = TAC_FRICTION_CONE};
    const char *path[1] = {NULL};
    const tacArgGroup groups[] = {{"options", SOLVE_OPTIONS, &own}};
    tacArgs args = {.verb = "solve",
                    .operands = "FILE",
                    .summary = SUMMARY,
                    .groups = groups,
                    .ngroup = 1,
                    .operand = path,
                    .min_operands = 1,
                    .max_operands = 1};
    tacProblemFile file;
    tacAnswer answer = {0};
    int code = cli_parse(&args, argc, argv);
    if (code == CLI_GO_ON) code = cli_problem_read("solve", path[0], &file);
    if (code != CLI_GO_ON) return code;
    code = solve(&file.problem, (tacFrictionForm)own.friction, &answer);
    if (code == CLI_GO_ON) {
        code = answer.info.solved ? CLI_FINE : CLI_NO;
        code = own.json ? print_json(&file.problem, &answer, code) : print_text(path[0], &file.problem, &answer, code);
    }
    free(answer.reaction);
    cli_problem_close(&file);
    return code;
}
