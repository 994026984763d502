/* make_manual TACTUS FOLDER: the command line's --help as manual pages, FOLDER/tactus.1 and FOLDER/tactus-VERB.1.
 *
 * A line of help is one of these: "usage: ...", "... options:" (a heading), "  --name VALUE   text" (an option, whose
 * text may stand alone on the next line), "  verb ARGUMENTS text", "exit code: ...", or a line of a paragraph. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1024, PATH = 4096, VERBS = 64, NAME = 32, TEXT_COLUMN = 28, VERB_COLUMN = 12, ARGUMENT_WIDTH = 8 };

typedef struct Verb {
    char name[NAME], arguments[LINE], summary[LINE];
} Verb;

static const char *const VERSION_WORD = "Tactus ";

static void fail(const char *what, const char *name) {
    fprintf(stderr, "make_manual: %s %s\n", what, name);
    exit(2);
}

/* Text as roff means it: a backslash and a minus are escaped, a line may not begin with a request, and it may be broken
 * after a bar. */
static void put_text(FILE *out, const char *text) {
    if (*text == '.' || *text == '\'') fputs("\\&", out);
    for (; *text != '\0'; text++) {
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (*text == '|')
            fputs("|\\:", out);
        else
            fputc(*text, out);
    }
}

static void put_line(FILE *out, const char *before, const char *text) {
    fputs(before, out);
    put_text(out, text);
    fputc('\n', out);
}

static int begins(const char *line, const char *with) { return strncmp(line, with, strlen(with)) == 0; }

static const char *skip_blanks(const char *p) { return p + strspn(p, " "); }

/* The text with blanks at its end taken off. */
static char *trimmed(char *text) {
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\n'))
        text[--n] = '\0';
    return text;
}

static FILE *run_help(const char *program, const char *verb) {
    char command[PATH + 2 * NAME];
    snprintf(command, sizeof command, "'%s' %.*s --help", program, NAME - 1, verb);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) fail("cannot run", program);
    return pipe;
}

