/* MJCF <include>: the elements of another file in its place. */
#include "io/mjcf_read.h"

#include "base/error.h"
#include "io/xml_limits.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = TAC_XML_MAX_DEPTH /* of elements, all files put together */ };

/* Drops "." and resolves ".." in the text of a path, so that one file has one name. */
static void normalize(const char *path, char *out) {
    size_t n = 0;
    if (path[0] == '/') out[n++] = '/';
    size_t root = n;
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        int up = length == 2 && path[0] == '.' && path[1] == '.';
        size_t last = n; /* start of the last component kept */
        while (last > root && out[last - 1] != '/')
            last--;
        int can_pop = n > root && !(n - last == 2 && out[last] == '.' && out[last + 1] == '.');
        if (up && can_pop)
            n = last > root ? last - 1 : root;
        else if (length > 0 && !(length == 1 && path[0] == '.')) {
            if (n > root) out[n++] = '/';
            memcpy(out + n, path, length);
            n += length;
        }
        path += length;
        path += *path == '/';
    }
    out[n] = '\0';
}

tacStatus tac_mjcf_beside(tacMjcf *m, const xmlNode *node, const char *file, char *path) {
    char folder[TAC_PATH], joined[TAC_PATH];
    if (strlen(file) + strlen(tac_xml_file(node)) + strlen(m->folder) + 4 >= TAC_PATH)
        return tac_xml_fail(node, m->err, TAC_ERR_FILE, "attribute 'file': the path is too long");
    tac_files_join(m->folder, file, joined, sizeof joined);
    if (!tac_files_exists(m->files, joined)) {
        char beside[TAC_PATH];
        tac_files_folder(tac_xml_file(node), folder, sizeof folder);
        tac_files_join(folder, file, beside, sizeof beside);
        if (tac_files_exists(m->files, beside)) memcpy(joined, beside, sizeof joined);
    }
    normalize(joined, path);
    return TAC_OK;
}

int tac_mjcf_same_file(const char *a, const char *b) {
    char path_a[TAC_PATH], path_b[TAC_PATH];
    if (strlen(a) >= TAC_PATH || strlen(b) >= TAC_PATH) return 0;
    normalize(a, path_a);
    normalize(b, path_b);
    return strcmp(path_a, path_b) == 0;
}

static int is_loaded(const tacMjcf *m, const char *path) {
    for (int i = 0; i < m->xml.n; i++)
        if (tac_mjcf_same_file(m->xml.file[i], path)) return 1;
    return 0;
}

/* Bytes of a file, parsed; errors in the file itself name it, errors in reaching it name the <include>. */
static tacStatus parse_file(tacMjcf *m, const xmlNode *node, const char *path, xmlNode **root) {
    unsigned char *bytes;
    size_t size;
    tacError why;
    tacStatus status = tac_files_read(m->files, path, &bytes, &size, &why);
    if (status != TAC_OK) return tac_xml_fail(node, m->err, status, "%s", why.text);
    status = tac_xml_parse(&m->xml, path, bytes, size, root, m->err);
    free(bytes);
    return status;
}

/* Moves the children of `root` before `node`. */
static void move_children(xmlNode *node, const xmlNode *root) {
    for (xmlNode *child = tac_xml_child(root, NULL); child != NULL; child = tac_xml_child(root, NULL)) {
        xmlUnlinkNode(child);
        xmlAddPrevSibling(node, child);
    }
}

/* Replaces one <include>; *next is where to go on reading. */
static tacStatus include_one(tacMjcf *m, xmlNode *node, xmlNode **next) {
    static const tacAttr attributes[] = {{"file", TAC_A_ELSE}, TAC_ATTR_END};
    const char *file;
    char path[TAC_PATH];
    xmlNode *root;
    tacStatus status = tac_mjcf_read(m, node, attributes, NULL);
    if (status == TAC_OK) status = tac_xml_need(node, "file", &file, m->err);
    if (status != TAC_OK) return status;
    if (tac_xml_child(node, NULL) != NULL)
        return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "found elements inside <include>, expected none");
    TAC_TRY(tac_mjcf_beside(m, node, file, path));
    if (is_loaded(m, path))
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "file \"%s\" is already included, expected each file once",
                            path);
    status = parse_file(m, node, path, &root);
    if (status != TAC_OK) return status;
    if (tac_xml_child(root, NULL) == NULL)
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "file \"%s\" has no elements to include", path);
    xmlNode *before = node->prev, *parent = node->parent;
    move_children(node, root);
    xmlUnlinkNode(node);
    xmlFreeNode(node);
    *next = before != NULL ? before->next : parent->children;
    return TAC_OK;
}

/* The node after `node` in document order, without recursion; *depth follows. */
static xmlNode *advance(xmlNode *node, const xmlNode *top, int *depth) {
    if (node->children != NULL && node->type == XML_ELEMENT_NODE) {
        ++*depth;
        return node->children;
    }
    while (node != top && node->next == NULL) {
        node = node->parent;
        --*depth;
    }
    return node != top ? node->next : NULL;
}

tacStatus tac_mjcf_include(tacMjcf *m) {
    int depth = 0;
    xmlNode *node = m->root;
    while (node != NULL) {
        if (depth > MAX_DEPTH)
            return tac_xml_fail(node->type == XML_ELEMENT_NODE ? node : node->parent, m->err, TAC_ERR_SYNTAX,
                                "elements are nested too deeply, expected at most %d levels", MAX_DEPTH);
        if (node->type == XML_ELEMENT_NODE && tac_xml_is(node, "include") && node != m->root) {
            tacStatus status = include_one(m, node, &node);
            if (status != TAC_OK) return status;
        } else
            node = advance(node, m->root, &depth);
    }
    return TAC_OK;
}
