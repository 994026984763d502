/* The motion: poses, coordinates, energies and contacts at each frame. */
#include "io/page/data.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSE = 7, REALS = 11, INTS = 3 };

/* One motion as it is evaluated: arrays by frame, contacts one after another. */
typedef struct {
    const tacPage *page;
    const tacModel *model;
    const double *x;
    tacOptions options;
    tacSim *sim;
    tacKinematics frames;
    double *input;          /* ninput: where the page gives none */
    tacContactForce *found; /* max_contacts */
    double *pose;           /* nframe x nbody x POSE */
    double *energy[2];      /* nframe: kinetic, potential */
    double *depth;          /* nframe: m, deepest overlap */
    int *ncontact;          /* nframe: contacts that carry force */
    double *real;           /* of each: place, normal, force, friction, distance; REALS */
    int *whole;             /* of each: geom pushed, geom that pushes, tacContactState; INTS */
    size_t total, room;     /* contacts */
    int unknown;            /* frames whose step gave no contacts */
} Motion;

static void free_motion(Motion *m) {
    tac_sim_free(m->sim);
    void *blocks[] = {m->frames.xpos, m->frames.xquat, m->input,    m->found, m->pose, m->energy[0],
                      m->energy[1],   m->depth,        m->ncontact, m->real,  m->whole};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
}

static int allocate(Motion *m) {
    size_t nbody = (size_t)m->model->nbody, n = (size_t)m->page->nframe;
    m->frames.xpos = calloc(nbody, sizeof(tacVec3));
    m->frames.xquat = calloc(nbody, sizeof(tacQuat));
    m->input = calloc((size_t)tac_ninput(m->model, &m->options) + 1, sizeof(double));
    m->found = malloc(((size_t)m->options.max_contacts + 1) * sizeof *m->found);
    m->pose = calloc(n * nbody * POSE, sizeof(double));
    for (int i = 0; i < 2; i++)
        m->energy[i] = calloc(n, sizeof(double));
    m->depth = calloc(n, sizeof(double));
    m->ncontact = calloc(n, sizeof(int));
    return m->frames.xpos != NULL && m->frames.xquat != NULL && m->input != NULL && m->found != NULL &&
           m->pose != NULL && m->energy[0] != NULL && m->energy[1] != NULL && m->depth != NULL && m->ncontact != NULL;
}

static const double *state_at(const Motion *m, int frame) { return m->x + (size_t)frame * (size_t)tac_nx(m->model); }

static const double *input_at(const Motion *m, int frame) {
    size_t ninput = (size_t)tac_ninput(m->model, &m->options);
    return m->page->u != NULL ? m->page->u + (size_t)frame * ninput : m->input;
}

/* World poses of all bodies: position(3), quaternion(4) each. */
static tacStatus find_poses(Motion *m, int frame) {
    double *pose = m->pose + (size_t)frame * (size_t)m->model->nbody * POSE;
    TAC_TRY(tac_kinematics(m->sim, state_at(m, frame), input_at(m, frame), &m->frames));
    for (int i = 0; i < m->model->nbody; i++) {
        const tacVec3 p = m->frames.xpos[i];
        const tacQuat q = m->frames.xquat[i];
        const double numbers[POSE] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
        memcpy(pose + i * POSE, numbers, sizeof numbers);
        for (int k = 0; k < POSE; k++)
            if (!isfinite(numbers[k])) return TAC_ERR_NONFINITE;
    }
    return TAC_OK;
}

