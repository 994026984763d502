/* Damaged files of every kind: none may crash, hang, leak or be accepted without being sound. The mutations are the
 * same in every run; TAC_FUZZ_SEED and TAC_FUZZ_COUNT ask for others and for more. Worth most under asan and ubsan. */
#include "io/mesh_bytes.h"
#include "io/mesh_formats.h"
#include "io/scratch.h"
#include "support/check.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { COUNT = 1500, CAPACITY = 1 << 16, MAX_CHANGES = 3, SECONDS = 60 };

/* --- Mutations ---------------------------------------------------------------------------------------------------- */

static uint64_t generator;

/* splitmix64 */
static uint32_t draw(uint32_t below) {
    generator += 0x9E3779B97F4A7C15u;
    uint64_t z = generator;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) % below);
}

static long setting(const char *name, long otherwise) {
    const char *value = getenv(name);
    return value != NULL ? atol(value) : otherwise;
}

typedef struct Buffer {
    unsigned char data[CAPACITY];
    size_t size;
} Buffer;

static void splice(Buffer *b, size_t at, size_t removed, const void *inserted, size_t n) {
    if (b->size - removed + n > CAPACITY) return;
    memmove(b->data + at + n, b->data + at + removed, b->size - at - removed);
    memcpy(b->data + at, inserted, n);
    b->size = b->size - removed + n;
}

/* What breaks parsers: extremes, separators, references, half elements. */
static const char *const WORDS[] = {"0",       "-1",      "1e999",      "nan",         "inf",
                                    "-0.0",    "1e-320",  "2147483648", "-2147483649", "99999999999999999999",
                                    " ",       "\n",      "\"",         "'",           "<",
                                    ">",       "/>",      "</",         "<!--",        "<![CDATA[",
                                    "&lt;",    "&#0;",    "&#x110000;", "..",          "../",
                                    "/",       "\\",      "$(x)",       "name=\"\"",   "type=\"mesh\"",
                                    "<body>",  "<link/>", "<geom/>",    "<joint",      "world",
                                    "free",    "true",    "0 0 0",      "1 1 1 1",     "f 1 2 3\n",
                                    "v 1 1 1", "vertex",  "endfacet",   "solid",       "\xff",
                                    "\xc3\x28"};

static void insert_word(Buffer *b, size_t at, size_t removed) {
    const char *word = WORDS[draw((uint32_t)(sizeof WORDS / sizeof *WORDS))];
    splice(b, at, removed, word, strlen(word));
}

/* Bytes from one place to another. */
static void copy_range(Buffer *b, size_t at, size_t span) {
    unsigned char kept[256];
    if (span > sizeof kept) span = sizeof kept;
    size_t from = draw((uint32_t)(b->size - span) + 1);
    memcpy(kept, b->data + from, span);
    splice(b, at, 0, kept, span);
}

/* The quoted value after `at`: its start and length; 0: there is none. */
static int find_value(const Buffer *b, size_t at, size_t *start, size_t *length) {
    int quotes = 0;
    for (size_t i = 0; i < at; i++)
        quotes += b->data[i] == '"';
    const unsigned char *open = memchr(b->data + at, '"', b->size - at);
    if (open != NULL && quotes % 2 == 1) open = memchr(open + 1, '"', b->size - (size_t)(open + 1 - b->data));
    if (open == NULL) return 0;
    *start = (size_t)(open + 1 - b->data);
    const unsigned char *close = memchr(open + 1, '"', b->size - *start);
    *length = close != NULL ? (size_t)(close - open) - 1 : 0;
    return close != NULL;
}

/* An attribute takes a word, or the value of another: XML that stays well formed gets past the parser. */
static void change_value(Buffer *b, size_t at) {
    size_t start, length, other, n;
    unsigned char kept[256];
    if (!find_value(b, at, &start, &length)) return;
    if (draw(2) == 0 || !find_value(b, draw((uint32_t)b->size), &other, &n) || n > sizeof kept) {
        insert_word(b, start, length);
        return;
    }
    memcpy(kept, b->data + other, n);
    splice(b, start, length, kept, n);
}