static FILE *open_page(const char *folder, const char *name, const char *version) {
    char path[PATH + 2 * NAME], upper[NAME];
    snprintf(path, sizeof path, "%s/%s.1", folder, name);
    FILE *out = fopen(path, "w");
    if (out == NULL) fail("cannot write", path);
    size_t n = strlen(name);
    for (size_t i = 0; i <= n && i < sizeof upper; i++)
        upper[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A' : name[i]);
    fprintf(out, ".TH \"%s\" 1 \"\" \"%s\" \"Tactus manual\"\n.nh\n.ad l\n.SH NAME\n", upper, version);
    return out;
}

static void close_page(FILE *out) {
    if (ferror(out) != 0 || fclose(out) != 0) fail("cannot finish", "a page");
}

/* --- One verb ----------------------------------------------------------------------------------------------------- */

/* "  --dt SECONDS   text": the option, and its text if it is on this line. */
static void put_option(FILE *out, char *line) {
    char left[LINE], *text = NULL;
    if (strlen(line) > TEXT_COLUMN && line[TEXT_COLUMN - 1] == ' ') text = line + TEXT_COLUMN;
    snprintf(left, sizeof left, "%.*s", text != NULL ? TEXT_COLUMN : LINE - 1, line);
    fputs(".TP\n", out);
    put_line(out, ".B ", skip_blanks(trimmed(left)));
    if (text != NULL) put_line(out, "", text);
}

static void put_heading(FILE *out, char *line) {
    line[strlen(line) - 1] = '\0';
    if (strcmp(line + 1, "ptions") == 0)
        fputs(".SH OPTIONS\n", out);
    else
        put_line(out, ".SS ", line);
}

static void put_help_line(FILE *out, char *line) {
    const char *usage = "usage: ", *code = "exit code: ";
    size_t n = strlen(line), tail = strlen("ptions:");
    if (begins(line, usage)) {
        put_line(out, ".SH SYNOPSIS\n.B ", line + strlen(usage));
        fputs(".SH DESCRIPTION\n", out);
    } else if (begins(line, code))
        put_line(out, ".SH EXIT STATUS\n", line + strlen(code));
    else if (n > tail && strcmp(line + n - tail, "ptions:") == 0)
        put_heading(out, line);
    else if (begins(line, "  -"))
        put_option(out, line);
    else
        put_line(out, n == 0 ? ".PP" : "", skip_blanks(line));
}

static void write_verb(const char *program, const char *folder, const char *version, const Verb *verb) {
    char name[2 * NAME], line[LINE];
    snprintf(name, sizeof name, "tactus-%.*s", NAME - 1, verb->name);
    FILE *help = run_help(program, verb->name), *out = open_page(folder, name, version);
    fprintf(out, "tactus\\-%s \\- ", verb->name);
    put_line(out, "", verb->summary);
    while (fgets(line, sizeof line, help) != NULL)
        put_help_line(out, trimmed(line));
    if (pclose(help) != 0) fail("no help for", verb->name);
    fputs(".SH SEE ALSO\n.BR tactus (1)\n", out);
    close_page(out);
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

/* "  sim       MODEL   text" */
static int read_verb(const char *line, Verb *verb) {
    if (!begins(line, "  ") || strlen(line) <= VERB_COLUMN) return 0;
    snprintf(verb->name, sizeof verb->name, "%.*s", (int)strcspn(line + 2, " "), line + 2);
    const char *rest = line + VERB_COLUMN;
    size_t width = 0; /* arguments are words in capitals and brackets */
    while (rest[width] != '\0' && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ[]. ", rest[width]) != NULL)
        width++;
    snprintf(verb->arguments, sizeof verb->arguments, "%.*s", (int)width, rest);
    trimmed(verb->arguments);
    snprintf(verb->summary, sizeof verb->summary, "%s", rest + width);
    return 1;
}

/* -> number of verbs; version: "Tactus 0.1.0"; about: what follows it. */
static int read_verbs(const char *program, Verb *verb, char *version, char *about) {
    char line[LINE];
    int n = 0;
    FILE *help = run_help(program, "");
    while (fgets(line, sizeof line, help) != NULL && n < VERBS) {
        char *colon = strchr(trimmed(line), ':');
        if (begins(line, VERSION_WORD) && colon != NULL) {
            snprintf(version, LINE, "%.*s", (int)(colon - line), line);
            snprintf(about, LINE, "%s", skip_blanks(colon + 1));
        } else
            n += read_verb(line, &verb[n]);
    }
    if (pclose(help) != 0 || n == 0) fail("no list of verbs from", program);
    return n;
}

static int has_page(const Verb *verb) { return strcmp(verb->name, "help") != 0 && strcmp(verb->name, "version") != 0; }

static void write_main(const char *folder, const char *version, const char *about, int n, const Verb *verb) {
    FILE *out = open_page(folder, "tactus", version);
    put_line(out, "tactus \\- ", about);
    fputs(".SH SYNOPSIS\n.B tactus\n.I VERB\n[\\fIarguments\\fR]\n.SH VERBS\n", out);
    for (int i = 0; i < n; i++) {
        fprintf(out, ".TP\n.B %s %s\n", verb[i].name, verb[i].arguments);
        put_line(out, "", verb[i].summary);
        if (has_page(&verb[i])) fprintf(out, ".br\n.BR tactus\\-%s (1)\n", verb[i].name);
    }
    fputs(".SH FILES\nModels are MJCF or URDF files. Some are installed in the folder\n.IR share/tactus/models .\n",
          out);
    close_page(out);
}

int main(int argc, char **argv) {
    static Verb verb[VERBS];
    char version[LINE] = "", about[LINE] = "";
    if (argc != 3 || strlen(argv[1]) >= PATH || strlen(argv[2]) >= PATH) {
        fprintf(stderr, "usage: make_manual TACTUS FOLDER\n");
        return 2;
    }
    int n = read_verbs(argv[1], verb, version, about);
    write_main(argv[2], version, about, n, verb);
    for (int i = 0; i < n; i++)
        if (has_page(&verb[i])) write_verb(argv[1], argv[2], version, &verb[i]);
    return 0;
}
