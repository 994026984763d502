/* Contacts, constraints, distances, rays, impacts, projection. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#define SIM    tacpy_sim_of(c)->sim
#define Q      tacpy_in(c, 0)
#define IN(i)  tacpy_in(c, i)
#define OUT(i) tacpy_out(c, i)
#define POSITION                                                                                                       \
    {                                                                                                                  \
        "x", A_POSITION, 0, { 0 }                                                                                      \
    }
#define MOTION                                                                                                         \
    {                                                                                                                  \
        "x", A_MOTION, 0, { 0 }                                                                                        \
    }
#define STATE                                                                                                          \
    {                                                                                                                  \
        "x", A_ARRAY, 0, { D_NX }                                                                                      \
    }
#define INPUT                                                                                                          \
    {                                                                                                                  \
        "u", A_ARRAY, 1, { D_NINPUT }                                                                                  \
    }
#define GEOM(name)                                                                                                     \
    {                                                                                                                  \
        name, A_ELEMENT, 0, { TAC_KIND_GEOM }                                                                          \
    }
#define ROW(row_name) TACPY_METHOD(#row_name, call_##row_name, DOC_Sim_##row_name)

/* A C call of a row with something to fill besides arrays. */
static PyObject *call_with(PyObject *self, const tacpyRow *row, PyObject *const *args, Py_ssize_t n, PyObject *keywords,
                           void *extra, PyObject *(*finish)(tacpyCall *, PyObject *)) {
    tacpyCall with = {.finish = finish, .extra = extra};
    return tacpy_call((tacpyWorlds *)self, row, args, n, keywords, &with);
}

/* --- Lists whose length the library tells ------------------------------------------------------------------------- */

/* Room for the entries of a list; grows until the library is content. */
typedef struct List {
    const tacpyTable *table;
    void *entries;
    int max, n;
    tacStatus (*run)(tacpyCall *c, struct List *list);
} List;

/* The first guess. */
enum { FIRST_ROOM = 64 };

static tacStatus fill_list(tacpyCall *c) {
    List *list = c->extra;
    tacStatus status = TAC_ERR_MEMORY;
    list->max = FIRST_ROOM;
    for (;;) {
        void *room = realloc(list->entries, (size_t)list->max * list->table->size);
        if (room == NULL) return TAC_ERR_MEMORY;
        list->entries = room;
        list->n = 0;
        status = list->run(c, list);
        if (status == TAC_ERR_CONTACTS && list->n > list->max) {
            list->max = list->n;
            continue;
        }
        if (list->n <= list->max || status != TAC_OK) return status;
        list->max = list->n; /* a list that was cut */
    }
}

static PyObject *finish_list(tacpyCall *c, PyObject *none) {
    const List *list = c->extra;
    Py_DECREF(none);
    return tacpy_structs(list->table, list->entries, list->n < list->max ? list->n : list->max);
}

static PyObject *call_list(PyObject *self, const tacpyRow *row, PyObject *const *args, Py_ssize_t n, PyObject *keywords,
                           const tacpyTable *table, tacStatus (*run)(tacpyCall *, List *)) {
    List list = {.table = table, .run = run};
    PyObject *result = call_with(self, row, args, n, keywords, &list, finish_list);
    free(list.entries);
    return result;
}

#define LIST_METHOD(row_name, struct_name, arguments)                                                                  \
    static const tacpyRow row_##row_name = {#row_name, arguments, {{NULL}}, NULL, NULL, 0, 0, fill_list};              \
    static PyObject *call_##row_name(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {        \
        return call_list(self, &row_##row_name, args, n, keywords, &tacpy_table_##struct_name, list_##row_name);       \
    }
#define ARGUMENTS(...)                                                                                                 \
    { __VA_ARGS__ }

static tacStatus list_contacts(tacpyCall *c, List *l) { return tac_contacts(SIM, Q, IN(1), l->entries, l->max, &l->n); }
LIST_METHOD(contacts, tacContact, ARGUMENTS(POSITION, INPUT))

static tacStatus list_step_contacts(tacpyCall *c, List *l) {
    return tac_step_contacts(SIM, IN(0), IN(1), l->entries, l->max, &l->n);
}
LIST_METHOD(step_contacts, tacContactForce, ARGUMENTS(STATE, INPUT))

