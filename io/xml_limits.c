#include "io/xml_limits.h"

#include "base/error.h"

#include <string.h>
#include <strings.h>

enum { ENCODING_TEXT = 40 };

/* A walk over markup that knows tags, quotes, comments, CDATA and processing instructions, and nothing else: what it
 * misreads is malformed, and refused by the parser. */
typedef struct Scan {
    const char *file;
    const unsigned char *at, *end;
    int line, depth;
    tacError *err;
} Scan;

static int starts_with(const Scan *scan, const char *word) {
    size_t n = strlen(word);
    return (size_t)(scan->end - scan->at) >= n && memcmp(scan->at, word, n) == 0;
}

static void advance(Scan *scan) { scan->line += *scan->at++ == '\n'; }

/* To just after `word`, or the end. */
static void skip_past(Scan *scan, const char *word) {
    while (scan->at < scan->end && !starts_with(scan, word))
        advance(scan);
    for (size_t i = 0; i < strlen(word) && scan->at < scan->end; i++)
        advance(scan);
}

/* From '<' of a start or end tag to after its '>'. */
static tacStatus scan_tag(Scan *scan) {
    int line = scan->line, closes = starts_with(scan, "</"), attributes = 0;
    unsigned char quote = 0, last = 0;
    for (advance(scan); scan->at < scan->end && (quote != 0 || *scan->at != '>'); advance(scan)) {
        unsigned char c = *scan->at;
        if (quote != 0)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'') {
            quote = c;
            attributes++;
        }
        last = c;
    }
    if (scan->at < scan->end) advance(scan);
    if (attributes > TAC_XML_MAX_ATTRIBUTES)
        return tac_fail(scan->err, TAC_ERR_SYNTAX, "%s:%d: an element has %d attributes, expected at most %d",
                        scan->file, line, attributes, TAC_XML_MAX_ATTRIBUTES);
    if (last != '/') scan->depth += closes ? -1 : 1;
    if (scan->depth > TAC_XML_MAX_DEPTH)
        return tac_fail(scan->err, TAC_ERR_SYNTAX, "%s:%d: elements are nested too deeply, expected at most %d levels",
                        scan->file, line, TAC_XML_MAX_DEPTH);
    return TAC_OK;
}

/* Encodings in which every byte below 128 is that ASCII character. */
static int is_ascii_compatible(const char *name) {
    static const char *const whole[] = {"utf-8", "utf8", "us-ascii", "ascii"}, *const family[] = {"iso-8859-",
                                                                                                  "windows-125"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcasecmp(name, whole[i]) == 0) return 1;
    for (size_t i = 0; i < sizeof family / sizeof *family; i++)
        if (strncasecmp(name, family[i], strlen(family[i])) == 0) return 1;
    return 0;
}

/* The encoding that `<?xml ... encoding="..."?>` names, or none. */
static tacStatus check_encoding(Scan scan) {
    char name[ENCODING_TEXT];
    size_t n = 0;
    if (scan.at < scan.end && (*scan.at >= 0xfe || *scan.at == 0))
        return tac_fail(scan.err, TAC_ERR_SYNTAX, "%s:1: the encoding is not UTF-8, expected UTF-8", scan.file);
    if (!starts_with(&scan, "<?xml")) return TAC_OK;
    while (scan.at < scan.end && *scan.at != '>' && !starts_with(&scan, "encoding"))
        scan.at++;
    while (scan.at < scan.end && *scan.at != '>' && *scan.at != '"' && *scan.at != '\'')
        scan.at++;
    if (scan.at == scan.end || *scan.at == '>') return TAC_OK;
    for (scan.at++; scan.at < scan.end && *scan.at != '"' && *scan.at != '\'' && n + 1 < sizeof name; scan.at++)
        name[n++] = (char)*scan.at;
    name[n] = '\0';
    if (is_ascii_compatible(name)) return TAC_OK;
    return tac_fail(scan.err, TAC_ERR_SYNTAX, "%s:1: found encoding \"%s\", expected UTF-8", scan.file, name);
}

tacStatus tac_xml_check_limits(const char *file, const unsigned char *bytes, size_t size, tacError *err) {
    Scan scan = {.file = file, .at = bytes, .end = bytes + size, .line = 1, .err = err};
    if (starts_with(&scan, "\xef\xbb\xbf")) scan.at += 3; /* byte order mark of UTF-8 */
    tacStatus status = check_encoding(scan);
    while (scan.at < scan.end && status == TAC_OK) {
        if (*scan.at != '<')
            advance(&scan);
        else if (starts_with(&scan, "<!--"))
            skip_past(&scan, "-->");
        else if (starts_with(&scan, "<![CDATA["))
            skip_past(&scan, "]]>");
        else if (starts_with(&scan, "<?"))
            skip_past(&scan, "?>");
        else if (starts_with(&scan, "<!")) /* a document type: refused by the parser, before anything in it counts */
            return TAC_OK;
        else
            status = scan_tag(&scan);
    }
    return status;
}
