/* tacOptions from keywords, and back. */
#include "options.h"

#include <string.h>

/* "qfrc", or a tuple of such words, or a number. */
static int take_inputs(PyObject *o, unsigned *inputs) {
    int value = 0;
    *inputs = 0;
    if (PyUnicode_Check(o) || PyIndex_Check(o)) {
        if (tacpy_enum("Inputs", o, &value) != 0) return -1;
        *inputs = (unsigned)value;
        return 0;
    }
    PyObject *words = PySequence_Tuple(o);
    if (words == NULL) return -1;
    int status = 0;
    for (Py_ssize_t i = 0; status == 0 && i < PyTuple_Size(words); i++) {
        status = tacpy_enum("Inputs", PyTuple_GetItem(words, i), &value);
        *inputs |= (unsigned)value;
    }
    Py_DECREF(words);
    return status;
}

/* One option by name: a word, or a number of its kind. */
static int set_option(tacOptions *options, const char *name, PyObject *value) {
    tacError err;
    if (strcmp(name, "inputs") == 0) return take_inputs(value, &options->inputs);
    if (PyUnicode_Check(value)) {
        const char *text = tacpy_text(value, name);
        if (text == NULL) return -1;
        if (tac_option_set(options, name, text, &err) == TAC_OK) return 0;
        tacpy_raise(&err);
        return -1;
    }
    const tacpyField *field = tacpy_find_field(&tacpy_table_tacOptions, name);
    if (field != NULL && strcmp(name, "cookie") != 0) return tacpy_set_field(field, options, value);
    PyErr_Format(PyExc_TypeError, "there is no option '%s'", name);
    return -1;
}

static int is_skipped(const char *name, const char *const *skip) {
    for (int i = 0; skip[i] != NULL; i++)
        if (strcmp(skip[i], name) == 0) return 1;
    return 0;
}

int tacpy_take_options(PyObject *keywords, const char *const *skip, tacOptions *options) {
    Py_ssize_t at = 0;
    PyObject *key, *value;
    while (keywords != NULL && PyDict_Next(keywords, &at, &key, &value)) {
        const char *name = tacpy_text(key, "option");
        if (name == NULL) return -1;
        if (!is_skipped(name, skip) && set_option(options, name, value) != 0) return -1;
    }
    return 0;
}

int tacpy_take_unsolved(PyObject *keywords, tacpyUnsolved *unsolved) {
    static const char *const words[] = {"raise", "warn", "accept"};
    PyObject *o = keywords == NULL ? NULL : PyDict_GetItemString(keywords, "on_unsolved");
    *unsolved = TACPY_RAISE;
    if (o == NULL) return 0;
    const char *text = tacpy_text(o, "on_unsolved");
    if (text == NULL) return -1;
    for (int i = 0; i < 3; i++)
        if (strcmp(text, words[i]) == 0) {
            *unsolved = (tacpyUnsolved)i;
            return 0;
        }
    PyErr_Format(PyExc_ValueError, "on_unsolved is '%s', expected raise, warn or accept", text);
    return -1;
}

PyObject *tacpy_options_dict(const tacOptions *options, tacpyUnsolved unsolved) {
    static const char *const words[] = {"raise", "warn", "accept"};
    PyObject *dict = PyDict_New(), *word = PyUnicode_FromString(words[unsolved]);
    int status = dict == NULL || word == NULL ? -1 : PyDict_SetItemString(dict, "on_unsolved", word);
    for (const tacpyField *f = tacpy_table_tacOptions.fields; status == 0 && f->name != NULL; f++) {
        if (strcmp(f->name, "cookie") == 0) continue;
        PyObject *value = tacpy_get_field(f, options);
        status = value == NULL ? -1 : PyDict_SetItemString(dict, f->name, value);
        Py_XDECREF(value);
    }
    Py_XDECREF(word);
    if (status != 0) Py_CLEAR(dict);
    return dict;
}