static tacStatus list_step_constraints(tacpyCall *c, List *l) {
    return tac_step_constraints(SIM, IN(0), IN(1), l->entries, l->max, &l->n);
}
LIST_METHOD(step_constraints, tacConstraint, ARGUMENTS(STATE, INPUT))

static tacStatus list_step_history(tacpyCall *c, List *l) {
    return tac_step_history(SIM, IN(0), IN(1), l->entries, l->max, &l->n);
}
LIST_METHOD(step_history, tacIteration, ARGUMENTS(STATE, INPUT))

/* --- Derivatives of contact forces: as many rows as there are contacts -------------------------------------------- */

static tacStatus run_step_contacts_jac(tacpyCall *c) {
    tacJac jac = {OUT(0), OUT(1), OUT(2)};
    int n = 0;
    return tac_step_contacts_jac(SIM, IN(0), IN(1), &jac, c->whole[2], &n);
}
static const tacpyRow row_step_contacts_jac = {
    "step_contacts_jac",
    {STATE, INPUT, {"count", A_INT, 0, {0}}},
    {{"x", {D_NZ, D_NDX}, 'x'}, {"u", {D_NZ, D_NINPUT}, 'u'}, {"theta", {D_NZ, D_NPARAM}, 't'}},
    "xut",
    NULL,
    0,
    0,
    run_step_contacts_jac};

/* (x, u, count): the Python side counts the contacts first. */
static PyObject *call_step_contacts_jac(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    tacpyCall with = {.nz = 0};
    int count = 0;
    if (n < 3) {
        PyErr_SetString(PyExc_TypeError, "step_contacts_jac() needs x, u and the number of contacts");
        return NULL;
    }
    if (tacpy_int(args[2], "count", &count) != 0) return NULL;
    if (count < 0 || count > 1 << 24) return tacpy_raise_status(TAC_ERR_ARGUMENT, "count is out of range");
    with.nz = 3 * (Py_ssize_t)count;
    return tacpy_call((tacpyWorlds *)self, &row_step_contacts_jac, args, n, keywords, &with);
}

/* --- A step in sentences ------------------------------------------------------------------------------------------ */

enum { TEXT_SIZE = 16384 };

static tacStatus run_explain_step(tacpyCall *c) { return tac_explain_step(SIM, IN(0), IN(1), c->extra, TEXT_SIZE); }
static PyObject *finish_text(tacpyCall *c, PyObject *none) {
    Py_DECREF(none);
    return PyUnicode_DecodeUTF8(c->extra, (Py_ssize_t)strlen(c->extra), "replace");
}
static const tacpyRow row_explain_step = {"explain_step", {STATE, INPUT}, {{NULL}}, NULL, NULL, 0, 0, run_explain_step};
static PyObject *call_explain_step(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    char text[TEXT_SIZE] = "";
    return call_with(self, &row_explain_step, args, n, keywords, text, finish_text);
}

/* --- Distances ---------------------------------------------------------------------------------------------------- */

static PyObject *finish_contact(tacpyCall *c, PyObject *none) {
    Py_DECREF(none);
    return tacpy_struct(&tacpy_table_tacContact, c->extra);
}
static tacStatus run_geom_distance(tacpyCall *c) {
    return tac_geom_distance(SIM, Q, IN(3), c->whole[1], c->whole[2], c->extra);
}
static const tacpyRow row_geom_distance = {
    "geom_distance", {POSITION, GEOM("geom1"), GEOM("geom2"), INPUT}, {{NULL}}, NULL, NULL, 0, 0, run_geom_distance};
static PyObject *call_geom_distance(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    tacContact contact;
    memset(&contact, 0, sizeof contact);
    return call_with(self, &row_geom_distance, args, n, keywords, &contact, finish_contact);
}

/* The rows of a contact's derivative. The contact is the argument after x. */
static const tacContact *contact_of(tacpyCall *c) { return c->extra; }

static tacStatus run_contact_jac(tacpyCall *c) {
    tacContactJac jac = {OUT(0), OUT(1), OUT(2)};
    return tac_contact_jac(SIM, Q, IN(2), contact_of(c), &jac);
}
static tacStatus run_contact_jvp(tacpyCall *c) {
    tacTangent along = {IN(3), IN(4), IN(5)};
    return tac_contact_jvp(SIM, Q, IN(2), contact_of(c), &along, OUT(0));
}
static tacStatus run_contact_vjp(tacpyCall *c) {
    tacContactGrad grad = {OUT(0), OUT(1), OUT(2)};
    return tac_contact_vjp(SIM, Q, IN(3), contact_of(c), IN(2), &grad);
}
#define CONTACT                                                                                                        \
    {                                                                                                                  \
        "contact", A_OBJECT, 0, { 0 }                                                                                  \
    }
