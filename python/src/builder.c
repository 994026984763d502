/* tactus.Builder: elements one by one, then a model. */
#include "array.h"
#include "structure.h"

#include <stddef.h>
#include <string.h>

typedef struct Builder {
    PyObject_HEAD tacBuilder *builder;
    tacModel *sized; /* what keyframes' arrays are as long as; NULL: to be made anew */
} Builder;

/* --- Arrays of definitions ---------------------------------------------------------------------------------------- */

/* An array that a definition points to. */
typedef struct ArrayField {
    const char *name;
    size_t offset, count; /* of the pointer, and of its number of rows; count 0: as long as the model says */
    int width;
    int whole;       /* ints, not doubles */
    size_t of_model; /* count 0: the size that says how many rows it has */
} ArrayField;

#define DOUBLES(type, field, count, width)                                                                             \
    { #field, offsetof(type, field), offsetof(type, count), width, 0, 0 }
#define INTS(type, field, count, width)                                                                                \
    { #field, offsetof(type, field), offsetof(type, count), width, 1, 0 }
#define SIZED(field, width, size)                                                                                      \
    { #field, offsetof(tacKeyDef, field), 0, width, 0, offsetof(tacModel, size) }
static const ArrayField mesh_arrays[] = {DOUBLES(tacMeshDef, vert, nvert, 3),
                                         INTS(tacMeshDef, face, nface, 3),
                                         INTS(tacMeshDef, hullvert, nhullvert, 1),
                                         INTS(tacMeshDef, hullface, nhullface, 3),
                                         {NULL}};
static const ArrayField tendon_arrays[] = {
    INTS(tacTendonDef, joint, nterm, 1), DOUBLES(tacTendonDef, coef, nterm, 1), {NULL}};
static const ArrayField key_arrays[] = {SIZED(qpos, 1, nq),
                                        SIZED(qvel, 1, nv),
                                        SIZED(act, 1, na),
                                        SIZED(ctrl, 1, nu),
                                        SIZED(mpos, 3, nmocap),
                                        SIZED(mquat, 4, nmocap),
                                        {NULL}};
enum { MOST_ARRAYS = 6 };

/* What arguments are held in for one call. */
typedef struct Held {
    tacpyArray array[MOST_ARRAYS];
    int *whole[MOST_ARRAYS];
} Held;

static void release(Held *held) {
    for (int i = 0; i < MOST_ARRAYS; i++) {
        tacpy_release(&held->array[i], NULL);
        PyMem_Free(held->whole[i]);
    }
}

static int make_whole(const char *name, const tacpyArray *a, Py_ssize_t n, int **whole) {
    *whole = PyMem_Calloc((size_t)n + 1, sizeof **whole);
    if (*whole == NULL) return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!(a->data[i] >= -2147483648.0 && a->data[i] <= 2147483647.0)) {
            PyErr_Format(PyExc_OverflowError, "%s has a number that is no C int", name);
            return -1;
        }
        (*whole)[i] = (int)a->data[i];
        if ((double)(*whole)[i] != a->data[i]) {
            PyErr_Format(PyExc_ValueError, "%s has a number that is not whole", name);
            return -1;
        }
    }
    return 0;
}

/* The model that the builder would make now, for its sizes. */
static const tacModel *sized(Builder *self) {
    tacError err;
    if (self->sized == NULL && tac_model_finish(self->builder, &self->sized, &err) != TAC_OK) tacpy_raise(&err);
    return self->sized;
}

static int take_array(Builder *self, const ArrayField *field, PyObject *o, char *def, int i, Held *held) {
    tacpyShape shape = {field->width > 1 ? 2 : 1, {-1, field->width}};
    if (field->count == 0) {
        const tacModel *m = sized(self);
        if (m == NULL) return -1;
        shape.dim[0] = *(const int *)((const char *)m + field->of_model);
    }
    tacpyArray *a = &held->array[i];
    if (tacpy_input(o, field->name, &shape, a) != 0) return -1;
    int *count = (int *)(def + field->count), rows = (int)shape.dim[0];
    if (field->count != 0 && *count != 0 && *count != rows) {
        tacpy_raise_shape("%s has %d entries, expected %d", field->name, rows, *count);
        return -1;
    }
    if (field->count != 0) *count = rows;
    if (!field->whole) {
        *(const double **)(def + field->offset) = a->data;
        return 0;
    }
    if (make_whole(field->name, a, tacpy_count(&shape), &held->whole[i]) != 0) return -1;
    *(const int **)(def + field->offset) = held->whole[i];
    return 0;
}

/* Sets the arrays that keywords name, and lists their names in `taken`. */
static int take_arrays(Builder *self, const ArrayField *fields, void *def, PyObject *const *args, PyObject *names,
                       const char **taken, Held *held) {
    int n = 0;
    Py_ssize_t given = names == NULL ? 0 : PyTuple_Size(names);
    for (int i = 0; fields != NULL && fields[i].name != NULL; i++)
        for (Py_ssize_t k = 0; k < given; k++) {
            if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, k), fields[i].name) != 0) continue;
            taken[n++] = fields[i].name;
            if (args[k] != Py_None && take_array(self, &fields[i], args[k], def, i, held) != 0) return -1;
        }
    taken[n] = NULL;
    return 0;
}

