/* Deciding what a file is, and files of packed models. */
#include "tactus/io.h"

#include "base/error.h"
#include "io/hull_report.h"
#include "io/mjcf.h"
#include "io/report.h"
#include "io/urdf.h"
#include "io/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- What is it? -------------------------------------------------------------------------------------------------- */

/* Text after leading blanks and a byte order mark. */
static const char *skip_blanks(const char *p) {
    if (strncmp(p, "\xEF\xBB\xBF", 3) == 0) p += 3;
    return p + strspn(p, " \t\r\n");
}

/* Past declarations and comments, to the name of the first element: its length, 0 when there is none. */
static size_t find_root_name(const char *text, const char **name) {
    for (const char *p = skip_blanks(text); *p == '<'; p = skip_blanks(p)) {
        const char *end = NULL;
        if (strncmp(p, "<!--", 4) == 0)
            end = strstr(p + 4, "-->");
        else if (p[1] == '?')
            end = strstr(p + 2, "?>");
        else {
            *name = p + 1;
            return strcspn(p + 1, " \t\r\n/><");
        }
        if (end == NULL) return 0;
        p = strchr(end, '>') + 1;
    }
    return 0;
}

static int is_name(const char *name, size_t length, const char *expected) {
    return length == strlen(expected) && strncmp(name, expected, length) == 0;
}

/* UTF-16 shows by its byte order mark, or by a zero byte beside the first '<'. */
static int is_utf16(const unsigned char *bytes, size_t size) {
    static const unsigned char begin[][2] = {{0xFF, 0xFE}, {0xFE, 0xFF}, {'<', 0}, {0, '<'}};
    for (size_t i = 0; size >= 2 && i < sizeof begin / sizeof *begin; i++)
        if (memcmp(bytes, begin[i], 2) == 0) return 1;
    return 0;
}

/* --- Loading ------------------------------------------------------------------------------------------------------ */

/* A request on its way through the readers. */
typedef struct Load {
    const char *path;
    const tacLoadOptions *options;
    tacFiles files;
    unsigned char *bytes;
    size_t size;
    tacReport *report;
    tacModel *model;
    tacError *err;
} Load;

static tacStatus load_packed(Load *load) {
    tacError why;
    tacStatus status = tac_model_unpack(load->bytes, load->size, &load->model, &why);
    if (status == TAC_OK) return TAC_OK;
    return tac_fail(load->err, status, "%s: neither XML nor a valid packed model: %s", load->path, why.text);
}

static tacStatus load_urdf(Load *load) {
    tacXml xml;
    xmlNode *root;
    tac_xml_init(&xml, load->report);
    tacStatus status = tac_xml_parse(&xml, load->path, load->bytes, load->size, &root, load->err);
    if (status == TAC_OK && !tac_xml_is(root, "robot"))
        status =
            tac_xml_fail(root, load->err, TAC_ERR_SYNTAX, "not a model, expected <mujoco> (MJCF) or <robot> (URDF)");
    else if (status == TAC_OK)
        status = tac_urdf_load(load->path, root, &load->files, load->options, load->report, &load->model, load->err);
    tac_xml_free(&xml);
    return status;
}

static tacStatus load_bytes(Load *load) {
    const char *text = (const char *)load->bytes, *name = "";
    if (load->size == 0)
        return tac_fail(load->err, TAC_ERR_SYNTAX, "%s:1: the file is empty, expected a model", load->path);
    if (is_utf16(load->bytes, load->size))
        return tac_fail(load->err, TAC_ERR_SYNTAX, "%s:1: found text in UTF-16, expected UTF-8", load->path);
    if (*skip_blanks(text) != '<') return load_packed(load);
    size_t length = find_root_name(text, &name);
    if (is_name(name, length, "mujoco") || is_name(name, length, "mujocoinclude")) {
        const tacMjcfFile file = {load->path, load->bytes, load->size};
        return tac_mjcf_load(&load->files, &file, load->options, load->report, &load->model, load->err);
    }
    return load_urdf(load); /* what is neither fails there, with file and line */
}

tacStatus tac_load_with(const char *path, const tacLoadOptions *options, tacModel **model, tacReport **report,
                        tacError *err) {
    tacLoadOptions defaults = tac_default_load_options();
    if (path == NULL || model == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_load: path or model is NULL");
    Load load = {.path = path, .options = options != NULL ? options : &defaults, .err = err};
    tacStatus status = tac_files_init(&load.files, path, load.options, err);
    if (status == TAC_OK) status = tac_files_read(&load.files, path, &load.bytes, &load.size, err);
    if (status != TAC_OK) return status;
    load.report = tac_report_new();
    status = load.report != NULL ? load_bytes(&load) : tac_fail(err, TAC_ERR_MEMORY, "%s: no memory", path);
    free(load.bytes);
    if (status == TAC_OK) tac_report_hulls(load.report, path, load.model);
    if (status == TAC_OK && tac_report_lost(load.report)) {
        tac_model_free(load.model);
        status = tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for the report", path);
    }
    if (status == TAC_OK) *model = load.model;
    if (status == TAC_OK && report != NULL)
        *report = load.report;
    else
        tac_report_free(load.report);
    return status;
}

tacStatus tac_load(const char *path, tacModel **model, tacError *err) {
    return tac_load_with(path, NULL, model, NULL, err);
}

/* --- Saving ------------------------------------------------------------------------------------------------------- */

tacStatus tac_save(const tacModel *model, const char *path, tacError *err) {
    if (path == NULL || model == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_save: path or model is NULL");
    size_t size = tac_model_pack_bytes(model);
    unsigned char *bytes = malloc(size > 0 ? size : 1);
    if (bytes == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for %zu bytes", path, size);
    tacStatus status = tac_model_pack(model, bytes, size, err);
    if (status == TAC_OK) status = tac_write_file(path, bytes, size, err);
    free(bytes);
    return status;
}