static void change(Buffer *b) {
    if (b->size == 0) return;
    size_t at = draw((uint32_t)b->size), span = 1 + draw(64);
    if (span > b->size - at) span = b->size - at;
    switch (draw(12)) {
    case 0:
        b->data[at] ^= (unsigned char)(1u << draw(8));
        break;
    case 1:
        b->data[at] = (unsigned char)draw(256);
        break;
    case 2:
        splice(b, at, span, "", 0);
        break;
    case 3:
        insert_word(b, at, 0);
        break;
    case 4:
        insert_word(b, at, span < 8 ? span : 8);
        break;
    case 5:
        copy_range(b, at, span);
        break;
    case 6:
        if (draw(4) == 0) b->size = at;
        break;
    default:
        change_value(b, at);
    }
}

/* A copy of the seed with one to MAX_CHANGES changes. */
static void mutate(const void *seed, size_t size, Buffer *b) {
    memcpy(b->data, seed, size);
    b->size = size;
    for (uint32_t n = 1 + draw(MAX_CHANGES); n > 0; n--)
        change(b);
}

/* --- What must hold ----------------------------------------------------------------------------------------------- */

typedef struct Tally {
    int accepted, refused;
} Tally;

static void check_refusal(tacStatus status, const tacError *err, Tally *tally) {
    CHECK_INT(err->status, status);
    CHECK(err->text[0] != 0);
    CHECK(strchr(err->text, '\n') == NULL);
    tally->refused++;
}

/* An accepted model packs, unpacks to the same, and steps to finite numbers or says why not. */
static void check_model(tacModel *model, Tally *tally) {
    tacError err;
    size_t size = tac_model_pack_bytes(model);
    unsigned char *bytes = malloc(size);
    tacModel *again = NULL;
    CHECK_INT(tac_model_pack(model, bytes, size, &err), TAC_OK);
    CHECK_INT(tac_model_unpack(bytes, size, &again, &err), TAC_OK);
    CHECK(tac_model_hash(again) == tac_model_hash(model));
    free(bytes);
    tac_model_free(again);
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim;
    if (tac_sim_new(model, &options, &sim, &err) == TAC_OK) {
        int nx = tac_nx(model), nu = tac_ninput(model, &options);
        double *x = calloc((size_t)(nx + nu) + 1, sizeof *x), *u = x + nx;
        tac_default_state(model, x);
        tac_default_input(model, &options, u);
        if (tac_step(sim, x, u, x, NULL) == TAC_OK)
            for (int i = 0; i < nx; i++)
                CHECK(isfinite(x[i]));
        free(x);
        tac_sim_free(sim);
    }
    tac_model_free(model);
    tally->accepted++;
}

/* A hang ends the test: SIGPROF comes after so many seconds of this process's own time, however busy the machine is. */
static void allow(int seconds) {
    struct itimerval limit = {.it_value = {.tv_sec = seconds}};
    CHECK_INT(setitimer(ITIMER_PROF, &limit, NULL), 0);
}

/* Runs `one` on mutants of a seed; both outcomes must occur. */
static void run(const char *what, const void *seed, size_t size, void (*one)(const Buffer *, Tally *)) {
    static Buffer b;
    Tally tally = {0, 0};
    generator = (uint64_t)setting("TAC_FUZZ_SEED", 1) * 1000003u;
    long count = setting("TAC_FUZZ_COUNT", COUNT);
    for (long i = 0; i < count; i++) {
        allow(SECONDS);
        mutate(seed, size, &b);
        one(&b, &tally);
    }
    allow(0);
    print_message("%s: %d accepted, %d refused\n", what, tally.accepted, tally.refused);
    CHECK(tally.refused > 0);
    CHECK(tally.accepted > 0);
}

/* --- Meshes ------------------------------------------------------------------------------------------------------- */

static void read_mesh(const char *name, const Buffer *b, Tally *tally) {
    tacFiles files;
    tacMeshData mesh;
    tacError err = {.text = ""};
    const char *path = scratch_bytes(name, b->data, b->size);
    CHECK_INT(tac_files_init(&files, path, NULL, &err), TAC_OK);
    tacStatus status = tac_mesh_read(&files, path, &mesh, &err);
    if (status != TAC_OK) {
        check_refusal(status, &err, tally);
        return;
    }
    CHECK(mesh.nvert >= 4 && mesh.nface >= 1);
    for (int i = 0; i < 3 * mesh.nface; i++)
        CHECK(mesh.face[i] >= 0 && mesh.face[i] < mesh.nvert);
    for (int i = 0; i < mesh.nvert; i++)
        CHECK(isfinite(mesh.vert[i].x) && isfinite(mesh.vert[i].y) && isfinite(mesh.vert[i].z));
    status = tac_mesh_hull(&mesh, &err);
    if (status != TAC_OK) CHECK(mesh.hullvert == NULL && err.text[0] != 0);
    tac_mesh_free(&mesh);
    tally->accepted++;
}