static const tacpyRow row_contact_jac = {"contact_jac",
                                         {POSITION, CONTACT, INPUT},
                                         {{"q", {-TAC_CONTACT_ROWS, D_NV}, 'q'},
                                          {"u", {-TAC_CONTACT_ROWS, D_NINPUT}, 'u'},
                                          {"theta", {-TAC_CONTACT_ROWS, D_NPARAM}, 't'}},
                                         "qut",
                                         NULL,
                                         0,
                                         0,
                                         run_contact_jac};
static const tacpyRow row_contact_jvp = {"contact_jvp",
                                         {POSITION,
                                          CONTACT,
                                          INPUT,
                                          {"dx", A_ARRAY, 1, {D_NDX}},
                                          {"du", A_ARRAY, 1, {D_NINPUT}},
                                          {"dtheta", A_ARRAY, 1, {D_NPARAM}}},
                                         {{"drows", {-TAC_CONTACT_ROWS}, 0}},
                                         NULL,
                                         NULL,
                                         0,
                                         0,
                                         run_contact_jvp};
static const tacpyRow row_contact_vjp = {"contact_vjp",
                                         {POSITION, CONTACT, {"rowbar", A_ARRAY, 0, {-TAC_CONTACT_ROWS}}, INPUT},
                                         {{"q", {D_NV}, 'q'}, {"u", {D_NINPUT}, 'u'}, {"theta", {D_NPARAM}, 't'}},
                                         "qut",
                                         NULL,
                                         0,
                                         0,
                                         run_contact_vjp};

/* The struct is the second positional argument. */
static PyObject *call_with_struct(PyObject *self, const tacpyRow *row, PyObject *const *args, Py_ssize_t n,
                                  PyObject *keywords, const tacpyTable *table, void *copy) {
    if (n < 2) {
        PyErr_Format(PyExc_TypeError, "%s() needs x and a %s first", row->name, table->name);
        return NULL;
    }
    const void *value = tacpy_struct_of(table, args[1], row->arg[1].name);
    if (value == NULL) return NULL;
    memcpy(copy, value, table->size);
    return call_with(self, row, args, n, keywords, copy, NULL);
}
#define STRUCT_METHOD(row_name, struct_name)                                                                           \
    static PyObject *call_##row_name(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {        \
        struct_name copy;                                                                                              \
        return call_with_struct(self, &row_##row_name, args, n, keywords, &tacpy_table_##struct_name, &copy);          \
    }
STRUCT_METHOD(contact_jac, tacContact)
STRUCT_METHOD(contact_jvp, tacContact)
STRUCT_METHOD(contact_vjp, tacContact)

/* --- Growth distance ---------------------------------------------------------------------------------------------- */

/* Two geoms have at most this many duals that Python shows. */
enum { MOST_DUALS = 64 };
typedef struct Growth {
    tacGrowth growth;
    double duals[MOST_DUALS];
} Growth;

static void open_growth(Growth *g) {
    memset(g, 0, sizeof *g);
    g->growth.max_duals = MOST_DUALS;
    g->growth.duals = g->duals;
}

static PyObject *finish_growth(tacpyCall *c, PyObject *none) {
    Growth *g = c->extra;
    Py_DECREF(none);
    g->growth.duals = NULL; /* of this call */
    return tacpy_struct(&tacpy_table_tacGrowth, &g->growth);
}
static tacStatus run_geom_growth(tacpyCall *c) {
    Growth *g = c->extra;
    return tac_geom_growth(SIM, Q, IN(4), c->whole[1], c->whole[2], c->real[3], &g->growth);
}
static tacStatus run_body_growth(tacpyCall *c) {
    Growth *g = c->extra;
    return tac_body_growth(SIM, Q, IN(4), c->whole[1], c->whole[2], c->real[3], &g->growth);
}
static const tacpyRow row_geom_growth = {"geom_growth",
                                         {POSITION, GEOM("geom1"), GEOM("geom2"), {"kappa", A_REAL, 0, {0}}, INPUT},
                                         {{NULL}},
                                         NULL,
                                         NULL,
                                         0,
                                         0,
                                         run_geom_growth};