/* --- Adding ------------------------------------------------------------------------------------------------------- */

typedef union Definition {
    tacBodyDef body;
    tacJointDef joint;
    tacGeomDef geom;
    tacMeshDef mesh;
    tacSiteDef site;
    tacTendonDef tendon;
    tacActuatorDef actuator;
    tacEqualityDef equality;
    tacPairDef pair;
    tacKeyDef key;
} Definition;

static int add_body(tacBuilder *b, int owner, const Definition *d) { return tac_model_add_body(b, owner, &d->body); }
static int add_joint(tacBuilder *b, int owner, const Definition *d) { return tac_model_add_joint(b, owner, &d->joint); }
static int add_geom(tacBuilder *b, int owner, const Definition *d) { return tac_model_add_geom(b, owner, &d->geom); }
static int add_mesh(tacBuilder *b, int owner, const Definition *d) {
    (void)owner;
    return tac_model_add_mesh(b, &d->mesh);
}
static int add_site(tacBuilder *b, int owner, const Definition *d) { return tac_model_add_site(b, owner, &d->site); }
static int add_tendon(tacBuilder *b, int owner, const Definition *d) {
    (void)owner;
    return tac_model_add_tendon(b, &d->tendon);
}
static int add_actuator(tacBuilder *b, int owner, const Definition *d) {
    (void)owner;
    return tac_model_add_actuator(b, &d->actuator);
}
static int add_equality(tacBuilder *b, int owner, const Definition *d) {
    (void)owner;
    return tac_model_add_equality(b, &d->equality);
}
static int add_pair(tacBuilder *b, int owner, const Definition *d) {
    (void)owner;
    return tac_model_add_pair(b, &d->pair);
}
static int add_key(tacBuilder *b, int owner, const Definition *d) {
    (void)owner;
    return tac_model_add_key(b, &d->key);
}

static void default_body(Definition *d) { d->body = tac_default_body(); }
static void default_joint(Definition *d) { d->joint = tac_default_joint(); }
static void default_geom(Definition *d) { d->geom = tac_default_geom(); }
static void default_mesh(Definition *d) { d->mesh = tac_default_mesh(); }
static void default_site(Definition *d) { d->site = tac_default_site(); }
static void default_tendon(Definition *d) { d->tendon = tac_default_tendon(); }
static void default_actuator(Definition *d) { d->actuator = tac_default_actuator(); }
static void default_equality(Definition *d) { d->equality = tac_default_equality(); }
static void default_pair(Definition *d) { d->pair = tac_default_pair(); }
static void default_key(Definition *d) { d->key = tac_default_key(); }

typedef struct Element {
    tacKind kind;
    const tacpyTable *table;
    const ArrayField *arrays;
    void (*set_default)(Definition *);
    int (*add)(tacBuilder *, int, const Definition *);
} Element;
static const Element elements[] = {
    {TAC_KIND_BODY, &tacpy_table_tacBodyDef, NULL, default_body, add_body},
    {TAC_KIND_JOINT, &tacpy_table_tacJointDef, NULL, default_joint, add_joint},
    {TAC_KIND_GEOM, &tacpy_table_tacGeomDef, NULL, default_geom, add_geom},
    {TAC_KIND_MESH, &tacpy_table_tacMeshDef, mesh_arrays, default_mesh, add_mesh},
    {TAC_KIND_SITE, &tacpy_table_tacSiteDef, NULL, default_site, add_site},
    {TAC_KIND_TENDON, &tacpy_table_tacTendonDef, tendon_arrays, default_tendon, add_tendon},
    {TAC_KIND_ACTUATOR, &tacpy_table_tacActuatorDef, NULL, default_actuator, add_actuator},
    {TAC_KIND_EQUALITY, &tacpy_table_tacEqualityDef, NULL, default_equality, add_equality},
    {TAC_KIND_PAIR, &tacpy_table_tacPairDef, NULL, default_pair, add_pair},
    {TAC_KIND_KEY, &tacpy_table_tacKeyDef, key_arrays, default_key, add_key},
};

static const Element *find_element(PyObject *word) {
    tacKind kind;
    if (tacpy_kind(word, &kind) != 0) return NULL;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].kind == kind) return &elements[i];
    PyErr_SetString(PyExc_ValueError, "elements of this kind are added by a method of their own");
    return NULL;
}