static void read_stl(const Buffer *b, Tally *tally) { read_mesh("m.stl", b, tally); }
static void read_obj(const Buffer *b, Tally *tally) { read_mesh("m.obj", b, tally); }
static void read_msh(const Buffer *b, Tally *tally) { read_mesh("m.msh", b, tally); }
static void read_ply(const Buffer *b, Tally *tally) { read_mesh("m.ply", b, tally); }
static void read_off(const Buffer *b, Tally *tally) { read_mesh("m.off", b, tally); }

static const char *const ASCII_STL =
    "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n"
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid x\n";
static const char *const OBJ =
    "o x\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1 4 3 2\nf 1//1 2//1 5//1\n"
    "f -5 -4 -1\nf 3/1/1 \\\n 4/1/1 5/1/1\ng y\nf 2 3 5\n";

static const char *const PLY =
    "ply\nformat ascii 1.0\ncomment x\nelement vertex 5\nproperty float x\nproperty uchar red\nproperty float y\n"
    "property float z\nelement face 3\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n"
    "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
    "0 9 0 0\n1 9 0 0\n1 9 1 0\n0 9 1 0\n0 9 0 1\n4 0 3 2 1 2 0.5 0.5\n3 0 1 4 0\n3 3 0 4 0\n7 1 2 4 -1 4 2 3\n";
static const char *const OFF = "# a pyramid\nCOFF\n5 5 0\n0 0 0 255 0 0\n1 0 0\n1 1 0\n0 1 0 # a corner\n0 0 1\n"
                               "4 0 3 2 1\n3 0 1 4 0.5 0.5 0.5\n3 1 2 4\n3 2 3 4\n3 3 0 4\n";

static void meshes(void **state) {
    (void)state;
    scratch_begin();
    MeshBytes b;
    put_stl(&b, "solid", 4);
    run("binary STL", b.data, b.size, read_stl);
    run("text STL", ASCII_STL, strlen(ASCII_STL), read_stl);
    run("OBJ", OBJ, strlen(OBJ), read_obj);
    put_msh(&b, 1, 1);
    run("MSH", b.data, b.size, read_msh);
    run("text PLY", PLY, strlen(PLY), read_ply);
    put_ply(&b, 0);
    run("little-endian PLY", b.data, b.size, read_ply);
    put_ply(&b, 1);
    run("big-endian PLY", b.data, b.size, read_ply);
    run("OFF", OFF, strlen(OFF), read_off);
    scratch_end();
}

/* --- Models ------------------------------------------------------------------------------------------------------- */

static void load_model(const Buffer *b, Tally *tally) {
    tacLoadOptions options = tac_default_load_options();
    tacModel *model = NULL;
    tacReport *report = NULL;
    tacError err = {.text = ""};
    options.lenient = (int)draw(2);
    options.base = draw(2) != 0 ? TAC_BASE_FLOATING : TAC_BASE_FIXED;
    options.actuate_joints = (int)draw(2);
    tacStatus status = tac_load_with(scratch_bytes("r.xml", b->data, b->size), &options, &model, &report, &err);
    if (status == TAC_OK)
        check_model(model, tally);
    else
        check_refusal(status, &err, tally);
    tac_report_free(report);
}

static const char *const URDF =
    "<?xml version=\"1.0\"?>\n<robot name=\"r\"><material name=\"m\"><color rgba=\"1 0 0 1\"/></material>\n"
    "<link name=\"a\"><inertial><origin xyz=\"0 0 1\" rpy=\"0 0.5 0\"/><mass value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" "
    "izz=\"1\" "
    "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><visual><material name=\"m\"/></visual>"
    "<collision><geometry><box size=\"1 1 1\"/></geometry></collision></link>\n"
    "<link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>"
    "<collision><origin xyz=\"0 1 0\"/><geometry><mesh filename=\"m.stl\" scale=\"1 2 "
    "1\"/></geometry></collision></link>\n"
    "<link name=\"c\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link><link "
    "name=\"d\"/>\n"
    "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 1 0\"/>"
    "<limit lower=\"-1\" upper=\"1\" effort=\"3\"/><dynamics damping=\"1\" friction=\"0.1\"/></joint>\n"
    "<joint name=\"k\" type=\"planar\"><parent link=\"b\"/><child link=\"c\"/></joint>\n"
    "<joint name=\"l\" type=\"fixed\"><parent link=\"c\"/><child link=\"d\"/></joint><transmission/></robot>\n";

