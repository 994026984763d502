/* tactus._core: the C library as Python sees it. Names, errors and results that need no speed are Python's own, in
 * python/tactus. */
#include "core.h"

tacpyKept tacpy;

static PyObject *import_name(const char *module, const char *name) {
    PyObject *from = PyImport_ImportModule(module);
    PyObject *o = from == NULL || name == NULL ? from : PyObject_GetAttrString(from, name);
    if (name != NULL) Py_XDECREF(from);
    return o;
}

static int import_all(void) {
    tacpy.empty = import_name("numpy", "empty");
    if (tacpy.empty != NULL) tacpy.asarray = import_name("numpy", "asarray");
    if (tacpy.asarray != NULL) tacpy.convert = import_name("tactus._arrays", "convert");
    if (tacpy.convert != NULL) tacpy.fail = import_name("tactus.errors", "make");
    if (tacpy.fail != NULL) tacpy.warning = import_name("tactus.errors", "UnsolvedWarning");
    if (tacpy.warning != NULL) tacpy.enums = import_name("tactus.enums", NULL);
    if (tacpy.enums != NULL) tacpy.results = import_name("tactus.results", NULL);
    return tacpy.results == NULL ? -1 : 0;
}

static int fill_module(PyObject *module) {
    if (tacpy.empty != NULL) {
        PyErr_SetString(PyExc_ImportError, "tactus is in use in another interpreter of this process");
        return -1;
    }
    if (import_all() != 0) return -1;
    int (*const add[])(PyObject *) = {tacpy_add_structures, tacpy_add_model,   tacpy_add_builder, tacpy_add_sim,
                                      tacpy_add_batch,      tacpy_add_outputs, tacpy_add_ode};
    for (size_t i = 0; i < sizeof add / sizeof *add; i++)
        if (add[i](module) != 0) return -1;
    return PyModule_AddFunctions(module, tacpy_files) || PyModule_AddFunctions(module, tacpy_numbers) ? -1 : 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)fill_module}, {0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "tactus._core",
                                        .m_doc = "The C library as Python sees it.", .m_slots = slots};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