static const tacpyRow row_body_growth = {"body_growth",
                                         {POSITION,
                                          {"body1", A_ELEMENT, 0, {TAC_KIND_BODY}},
                                          {"body2", A_ELEMENT, 0, {TAC_KIND_BODY}},
                                          {"kappa", A_REAL, 0, {0}},
                                          INPUT},
                                         {{NULL}},
                                         NULL,
                                         NULL,
                                         0,
                                         0,
                                         run_body_growth};
static PyObject *call_geom_growth(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    Growth g;
    open_growth(&g);
    return call_with(self, &row_geom_growth, args, n, keywords, &g, finish_growth);
}
static PyObject *call_body_growth(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    Growth g;
    open_growth(&g);
    return call_with(self, &row_body_growth, args, n, keywords, &g, finish_growth);
}

static tacStatus run_growth_jac(tacpyCall *c) {
    tacGrowthJac jac = {.q = OUT(0), .u = OUT(1), .theta = OUT(2)};
    return tac_growth_jac(SIM, Q, IN(2), c->extra, &jac);
}
static tacStatus run_growth_vjp(tacpyCall *c) {
    tacGrowthGrad grad = {OUT(0), OUT(1), OUT(2)};
    return tac_growth_vjp(SIM, Q, IN(3), c->extra, IN(2), &grad);
}
static const tacpyRow row_growth_jac = {"growth_jac",
                                        {POSITION, {"growth", A_OBJECT, 0, {0}}, INPUT},
                                        {{"q", {-TAC_GROWTH_ROWS, D_NV}, 'q'},
                                         {"u", {-TAC_GROWTH_ROWS, D_NINPUT}, 'u'},
                                         {"theta", {-TAC_GROWTH_ROWS, D_NPARAM}, 't'}},
                                        "qut",
                                        NULL,
                                        0,
                                        0,
                                        run_growth_jac};
static const tacpyRow row_growth_vjp = {
    "growth_vjp",
    {POSITION, {"growth", A_OBJECT, 0, {0}}, {"rowbar", A_ARRAY, 0, {-TAC_GROWTH_ROWS}}, INPUT},
    {{"q", {D_NV}, 'q'}, {"u", {D_NINPUT}, 'u'}, {"theta", {D_NPARAM}, 't'}},
    "qut",
    NULL,
    0,
    0,
    run_growth_vjp};
STRUCT_METHOD(growth_jac, tacGrowth)
STRUCT_METHOD(growth_vjp, tacGrowth)

/* --- Rays --------------------------------------------------------------------------------------------------------- */

static tacStatus run_ray(tacpyCall *c) {
    tacRay *ray = c->extra;
    const double *from = IN(1), *along = IN(2);
    *ray = tac_default_ray();
    ray->from = (tacVec3){from[0], from[1], from[2]};
    if (along != NULL) ray->along = (tacVec3){along[0], along[1], along[2]};
    ray->excluded_body = c->whole[3] - 1;
    ray->ddist_dq = OUT(0);
    return tac_ray(SIM, Q, IN(4), ray);
}
static PyObject *finish_ray(tacpyCall *c, PyObject *derivative) {
    PyObject *ray = tacpy_struct(&tacpy_table_tacRay, c->extra);
    if (PyTuple_Size(derivative) == 0) {
        Py_DECREF(derivative);
        return ray;
    }
    PyObject *both = ray == NULL ? NULL : PyTuple_Pack(2, ray, PyTuple_GetItem(derivative, 0));
    Py_XDECREF(ray);
    Py_DECREF(derivative);
    return both;
}
/* excluded: one more than the body, 0: none; the Python side does so. */
static const tacpyRow row_ray = {
    "ray",
    {POSITION, {"from_", A_ARRAY, 0, {-3}}, {"along", A_ARRAY, 1, {-3}}, {"excluded", A_INT, 1, {0}}, INPUT},
    {{"ddist_dq", {D_NV}, 'q'}},
    "",
    NULL,
    0,
    0,
    run_ray};
static PyObject *call_ray(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    tacRay ray;
    return call_with(self, &row_ray, args, n, keywords, &ray, finish_ray);
}

/* --- Projection, impacts ------------------------------------------------------------------------------------------ */

