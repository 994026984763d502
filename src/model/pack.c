/* Model <-> bytes.
 *
 *   magic(8) version(4) shape(8) sizes(4 each) nparam(4) nmember(4)
 *   arrays in the order of the field table, without padding
 *   param_field, param_index, param_theta (4 each)  checksum(8) of all that goes before
 *
 * Little endian. `shape` is a hash of the field table, so bytes of another table are refused whatever their version.
 * Unpacking trusts nothing. It checks sizes against the number of bytes, and every id and address against its range. It
 * recomputes dependent rows and compares them. */
#include "model/hull.h"
#include "model/param_path.h"
#include "model/validate.h"

#include "base/error.h"

#include <string.h>

static const char MAGIC[8] = {'T', 'A', 'C', 'T', 'U', 'S', 'M', '\n'};
enum { PACK_VERSION = 2, CHECKSUM_BYTES = 8 };

/* --- Little endian ------------------------------------------------------------------------------------------------ */

static int host_is_little(void) {
    const uint32_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Copies n elements between the host's order and little endian, the same both ways. */
static void copy_little(void *to, const void *from, size_t n, size_t element) {
    if (n == 0) return;
    if (element == 1 || host_is_little()) {
        memcpy(to, from, n * element);
        return;
    }
    unsigned char *t = to;
    const unsigned char *f = from;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < element; k++)
            t[i * element + k] = f[i * element + element - 1 - k];
}

/* Position of the next bytes to write or read. */
typedef struct Cursor {
    unsigned char *out;
    const unsigned char *in;
    size_t at;
} Cursor;

static void put(Cursor *c, const void *from, size_t n, size_t element) {
    copy_little(c->out + c->at, from, n, element);
    c->at += n * element;
}

static void get(Cursor *c, void *to, size_t n, size_t element) {
    copy_little(to, c->in + c->at, n, element);
    c->at += n * element;
}

/* --- Sizes -------------------------------------------------------------------------------------------------------- */

/* Hash of the names, types and order of all sizes and fields. */
static uint64_t table_shape(void) {
    uint64_t h = 0;
    for (int i = 0; i < TAC_NSIZE; i++)
        h = tac_hash(TAC_SIZES[i].name, strlen(TAC_SIZES[i].name) + 1, h);
    for (int i = 0; i < TAC_NFIELD; i++) {
        const tacField *f = &TAC_FIELDS[i];
        const unsigned char tail[3] = {(unsigned char)f->per, (unsigned char)f->element, (unsigned char)f->role};
        h = tac_hash(f->kind, strlen(f->kind) + 1, h);
        h = tac_hash(f->name, strlen(f->name) + 1, h);
        h = tac_hash(tail, sizeof tail, h);
    }
    return h;
}

static size_t header_bytes(void) { return sizeof MAGIC + 4 + 8 + 4 * (size_t)TAC_NSIZE + 8; }

/* Packed bytes of a model of these sizes. 0: a size is negative or the sum would overflow. */
static size_t packed_bytes(const tacModel *sizes) {
    size_t total = header_bytes() + CHECKSUM_BYTES;
    for (int i = 0; i < TAC_NFIELD; i++) {
        const tacField *f = &TAC_FIELDS[i];
        int rows = tac_field_rows(sizes, f);
        size_t row = (size_t)f->per * f->element;
        if (rows < 0 || (size_t)rows > (SIZE_MAX / 2 - total) / row) return 0;
        total += (size_t)rows * row;
    }
    if (sizes->nparam < 0 || sizes->nmember < sizes->nparam) return 0;
    if ((size_t)sizes->nmember > (SIZE_MAX / 2 - total) / 12) return 0;
    return total + 12 * (size_t)sizes->nmember;
}

size_t tac_model_pack_bytes(const tacModel *model) { return model != NULL ? packed_bytes(model) : 0; }

/* --- Packing ------------------------------------------------------------------------------------------------------ */

