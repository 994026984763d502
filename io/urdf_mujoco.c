/* <mujoco> inside a URDF: <compiler>, <option> and <size>, read by the same tables as those of MJCF. Where the URDF
 * reader cannot do what <compiler> asks for and the model would differ, the load fails by name. */
#include "io/mjcf_read.h"
#include "io/report.h"
#include "io/urdf_parse.h"

static tacMjcf begin_mjcf(const tacUrdf *urdf) {
    return (tacMjcf){.options = urdf->options,
                     .report = urdf->report,
                     .err = urdf->err,
                     .option = urdf->option,
                     .compiler = {.angles = {.eulerseq = "xyz"}, /* angles of a URDF are radians, whatever is asked */
                                  .autolimits = 1,
                                  .discardvisual = 1,
                                  .inertiagrouprange = {0, 5},
                                  .strippath = urdf->strippath,
                                  .meshdir = urdf->meshdir}};
}

static tacStatus read_compiler(tacMjcf *m, const xmlNode *node, void *scope) {
    tacUrdf *urdf = scope;
    tacMjcfCompiler *c = &m->compiler;
    c->fusestatic = c->alignfree = c->inertiafromgeom = 0;
    tacStatus status = tac_mjcf_compiler(m, node);
    if (status == TAC_OK && c->inertiafromgeom == 1)
        status = tac_mjcf_unsupported(
            m, node, "inertiafromgeom=\"true\" is not supported in a URDF: only <inertial> gives masses and inertias");
    if (status == TAC_OK && c->fusestatic)
        status = tac_mjcf_unsupported(
            m, node, "fusestatic=\"true\" is not supported in a URDF: links on fixed joints stay separate bodies");
    if (status == TAC_OK && c->alignfree)
        status = tac_mjcf_unsupported(
            m, node, "alignfree=\"true\" is not supported in a URDF: a floating link keeps the frame of the file");
    if (status == TAC_OK && !c->discardvisual)
        tac_report_add_ignored(m->report, "%s:%d: discardvisual=\"false\" in <compiler>: visual shapes are ignored",
                               tac_xml_file(node), tac_xml_line(node));
    urdf->strippath = c->strippath;
    urdf->meshdir = c->meshdir;
    return status;
}

static tacStatus read_option(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    return tac_mjcf_option(m, node);
}

static tacStatus read_size(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    return tac_mjcf_size(m, node);
}

/* Sections of MJCF that are not for a URDF. */
static tacStatus pass_over(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    return tac_mjcf_ignore(m, node, "in a URDF only <compiler>, <option> and <size> are read, as in MuJoCo");
}

tacStatus tac_urdf_read_mujoco(tacUrdf *urdf, const xmlNode *mujoco) {
    static const tacAttr attributes[] = {{"model", TAC_A_UNUSED}, TAC_ATTR_END};
    static const tacMjcfChild sections[] = {
        {"compiler", read_compiler}, {"option", read_option},  {"size", read_size},
        {"default", pass_over},      {"asset", pass_over},     {"worldbody", pass_over},
        {"contact", pass_over},      {"tendon", pass_over},    {"equality", pass_over},
        {"actuator", pass_over},     {"sensor", pass_over},    {"deformable", pass_over},
        {"keyframe", pass_over},     {"visual", pass_over},    {"statistic", pass_over},
        {"custom", pass_over},       {"extension", pass_over}, {NULL, NULL}};
    tacMjcf m = begin_mjcf(urdf);
    tacStatus status = tac_mjcf_read(&m, mujoco, attributes, NULL);
    if (status == TAC_OK) status = tac_mjcf_children(&m, mujoco, sections, urdf);
    if (status == TAC_OK) tac_mjcf_report_ignored(&m);
    urdf->option = m.option;
    tac_mjcf_list_free(&m.ignored);
    return status;
}