static tacStatus run_project_state(tacpyCall *c) {
    tacpySim *s = tacpy_sim_of(c);
    tacProjection *p = c->extra;
    size_t bytes = tac_project_bytes(tacpy_sim_model(s), &s->worlds.options);
    *p = (tacProjection){.tolerance = c->real[2], .memory = tacpy_sim_memory(s, bytes), .bytes = bytes};
    if (p->memory == NULL) return TAC_ERR_MEMORY;
    tacStatus status = tac_project_state(s->sim, IN(0), IN(1), OUT(0), p);
    return OUT(0) == NULL && status == TAC_ERR_INCONSISTENT ? TAC_OK : status;
}
static PyObject *finish_project_state(tacpyCall *c, PyObject *tuple) {
    PyObject *p = tacpy_struct(&tacpy_table_tacProjection, c->extra);
    if (PyTuple_Size(tuple) == 0) {
        Py_DECREF(tuple);
        return p;
    }
    PyObject *both = p == NULL ? NULL : PyTuple_Pack(2, PyTuple_GetItem(tuple, 0), p);
    Py_XDECREF(p);
    Py_DECREF(tuple);
    return both;
}
static const tacpyRow row_project_state = {
    "project_state",  {STATE, INPUT, {"tolerance", A_REAL, 1, {0}}}, {{"y", {D_NX}, 'y'}}, "y", NULL, 0, 0,
    run_project_state};
static PyObject *call_project_state(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    tacProjection p;
    memset(&p, 0, sizeof p);
    return call_with(self, &row_project_state, args, n, keywords, &p, finish_project_state);
}

enum { MOST_PAIRS = 256 };
typedef struct Impact {
    tacImpact impact;
    tacImpactPair pair[MOST_PAIRS];
} Impact;

static tacStatus run_first_impact(tacpyCall *c) {
    Impact *i = c->extra;
    i->impact = (tacImpact){
        .gap = c->real[3], .max_pairs = MOST_PAIRS, .pair = i->pair, .dtime_dq = OUT(0), .dtime_dv = OUT(1)};
    return tac_first_impact(SIM, Q, Q + c->self->size[D_NQ], IN(2), c->real[1], &i->impact);
}
static PyObject *finish_first_impact(tacpyCall *c, PyObject *tuple) {
    const Impact *i = c->extra;
    int n = i->impact.npair < MOST_PAIRS ? i->impact.npair : MOST_PAIRS;
    PyObject *pairs = tacpy_structs(&tacpy_table_tacImpactPair, i->pair, n);
    PyObject *type = pairs == NULL ? NULL : PyObject_GetAttrString(tacpy.results, "Impact");
    PyObject *impact = NULL;
    Py_ssize_t given = PyTuple_Size(tuple);
    if (type != NULL)
        impact = PyObject_CallFunction(type, "idOOO", (int)i->impact.kind, i->impact.time, pairs,
                                       given > 0 ? PyTuple_GetItem(tuple, 0) : Py_None,
                                       given > 1 ? PyTuple_GetItem(tuple, 1) : Py_None);
    Py_XDECREF(pairs);
    Py_XDECREF(type);
    Py_DECREF(tuple);
    return impact;
}
static const tacpyRow row_first_impact = {"first_impact",
                                          {MOTION, {"h", A_REAL, 0, {0}}, INPUT, {"gap", A_REAL, 1, {0}}},
                                          {{"dtime_dq", {D_NV}, 'q'}, {"dtime_dv", {D_NV}, 'v'}},
                                          "",
                                          NULL,
                                          0,
                                          0,
                                          run_first_impact};
static PyObject *call_first_impact(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    Impact *impact = PyMem_Calloc(1, sizeof *impact);
    if (impact == NULL) return PyErr_NoMemory();
    PyObject *result = call_with(self, &row_first_impact, args, n, keywords, impact, finish_first_impact);
    PyMem_Free(impact);
    return result;
}

PyMethodDef tacpy_contact_methods[] = {
    ROW(contacts),
    ROW(step_contacts),
    TACPY_METHOD("_step_contacts_jac", call_step_contacts_jac, DOC_Sim__step_contacts_jac),
    ROW(step_constraints),
    ROW(step_history),
    ROW(explain_step),
    ROW(geom_distance),
    ROW(contact_jac),
    ROW(contact_jvp),
    ROW(contact_vjp),
    ROW(geom_growth),
    ROW(body_growth),
    ROW(growth_jac),
    ROW(growth_vjp),
    TACPY_METHOD("_ray", call_ray, DOC_Sim__ray),
    ROW(project_state),
    ROW(first_impact),
    {NULL, NULL, 0, NULL},
};