static const char *const MJCF =
    "<mujoco model=\"m\"><compiler angle=\"radian\" autolimits=\"true\"/><option timestep=\"0.01\" gravity=\"0 0 "
    "-9.81\"/>\n"
    "<default><joint damping=\"0.1\"/><default class=\"c\"><geom density=\"500\" friction=\"1 0.1 "
    "0.1\"/></default></default>\n"
    "<asset><mesh name=\"t\" file=\"m.stl\" scale=\"0.5 0.5 0.5\"/><mesh name=\"v\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 "
    "1\"/></asset>\n"
    "<worldbody><geom type=\"plane\" size=\"1 1 1\"/><body name=\"a\" pos=\"0 0 1\" childclass=\"c\"><freejoint/>"
    "<geom type=\"capsule\" fromto=\"0 0 0 0 0 1\" size=\"0.1\"/><site name=\"s\" pos=\"0 0 1\"/>\n"
    "<body name=\"b\" euler=\"0 0.3 0\"><joint name=\"h\" axis=\"0 1 0\" range=\"-1 1\"/><joint name=\"i\" "
    "type=\"slide\"/>"
    "<geom type=\"mesh\" mesh=\"t\"/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/></body></body>\n"
    "<body name=\"c\" mocap=\"true\"><geom type=\"mesh\" mesh=\"v\"/></body></worldbody>\n"
    "<tendon><fixed name=\"f\"><joint joint=\"h\" coef=\"1\"/><joint joint=\"i\" coef=\"-1\"/></fixed></tendon>\n"
    "<actuator><motor joint=\"h\" gear=\"2\" ctrlrange=\"-1 1\"/><position joint=\"i\" kp=\"10\"/>"
    "<general tendon=\"f\" dyntype=\"filter\" dynprm=\"0.1\"/></actuator>\n"
    "<contact><exclude body1=\"a\" body2=\"b\"/></contact><keyframe><key name=\"k\" time=\"1\"/></keyframe></mujoco>\n";

static void models(void **state) {
    (void)state;
    scratch_begin();
    MeshBytes b;
    put_stl(&b, "", 4);
    scratch_bytes("m.stl", b.data, b.size);
    run("URDF", URDF, strlen(URDF), load_model);
    run("MJCF", MJCF, strlen(MJCF), load_model);
    scratch_end();
}

/* --- Packed models ------------------------------------------------------------------------------------------------ */

static void unpack(const Buffer *b, Tally *tally) {
    tacModel *model = NULL;
    tacError err = {.text = ""};
    unsigned char *copy = malloc(b->size + 1); /* as long as it says, so that asan sees an overrun */
    memcpy(copy, b->data, b->size);
    tacStatus status = tac_model_unpack(copy, b->size, &model, &err);
    free(copy);
    if (status == TAC_OK)
        check_model(model, tally);
    else
        check_refusal(status, &err, tally);
}

static void packed(void **state) {
    (void)state;
    scratch_begin();
    MeshBytes mesh;
    put_stl(&mesh, "", 4);
    scratch_bytes("m.stl", mesh.data, mesh.size);
    tacModel *model = NULL;
    tacError err;
    CHECK_INT(tac_load(scratch_text("r.xml", MJCF), &model, &err), TAC_OK);
    size_t size = tac_model_pack_bytes(model);
    CHECK(size < CAPACITY);
    unsigned char *bytes = malloc(size);
    CHECK_INT(tac_model_pack(model, bytes, size, &err), TAC_OK);
    tac_model_free(model);
    Tally tally = {0, 0};
    static Buffer b;
    generator = (uint64_t)setting("TAC_FUZZ_SEED", 1);
    for (long i = 0; i < setting("TAC_FUZZ_COUNT", COUNT); i++) {
        mutate(bytes, size, &b);
        unpack(&b, &tally);
    }
    print_message("packed: %d accepted, %d refused\n", tally.accepted, tally.refused);
    CHECK(tally.refused > 0); /* the checksum lets nothing through but changes that change nothing */
    free(bytes);
    scratch_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(meshes), cmocka_unit_test(models), cmocka_unit_test(packed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
