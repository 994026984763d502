/* Functions that need no model: random numbers, hashes, texts, contact problems without bodies. */
#include "array.h"
#include "structure.h"

#include <stdlib.h>

static PyObject *version(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return PyUnicode_FromString(tac_version());
}

static PyObject *random_bits(PyObject *module, PyObject *args) {
    (void)module;
    unsigned long long seed, stream, index;
    if (!PyArg_ParseTuple(args, "KKK", &seed, &stream, &index)) return NULL;
    return PyLong_FromUnsignedLongLong(tac_random_bits(seed, stream, index));
}

/* Numbers index, index + 1, ...: one, or an array of n. */
static PyObject *random_array(PyObject *args, double (*draw)(uint64_t, uint64_t, uint64_t)) {
    unsigned long long seed, stream, index;
    Py_ssize_t n = -1;
    if (!PyArg_ParseTuple(args, "KKK|n", &seed, &stream, &index, &n)) return NULL;
    if (n < 0) return PyFloat_FromDouble(draw(seed, stream, index));
    tacpyShape shape = {1, {n}};
    tacpyArray a = {{0}};
    PyObject *array = NULL;
    if (tacpy_new_array(&shape, &a) != 0) {
        tacpy_release(&a, NULL);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        a.data[i] = draw(seed, stream, index + (unsigned long long)i);
    tacpy_release(&a, &array);
    return array;
}

static PyObject *random_uniform(PyObject *module, PyObject *args) {
    (void)module;
    return random_array(args, tac_random_uniform);
}

static PyObject *random_normal(PyObject *module, PyObject *args) {
    (void)module;
    return random_array(args, tac_random_normal);
}

static PyObject *hash(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer bytes;
    unsigned long long start = 0;
    if (!PyArg_ParseTuple(args, "y*|K", &bytes, &start)) return NULL;
    uint64_t value = tac_hash(bytes.buf, (size_t)bytes.len, start);
    PyBuffer_Release(&bytes);
    return PyLong_FromUnsignedLongLong(value);
}

static PyObject *status_text(PyObject *module, PyObject *o) {
    (void)module;
    int value = 0;
    return tacpy_enum("Status", o, &value) != 0 ? NULL : PyUnicode_FromString(tac_status_text((tacStatus)value));
}

static PyObject *kind_text(PyObject *module, PyObject *o) {
    (void)module;
    tacKind kind = TAC_KIND_NONE;
    return tacpy_kind(o, &kind) != 0 ? NULL : PyUnicode_FromString(tac_kind_text(kind));
}

static PyObject *reason_text(PyObject *module, PyObject *o) {
    (void)module;
    int value = 0;
    return tacpy_enum("Reason", o, &value) != 0 ? NULL : PyUnicode_FromString(tac_reason_text((tacReason)value));
}

static PyObject *contact_text(PyObject *module, PyObject *o) {
    (void)module;
    int value = 0;
    return tacpy_enum("ContactModel", o, &value) != 0 ? NULL
                                                      : PyUnicode_FromString(tac_contact_text((tacContactModel)value));
}

/* The options' table as a list of dicts. */
static PyObject *option_info(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    const tacOptionInfo *o;
    for (int i = 0; list != NULL && (o = tac_option_info(i)) != NULL; i++) {
        PyObject *row = Py_BuildValue("{s:s,s:i,s:d,s:d,s:d,s:I,s:z,s:z,s:s}", "name", o->name, "kind", (int)o->kind,
                                      "value", o->value, "least", o->least, "most", o->most, "contacts", o->contacts,
                                      "words", o->words, "flag", o->flag, "text", o->text);
        if (row == NULL || PyList_Append(list, row) != 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* --- A contact problem -------------------------------------------------------------------------------------------- */

typedef struct Problem {
    tacpyArray W, q, mu, reaction, velocity;
} Problem;

static int take_problem(PyObject *const *args, Problem *p, int *ncontact) {
    tacpyShape mu = {1, {-1}};
    if (tacpy_input(args[2], "mu", &mu, &p->mu) != 0) return -1;
    if (mu.dim[0] > 1 << 24) {
        tacpy_raise_shape("mu has %zd entries: too many", mu.dim[0]);
        return -1;
    }
    *ncontact = (int)mu.dim[0];
    tacpyShape q = {1, {3 * mu.dim[0]}}, W = {2, {3 * mu.dim[0], 3 * mu.dim[0]}};
    if (tacpy_input(args[0], "W", &W, &p->W) != 0 || tacpy_input(args[1], "q", &q, &p->q) != 0) return -1;
    return tacpy_new_array(&q, &p->reaction) || tacpy_new_array(&q, &p->velocity) ? -1 : 0;
}

static tacStatus run_problem(const Problem *p, int ncontact, tacFrictionForm form, tacProblemInfo *info) {
    tacProblem problem = {ncontact, p->W.data, p->q.data, p->mu.data};
    size_t bytes = tac_problem_bytes(ncontact);
    void *memory = bytes == 0 ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
    tacStatus status = bytes == 0 ? TAC_ERR_ARGUMENT : TAC_ERR_MEMORY;
    if (memory != NULL) {
        Py_BEGIN_ALLOW_THREADS status =
            tac_problem_solve(&problem, form, memory, p->reaction.data, p->velocity.data, info);
        Py_END_ALLOW_THREADS
    }
    free(memory);
    return status;
}

static PyObject *solve_problem(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    (void)module;
    static const char *const names[] = {"W", "q", "mu", "form", NULL};
    PyObject *given[4], *reaction = NULL, *velocity = NULL, *result = NULL;
    if (tacpy_arguments("solve_problem", names, 4, 3, args, n, keywords, given) != 0) return NULL;
    int form = TAC_FRICTION_CONE, ncontact = 0;
    if (given[3] != NULL && tacpy_enum("FrictionForm", given[3], &form) != 0) return NULL;
    Problem p = {{{0}}};
    tacProblemInfo info = {0};
    int taken = take_problem(given, &p, &ncontact) == 0;
    tacStatus status = taken ? run_problem(&p, ncontact, (tacFrictionForm)form, &info) : TAC_OK;
    tacpy_release(&p.W, NULL);
    tacpy_release(&p.q, NULL);
    tacpy_release(&p.mu, NULL);
    tacpy_release(&p.reaction, &reaction);
    tacpy_release(&p.velocity, &velocity);
    if (taken && status != TAC_OK) tacpy_raise_status(status, NULL);
    if (taken && status == TAC_OK)
        result = Py_BuildValue("OON", reaction, velocity, tacpy_struct(&tacpy_table_tacProblemInfo, &info));
    Py_XDECREF(reaction);
    Py_XDECREF(velocity);
    return result;
}

PyMethodDef tacpy_numbers[] = {
    {"version", version, METH_NOARGS, DOC_version},
    {"random_bits", random_bits, METH_VARARGS, DOC_random_bits},
    {"random_uniform", random_uniform, METH_VARARGS, DOC_random_uniform},
    {"random_normal", random_normal, METH_VARARGS, DOC_random_normal},
    {"hash_bytes", hash, METH_VARARGS, DOC_hash_bytes},
    {"status_text", status_text, METH_O, DOC_status_text},
    {"kind_text", kind_text, METH_O, DOC_kind_text},
    {"reason_text", reason_text, METH_O, DOC_reason_text},
    {"contact_text", contact_text, METH_O, DOC_contact_text},
    {"option_info", option_info, METH_NOARGS, DOC_option_info},
    TACPY_METHOD("solve_problem", solve_problem, DOC_solve_problem),
    {NULL, NULL, 0, NULL},
};