tacStatus tac_model_pack(const tacModel *model, void *bytes, size_t size, tacError *err) {
    if (model == NULL || bytes == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_model_pack: an argument is NULL");
    size_t need = packed_bytes(model);
    if (size < need) return tac_fail(err, TAC_ERR_SHAPE, "the buffer has %zu bytes, expected at least %zu", size, need);
    Cursor c = {.out = bytes};
    const uint32_t version = PACK_VERSION;
    const uint64_t shape = table_shape();
    put(&c, MAGIC, sizeof MAGIC, 1);
    put(&c, &version, 1, sizeof version);
    put(&c, &shape, 1, sizeof shape);
    for (int i = 0; i < TAC_NSIZE; i++)
        put(&c, (const char *)model + TAC_SIZES[i].offset, 1, sizeof(int));
    put(&c, &model->nparam, 1, sizeof(int));
    put(&c, &model->nmember, 1, sizeof(int));
    for (int i = 0; i < TAC_NFIELD; i++) {
        const tacField *f = &TAC_FIELDS[i];
        put(&c, tac_field_data(model, f), (size_t)tac_field_rows(model, f) * (size_t)f->per, f->element);
    }
    put(&c, model->param_field, (size_t)model->nmember, sizeof(int));
    put(&c, model->param_index, (size_t)model->nmember, sizeof(int));
    put(&c, model->param_theta, (size_t)model->nmember, sizeof(int));
    const uint64_t checksum = tac_hash(bytes, c.at, 0);
    put(&c, &checksum, 1, sizeof checksum);
    return TAC_OK;
}

/* --- Unpacking ---------------------------------------------------------------------------------------------------- */

/* Header -> sizes. */
static tacStatus read_header(Cursor *c, size_t size, tacModel *sizes, tacError *err) {
    char magic[sizeof MAGIC];
    uint32_t version;
    uint64_t shape;
    if (size < header_bytes() + CHECKSUM_BYTES)
        return tac_fail(err, TAC_ERR_CHECKSUM, "%zu bytes are too few for a packed model", size);
    get(c, magic, sizeof magic, 1);
    if (memcmp(magic, MAGIC, sizeof magic) != 0)
        return tac_fail(err, TAC_ERR_SYNTAX, "the bytes are not a packed model");
    get(c, &version, 1, sizeof version);
    if (version != PACK_VERSION)
        return tac_fail(err, TAC_ERR_VERSION, "packed as version %u, expected %d", (unsigned)version, PACK_VERSION);
    get(c, &shape, 1, sizeof shape);
    if (shape != table_shape())
        return tac_fail(err, TAC_ERR_VERSION, "packed by a version with different model fields");
    memset(sizes, 0, sizeof *sizes);
    for (int i = 0; i < TAC_NSIZE; i++)
        get(c, (char *)sizes + TAC_SIZES[i].offset, 1, sizeof(int));
    get(c, &sizes->nparam, 1, sizeof(int));
    get(c, &sizes->nmember, 1, sizeof(int));
    size_t need = packed_bytes(sizes);
    if (need == 0 || need != size)
        return tac_fail(err, TAC_ERR_CHECKSUM, "%zu bytes, expected %zu for the sizes they state", size, need);
    return TAC_OK;
}

static tacStatus check_sum(const unsigned char *bytes, size_t size, tacError *err) {
    uint64_t stated;
    copy_little(&stated, bytes + size - CHECKSUM_BYTES, 1, sizeof stated);
    if (tac_hash(bytes, size - CHECKSUM_BYTES, 0) == stated) return TAC_OK;
    return tac_fail(err, TAC_ERR_CHECKSUM, "the checksum of the packed model does not match");
}

/* Checks sizes that follow from other rows, before any of these is used. */
static tacStatus check_sizes(const tacModel *m, tacError *err) {
    int64_t nq = 0, nv = 0, na = 0, nmocap = 0;
    for (int i = 0; i < m->njnt; i++) {
        nq += TAC_JOINT_NQ[m->joint_type[i]];
        nv += TAC_JOINT_NV[m->joint_type[i]];
    }
    for (int i = 0; i < m->nu; i++)
        na += m->actuator_act_num[i];
    for (int i = 0; i < m->nbody; i++)
        nmocap += m->body_mocap[i] >= 0;
    int64_t nkey = m->nkey;
    if (nq != m->nq || nv != m->nv || na != m->na || nmocap != m->nmocap || nkey * nq != m->nkeyq ||
        nkey * nv != m->nkeyv || nkey * na != m->nkeya || nkey * m->nu != m->nkeyu || nkey * nmocap != m->nkeym)
        return tac_fail(err, TAC_ERR_MODEL, "the sizes of the packed model do not match its elements");
    return TAC_OK;
}

/* Checks that the rows of tac_model_index have its values. */
static tacStatus check_index(tacModel *m, tacError *err) {
    uint64_t before = tac_model_hash(m);
    if (!tac_model_index(m) || tac_model_hash(m) != before)
        return tac_fail(err, TAC_ERR_MODEL, "the addresses of the packed model do not match its elements");
    return TAC_OK;
}

/* DERIVED numbers are not recomputed (that takes the dynamics), but none may be a NaN. */
static tacStatus check_derived(const tacModel *m, tacError *err) {
    for (int i = 0; i < TAC_NFIELD; i++) {
        const tacField *f = &TAC_FIELDS[i];
        if (f->role != 'D') continue;
        const double *x = tac_field_data(m, f);
        size_t n = (size_t)tac_field_rows(m, f) * (size_t)f->per;
        for (size_t k = 0; k < n; k++)
            if (!tac_finite(x[k])) return tac_fail(err, TAC_ERR_MODEL, "%s_%s[%zu] is not finite", f->kind, f->name, k);
    }
    return TAC_OK;
}

static tacStatus check_params(const tacModel *m, tacError *err) {
    int theta = -1; /* rises by one at each parameter's first number */
    for (int i = 0; i < m->nmember; i++) {
        int field = m->param_field[i], index = m->param_index[i];
        if (field < 0 || field >= TAC_NFIELD || !tac_param_allowed(m, field, index) || m->param_theta[i] < theta ||
            m->param_theta[i] > theta + 1 || m->param_theta[i] < 0)
            return tac_fail(err, TAC_ERR_MODEL, "registered number %d is damaged", i);
        theta = m->param_theta[i];
    }
    if (theta != m->nparam - 1) return tac_fail(err, TAC_ERR_MODEL, "a registered parameter has no number");
    return TAC_OK;
}

static tacStatus check_unpacked(tacModel *m, tacError *err) {
    if (m->noption != 1) return tac_fail(err, TAC_ERR_MODEL, "the packed model has %d options, expected 1", m->noption);
    TAC_TRY(tac_validate_structure(m, NULL, err));
    TAC_TRY(check_sizes(m, err));
    TAC_TRY(check_index(m, err));
    TAC_TRY(tac_hull_check(m, err));
    TAC_TRY(tac_validate_numbers(m, NULL, err));
    TAC_TRY(tac_validate_keys(m, err));
    TAC_TRY(check_derived(m, err));
    return check_params(m, err);
}

/* Arrays and parameters into a model of the right shape. */
static tacStatus read_arrays(Cursor *c, tacModel *m, const tacModel *sizes, tacError *err) {
    for (int i = 0; i < TAC_NFIELD; i++) {
        const tacField *f = &TAC_FIELDS[i];
        get(c, tac_field_data(m, f), (size_t)tac_field_rows(m, f) * (size_t)f->per, f->element);
    }
    int n = sizes->nmember;
    if (n == 0) return TAC_OK;
    TAC_TRY(tac_model_reserve_params(m, n, err));
    get(c, m->param_field, (size_t)n, sizeof(int));
    get(c, m->param_index, (size_t)n, sizeof(int));
    get(c, m->param_theta, (size_t)n, sizeof(int));
    m->nparam = sizes->nparam;
    m->nmember = n;
    return TAC_OK;
}

tacStatus tac_model_unpack(const void *bytes, size_t size, tacModel **model, tacError *err) {
    if (bytes == NULL || model == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_model_unpack: an argument is NULL");
    Cursor c = {.in = bytes};
    tacModel sizes;
    TAC_TRY(read_header(&c, size, &sizes, err));
    TAC_TRY(check_sum(bytes, size, err));
    tacModel *m = tac_model_allocate(&sizes);
    if (m == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for the unpacked model");
    tacStatus status = read_arrays(&c, m, &sizes, err);
    if (status == TAC_OK) status = check_unpacked(m, err);
    if (status != TAC_OK) {
        tac_model_free(m);
        return status;
    }
    *model = m;
    return TAC_OK;
}