/* What changes the builder changes the sizes of keyframes. */
static void forget_sizes(Builder *self) {
    tac_model_free(self->sized);
    self->sized = NULL;
}

static int add_element(Builder *self, const Element *e, int owner, PyObject *const *args, PyObject *names) {
    const char *taken[MOST_ARRAYS + 1] = {NULL};
    Definition def;
    Held held;
    memset(&held, 0, sizeof held);
    memset(&def, 0, sizeof def);
    e->set_default(&def);
    int id = -2;
    if (take_arrays(self, e->arrays, &def, args, names, taken, &held) == 0 &&
        tacpy_set_keywords(e->table, &def, args, names, taken) == 0) {
        id = e->add(self->builder, owner, &def);
        if (e->kind != TAC_KIND_KEY) forget_sizes(self);
    }
    release(&held);
    return id;
}

/* The error that the builder remembers, raised. */
static PyObject *raise_refused(Builder *self) {
    tacError err;
    tacModel *model = NULL;
    if (tac_model_finish(self->builder, &model, &err) != TAC_OK) return tacpy_raise(&err);
    tac_model_free(model);
    return tacpy_raise_status(TAC_ERR_ARGUMENT, "the element was refused");
}

/* (kind, owner, **fields) -> id */
static PyObject *add(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    int owner = 0;
    if (n != 2) {
        PyErr_SetString(PyExc_TypeError, "_add() takes a kind and an owner");
        return NULL;
    }
    const Element *e = find_element(args[0]);
    if (e == NULL || tacpy_int(args[1], "owner", &owner) != 0) return NULL;
    int id = add_element((Builder *)self, e, owner, args + n, names);
    if (id == -2) return NULL;
    return id < 0 ? raise_refused((Builder *)self) : PyLong_FromLong(id);
}

static PyObject *add_mesh_faces(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    if (n != 2) {
        PyErr_SetString(PyExc_TypeError, "_add_mesh_faces() takes normals and offsets");
        return NULL;
    }
    tacMeshDef def = tac_default_mesh();
    tacpyShape normals = {2, {-1, 3}}, offsets = {1, {-1}};
    tacpyArray normal = {{0}}, offset = {{0}};
    int id = -2;
    if (tacpy_input(args[0], "normal", &normals, &normal) == 0 && (offsets.dim[0] = normals.dim[0]) >= 0 &&
        tacpy_input(args[1], "offset", &offsets, &offset) == 0 &&
        tacpy_set_keywords(&tacpy_table_tacMeshDef, &def, args + n, names, NULL) == 0) {
        id = tac_model_add_mesh_faces(((Builder *)self)->builder, &def, (int)normals.dim[0],
                                      (const tacVec3 *)normal.data, offset.data);
        forget_sizes((Builder *)self);
    }
    tacpy_release(&normal, NULL);
    tacpy_release(&offset, NULL);
    if (id == -2) return NULL;
    return id < 0 ? raise_refused((Builder *)self) : PyLong_FromLong(id);
}

static PyObject *add_exclude(PyObject *self, PyObject *args) {
    const char *name;
    int body1, body2;
    if (!PyArg_ParseTuple(args, "zii", &name, &body1, &body2)) return NULL;
    int id = tac_model_add_exclude(((Builder *)self)->builder, name, body1, body2);
    return id < 0 ? raise_refused((Builder *)self) : PyLong_FromLong(id);
}

static PyObject *add_sensor(PyObject *self, PyObject *args) {
    const char *tag, *name;
    if (!PyArg_ParseTuple(args, "sz", &tag, &name)) return NULL;
    int id = tac_model_add_sensor(((Builder *)self)->builder, tag, name);
    return id < 0 ? raise_refused((Builder *)self) : PyLong_FromLong(id);
}

/* --- Options, finding, removing, attaching ------------------------------------------------------------------------ */

