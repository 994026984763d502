/* Robots from files, motions as pages, generated models. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

/* --- Loading ------------------------------------------------------------------------------------------------------ */

static PyObject *lines(const tacReport *report, int n, const char *(*line)(const tacReport *, int)) {
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple != NULL && i < n; i++) {
        const char *text = line(report, i);
        PyObject *o = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
        if (o == NULL || PyTuple_SetItem(tuple, i, o) != 0) Py_CLEAR(tuple);
    }
    return tuple;
}

/* Gives the model what the report says. */
static int take_report(PyObject *model, const tacReport *report) {
    tacpyModel *m = (tacpyModel *)model;
    const char *name = tac_report_name(report);
    PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
    PyObject *ignored = lines(report, tac_report_ignored_count(report), tac_report_ignored);
    PyObject *warnings = lines(report, tac_report_warning_count(report), tac_report_warning);
    if (text == NULL || ignored == NULL || warnings == NULL) {
        Py_XDECREF(text);
        Py_XDECREF(ignored);
        Py_XDECREF(warnings);
        return -1;
    }
    Py_XDECREF(m->name);
    Py_XDECREF(m->ignored);
    Py_XDECREF(m->warnings);
    m->name = text;
    m->ignored = ignored;
    m->warnings = warnings;
    return 0;
}

/* (type, path, **load options) -> a model of that type. */
static PyObject *load(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    (void)module;
    PyObject *path = NULL, *made = NULL;
    tacLoadOptions options = tac_default_load_options();
    if (n != 2) {
        PyErr_SetString(PyExc_TypeError, "_load() takes a type and a path");
        return NULL;
    }
    if (!PyUnicode_FSConverter(args[1], &path)) return NULL;
    if (tacpy_set_keywords(&tacpy_table_tacLoadOptions, &options, args + n, names, NULL) != 0) {
        Py_DECREF(path);
        return NULL;
    }
    tacModel *model = NULL;
    tacReport *report = NULL;
    tacError err;
    tacStatus status;
    const char *name = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS status = tac_load_with(name, &options, &model, &report, &err);
    Py_END_ALLOW_THREADS Py_DECREF(path);
    if (status != TAC_OK) {
        tacpy_raise(&err);
    } else {
        made = tacpy_model_object((PyTypeObject *)args[0], model);
        if (made != NULL && report != NULL && take_report(made, report) != 0) Py_CLEAR(made);
    }
    tac_report_free(report);
    return made;
}

/* --- Generated models --------------------------------------------------------------------------------------------- */

static PyObject *take_text(char *text, const char *problem) {
    if (text == NULL) return tacpy_raise_status(TAC_ERR_ARGUMENT, problem);
    PyObject *o = PyUnicode_FromString(text);
    free(text);
    return o;
}

static int take_chain(Py_ssize_t n, PyObject *const *args, PyObject *names, tacChain *chain) {
    *chain = tac_default_chain();
    if (n == 0) return tacpy_set_keywords(&tacpy_table_tacChain, chain, args, names, NULL);
    PyErr_SetString(PyExc_TypeError, "a chain takes keywords alone");
    return -1;
}

static PyObject *chain_text(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    (void)module;
    tacChain chain;
    if (take_chain(n, args, names, &chain) != 0) return NULL;
    return take_text(tac_chain_model(&chain), "a field of the chain is out of range");
}

/* (type, **fields) */
static PyObject *chain_model(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    (void)module;
    tacChain chain;
    tacModel *model = NULL;
    tacError err;
    if (n < 1 || take_chain(n - 1, args + n, names, &chain) != 0) return NULL;
    if (tac_chain_build(&chain, &model, &err) != TAC_OK) return tacpy_raise(&err);
    return tacpy_model_object((PyTypeObject *)args[0], model);
}

static PyObject *random_model(PyObject *module, PyObject *o) {
    (void)module;
    unsigned long long seed = PyLong_AsUnsignedLongLong(o);
    if (PyErr_Occurred()) return NULL;
    return take_text(tac_random_model(seed), "out of memory");
}

/* --- Pages -------------------------------------------------------------------------------------------------------- */