static tacStatus find_energy(Motion *m, int frame) {
    tacEnergy energy;
    const double *x = state_at(m, frame);
    TAC_TRY(tac_energy(m->sim, x, x + m->model->nq, &energy));
    m->energy[0][frame] = energy.kinetic;
    m->energy[1][frame] = energy.potential;
    return TAC_OK;
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

/* Coefficient along the first tangent, as steps take it (docs/guide/gradients.md); 0: without friction. */
static double friction_of(const Motion *m, const tacContact *c) {
    const tacModel *model = m->model;
    int a = c->geom[0], b = c->geom[1];
    if (m->options.contact == TAC_CONTACT_MODEL_NCP && m->options.ncp_friction == TAC_NCP_FRICTIONLESS) return 0;
    if (c->pair >= 0) return model->pair_condim[c->pair] > 1 ? model->pair_friction[5 * c->pair] : 0;
    int pa = model->geom_priority[a], pb = model->geom_priority[b], da = model->geom_condim[a];
    int db = model->geom_condim[b];
    double fa = model->geom_friction[3 * a], fb = model->geom_friction[3 * b];
    int dimension = pa != pb ? (pa > pb ? da : db) : (da > db ? da : db);
    return dimension > 1 ? (pa != pb ? (pa > pb ? fa : fb) : fmax(fa, fb)) : 0;
}

static int grow(Motion *m) {
    enum { FIRST = 256 };
    if (m->total < m->room) return 1;
    size_t room = m->room > 0 ? 2 * m->room : FIRST;
    double *real = realloc(m->real, room * REALS * sizeof *real);
    if (real != NULL) m->real = real;
    int *whole = realloc(m->whole, room * INTS * sizeof *whole);
    if (whole != NULL) m->whole = whole;
    if (real == NULL || whole == NULL) return 0;
    m->room = room;
    return 1;
}

/* The force is that on geom[1]; where that stands in the world, on geom[0], with the normal turned. */
static int add_contact(Motion *m, const tacContactForce *f) {
    const tacContact *c = &f->contact;
    int pushed = m->model->geom_body[c->geom[1]] > 0 ? 1 : 0;
    double sign = pushed ? 1 : -1;
    const tacVec3 axis[3] = {c->normal, c->tangent[0], c->tangent[1]};
    double force[3] = {0};
    if (!grow(m)) return 0;
    for (int k = 0; k < 3; k++) {
        force[0] += sign * f->force[k] * axis[k].x;
        force[1] += sign * f->force[k] * axis[k].y;
        force[2] += sign * f->force[k] * axis[k].z;
    }
    const double real[REALS] = {c->pos.x,           c->pos.y,           c->pos.z, sign * c->normal.x,
                                sign * c->normal.y, sign * c->normal.z, force[0], force[1],
                                force[2],           friction_of(m, c),  c->dist};
    const int whole[INTS] = {c->geom[pushed], c->geom[!pushed], (int)f->state};
    memcpy(m->real + m->total * REALS, real, sizeof real);
    memcpy(m->whole + m->total * INTS, whole, sizeof whole);
    m->total++;
    return 1;
}

/* Those of the step that starts at the frame. */
static tacStatus find_contacts(Motion *m, int frame) {
    int n = 0;
    if (m->options.contact == TAC_CONTACT_MODEL_NONE) return TAC_OK;
    tacStatus status =
        tac_step_contacts(m->sim, state_at(m, frame), input_at(m, frame), m->found, m->options.max_contacts, &n);
    if (status != TAC_OK && status != TAC_ERR_UNSOLVED && status != TAC_ERR_IMPACTS) {
        m->unknown++;
        return TAC_OK;
    }
    for (int i = 0; i < n; i++) {
        m->depth[frame] = fmax(m->depth[frame], -m->found[i].contact.dist);
        if (m->found[i].state == TAC_CONTACT_OPEN) continue;
        if (!add_contact(m, &m->found[i])) return TAC_ERR_MEMORY;
        m->ncontact[frame]++;
    }
    return TAC_OK;
}

/* --- All frames --------------------------------------------------------------------------------------------------- */

static tacStatus evaluate(Motion *m, tacError *err) {
    TAC_TRY(tac_sim_new(m->model, &m->options, &m->sim, err));
    if (!allocate(m)) return tac_fail(err, TAC_ERR_MEMORY, "the page cannot be made: no memory");
    tac_default_input(m->model, &m->options, m->input);
    for (int f = 0; f < m->page->nframe; f++) {
        tacStatus status = find_poses(m, f);
        if (status == TAC_OK) status = find_energy(m, f);
        if (status == TAC_OK) status = find_contacts(m, f);
        if (status != TAC_OK)
            return tac_fail(err, status, "the page cannot be made: frame %d: %s", f, tac_status_text(status));
    }
    return TAC_OK;
}

/* Columns [first, first + n) of nframe rows, base64. */
static tacStatus put_columns(tacText *out, const char *key, int nframe, const double *rows, int stride, int n) {
    size_t columns = (size_t)n, all = (size_t)nframe * columns;
    double *values = calloc(all + 1, sizeof *values);
    if (values == NULL) return TAC_ERR_MEMORY;
    for (int f = 0; f < nframe; f++)
        memcpy(values + (size_t)f * columns, rows + (size_t)f * (size_t)stride, columns * sizeof *values);
    tac_json_floats(out, key, all, values);
    free(values);
    return TAC_OK;
}

static tacStatus put_coordinates(tacText *out, const Motion *m) {
    const tacModel *model = m->model;
    int n = m->page->nframe, nx = tac_nx(model), ninput = tac_ninput(model, &m->options);
    TAC_TRY(put_columns(out, "qpos", n, m->x, nx, model->nq));
    TAC_TRY(put_columns(out, "qvel", n, m->x + model->nq, nx, model->nv));
    int given = m->page->u != NULL;
    return put_columns(out, "ctrl", given ? n : 0, given ? m->page->u : m->input, ninput, model->nu);
}

static void put_contacts(tacText *out, const Motion *m) {
    tac_json_open(out, "contacts", '{');
    tac_json_ints(out, "count", (size_t)m->page->nframe, m->ncontact);
    tac_json_floats(out, "values", m->total * REALS, m->real);
    tac_json_ints(out, "kinds", m->total * INTS, m->whole);
    tac_json_integer(out, "unknown", m->unknown);
    tac_json_close(out, '{');
}

tacStatus tac_page_motion(tacText *out, const char *key, const tacPage *page, const tacModel *model, const double *x,
                          tacError *err) {
    Motion m = {.page = page, .model = model, .x = x, .options = *page->options};
    tacStatus status = evaluate(&m, err);
    if (status == TAC_OK) {
        size_t n = (size_t)page->nframe;
        tac_json_open(out, key, '{');
        tac_json_integer(out, "frames", page->nframe);
        tac_json_floats(out, "time", n, page->time);
        tac_json_floats(out, "kinetic", n, m.energy[0]);
        tac_json_floats(out, "potential", n, m.energy[1]);
        tac_json_floats(out, "penetration", n, m.depth);
        tac_json_floats(out, "pose", n * (size_t)model->nbody * POSE, m.pose);
        put_contacts(out, &m);
        status = put_coordinates(out, &m);
        tac_json_close(out, '{');
        if (status != TAC_OK) tac_fail(err, status, "the page cannot be made: no memory");
    }
    free_motion(&m);
    return status;
}