static PyObject *set_option(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    tacBuilder *b = ((Builder *)self)->builder;
    tacOptionDef def;
    if (n != 0) {
        PyErr_SetString(PyExc_TypeError, "option() takes keywords alone");
        return NULL;
    }
    tacStatus status = tac_builder_option(b, &def);
    if (status != TAC_OK) return tacpy_raise_status(status, NULL);
    if (tacpy_set_keywords(&tacpy_table_tacOptionDef, &def, args, names, NULL) != 0) return NULL;
    tac_model_set_option(b, &def);
    forget_sizes((Builder *)self);
    PyObject *dict = PyDict_New();
    for (const tacpyField *f = tacpy_table_tacOptionDef.fields; dict != NULL && f->name != NULL; f++) {
        PyObject *value = tacpy_get_field(f, &def);
        if (value == NULL || PyDict_SetItemString(dict, f->name, value) != 0) Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *find(PyObject *self, PyObject *args) {
    PyObject *word;
    const char *name;
    tacKind kind;
    char text[TAC_ERROR_TEXT];
    if (!PyArg_ParseTuple(args, "Os", &word, &name) || tacpy_kind(word, &kind) != 0) return NULL;
    int id = tac_builder_find(((Builder *)self)->builder, kind, name);
    if (id >= 0) return PyLong_FromLong(id);
    PyOS_snprintf(text, sizeof text, "the builder has no %s \"%s\"", tac_kind_text(kind), name);
    return tacpy_raise_status(TAC_ERR_NAME, text);
}

static PyObject *count(PyObject *self, PyObject *word) {
    tacKind kind;
    if (tacpy_kind(word, &kind) != 0) return NULL;
    return PyLong_FromLong(tac_builder_count(((Builder *)self)->builder, kind));
}

static PyObject *remove_element(PyObject *self, PyObject *args) {
    PyObject *word;
    int id;
    tacKind kind;
    tacError err;
    if (!PyArg_ParseTuple(args, "Oi", &word, &id) || tacpy_kind(word, &kind) != 0) return NULL;
    if (tac_model_remove(((Builder *)self)->builder, kind, id, &err) != TAC_OK) return tacpy_raise(&err);
    forget_sizes((Builder *)self);
    Py_RETURN_NONE;
}

/* (parent, model, **fields) */
static PyObject *attach(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    tacAttachDef def = tac_default_attach();
    tacError err;
    int parent = 0;
    if (n != 2) {
        PyErr_SetString(PyExc_TypeError, "_attach() takes a parent and a model");
        return NULL;
    }
    tacModel *model = tacpy_int(args[0], "parent", &parent) != 0 ? NULL : tacpy_model_of(args[1]);
    if (model == NULL || tacpy_set_keywords(&tacpy_table_tacAttachDef, &def, args + n, names, NULL) != 0) return NULL;
    if (tac_model_attach(((Builder *)self)->builder, parent, model, &def, &err) != TAC_OK) return tacpy_raise(&err);
    forget_sizes((Builder *)self);
    Py_RETURN_NONE;
}

/* --- Making and finishing ----------------------------------------------------------------------------------------- */

/* type -> a model of that type. */
static PyObject *finish(PyObject *self, PyObject *type) {
    tacModel *model = NULL;
    tacError err;
    if (tac_model_finish(((Builder *)self)->builder, &model, &err) != TAC_OK) return tacpy_raise(&err);
    return tacpy_model_object(type == Py_None ? NULL : (PyTypeObject *)type, model);
}

/* Builder(model=None) */
static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"model", NULL};
    PyObject *from = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:Builder", names, &from)) return NULL;
    tacModel *model = from == Py_None ? NULL : tacpy_model_of(from);
    if (model == NULL && from != Py_None) return NULL;
    Builder *self = (Builder *)PyType_GenericAlloc(type, 0);
    if (self == NULL) return NULL;
    tacError err;
    if (model == NULL) {
        self->builder = tac_model_begin();
        if (self->builder == NULL) PyErr_NoMemory();
    } else if (tac_model_edit(model, &self->builder, &err) != TAC_OK) {
        tacpy_raise(&err);
    }
    if (self->builder == NULL) Py_CLEAR(self);
    return (PyObject *)self;
}

static void free_builder(PyObject *o) {
    tac_builder_free(((Builder *)o)->builder);
    tac_model_free(((Builder *)o)->sized);
    tacpy_free_object(o);
}

static PyMethodDef methods[] = {
    TACPY_METHOD("_add", add, DOC_Builder__add),
    TACPY_METHOD("_add_mesh_faces", add_mesh_faces, DOC_Builder__add_mesh_faces),
    {"_add_exclude", add_exclude, METH_VARARGS, DOC_Builder__add_exclude},
    {"_add_sensor", add_sensor, METH_VARARGS, DOC_Builder__add_sensor},
    TACPY_METHOD("option", set_option, DOC_Builder_option),
    {"find", find, METH_VARARGS, DOC_Builder_find},
    {"count", count, METH_O, DOC_Builder_count},
    {"_remove", remove_element, METH_VARARGS, DOC_Builder__remove},
    TACPY_METHOD("_attach", attach, DOC_Builder__attach),
    {"_finish", finish, METH_O, DOC_Builder__finish},
    {NULL, NULL, 0, NULL},
};

int tacpy_add_builder(PyObject *module) {
    PyType_Slot slots[] = {{Py_tp_new, (void *)make},
                           {Py_tp_dealloc, (void *)free_builder},
                           {Py_tp_methods, methods},
                           {Py_tp_doc, (void *)DOC_Builder},
                           {0, NULL}};
    PyType_Spec spec = {"tactus._core.Builder", sizeof(Builder), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    tacpy.builder = tacpy_add_type(module, &spec, "Builder");
    return tacpy.builder == NULL ? -1 : 0;
}