enum { PAGE_SIM, PAGE_X, PAGE_U, PAGE_TIME, PAGE_TITLE, PAGE_COMMAND, PAGE_PATH, PAGE_ARGUMENTS };
static const char *const page_names[] = {"sim", "X", "U", "time", "title", "command", "path", NULL};

typedef struct Page {
    tacPage page;
    tacpyArray x, u, time;
} Page;

static int take_words(PyObject *const *given, tacPage *page) {
    const char **const to[] = {&page->title, &page->command};
    for (int i = 0; i < 2; i++) {
        PyObject *o = given[PAGE_TITLE + i];
        if (o != NULL && o != Py_None && (*to[i] = tacpy_text(o, page_names[PAGE_TITLE + i])) == NULL) return -1;
    }
    return 0;
}

static int take_rows(PyObject *o, int which, tacpyShape *shape, tacpyArray *a, const double **to) {
    if (o == NULL || o == Py_None) return 0;
    if (tacpy_input(o, page_names[which], shape, a) != 0) return -1;
    *to = a->data;
    return 0;
}

static int take_page(PyObject *const *given, Page *p) {
    if (PyObject_IsInstance(given[PAGE_SIM], (PyObject *)tacpy.sim) != 1) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "expected a tactus.Sim");
        return -1;
    }
    const tacpySim *sim = (tacpySim *)given[PAGE_SIM];
    p->page = tac_default_page();
    p->page.model = tacpy_sim_model(sim);
    p->page.options = &sim->worlds.options;
    tacpyShape x = {2, {-1, sim->worlds.size[D_NX]}};
    if (tacpy_input(given[PAGE_X], "X", &x, &p->x) != 0) return -1;
    if (x.dim[0] > 0x7fffffff) {
        tacpy_raise_shape("X has %zd rows: too many", x.dim[0]);
        return -1;
    }
    p->page.x = p->x.data;
    p->page.nframe = (int)x.dim[0];
    tacpyShape u = {2, {x.dim[0], sim->worlds.size[D_NINPUT]}}, time = {1, {x.dim[0]}};
    if (take_rows(given[PAGE_U], PAGE_U, &u, &p->u, &p->page.u) != 0) return -1;
    if (take_rows(given[PAGE_TIME], PAGE_TIME, &time, &p->time, &p->page.time) != 0) return -1;
    return take_words(given, &p->page);
}

static PyObject *page_text(const tacPage *page) {
    char *text = NULL;
    tacError err;
    tacStatus status;
    Py_BEGIN_ALLOW_THREADS status = tac_page_text(page, &text, &err);
    Py_END_ALLOW_THREADS return status == TAC_OK ? take_text(text, "") : tacpy_raise(&err);
}

static PyObject *page_file(const tacPage *page, PyObject *path) {
    PyObject *bytes = NULL;
    tacError err;
    tacStatus status;
    if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
    const char *name = PyBytes_AsString(bytes);
    Py_BEGIN_ALLOW_THREADS status = tac_write_page(page, name, &err);
    Py_END_ALLOW_THREADS Py_DECREF(bytes);
    if (status != TAC_OK) return tacpy_raise(&err);
    Py_RETURN_NONE;
}

/* The text of a page, or a file with it. */
static PyObject *make_page(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    (void)module;
    PyObject *given[PAGE_ARGUMENTS], *result = NULL;
    if (tacpy_arguments("_page", page_names, PAGE_ARGUMENTS, 2, args, n, keywords, given) != 0) return NULL;
    Page p;
    memset(&p, 0, sizeof p);
    if (take_page(given, &p) == 0)
        result = given[PAGE_PATH] == NULL || given[PAGE_PATH] == Py_None ? page_text(&p.page)
                                                                         : page_file(&p.page, given[PAGE_PATH]);
    tacpy_release(&p.x, NULL);
    tacpy_release(&p.u, NULL);
    tacpy_release(&p.time, NULL);
    return result;
}

PyMethodDef tacpy_files[] = {
    TACPY_METHOD("_load", load, DOC__load),
    TACPY_METHOD("chain_text", chain_text, DOC_chain_text),
    TACPY_METHOD("_chain_model", chain_model, DOC__chain_model),
    {"random_text", random_model, METH_O, DOC_random_text},
    TACPY_METHOD("_page", make_page, DOC__page),
    {NULL, NULL, 0, NULL},
};
