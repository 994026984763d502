/* Links and joints of a URDF as a tree. Children keep the order of the joints in the file, which gives MuJoCo's order
 * of bodies. Nothing recurses: a chain may be as long as memory holds. */
#include "io/urdf_parse.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static int count_children(const xmlNode *node, const char *name) {
    int n = 0;
    for (const xmlNode *child = tac_xml_child(node, name); child != NULL; child = tac_xml_next(child, name))
        n++;
    return n;
}

static tacStatus out_of_memory(tacUrdf *urdf) {
    return tac_fail(urdf->err, TAC_ERR_MEMORY, "%s: no memory for %d links and %d joints", tac_xml_file(urdf->robot),
                    urdf->nlink, urdf->njoint);
}

static tacStatus need_name(tacUrdf *urdf, const xmlNode *node, const char **name) {
    tacStatus status = tac_xml_need(node, "name", name, urdf->err);
    if (status == TAC_OK && (*name)[0] == 0)
        return tac_xml_fail(node, urdf->err, TAC_ERR_SYNTAX, "attribute 'name' is empty");
    return status;
}

static tacStatus read_link(tacUrdf *urdf, xmlNode *node) {
    const char *name;
    tacStatus status = need_name(urdf, node, &name);
    if (status != TAC_OK) return status;
    int other = tac_urdf_names_find(&urdf->link_names, name);
    if (other >= 0)
        return tac_xml_fail(node, urdf->err, TAC_ERR_MODEL, "a second link of this name, the first is on line %d",
                            tac_xml_line(urdf->link[other].node));
    if (!tac_urdf_names_add(&urdf->link_names, name, urdf->nlink)) return out_of_memory(urdf);
    urdf->link[urdf->nlink++] = (tacUrdfLink){
        .name = name, .node = node, .joint = -1, .first_child = -1, .last_child = -1, .next = -1, .body = -1};
    return TAC_OK;
}

/* <parent link=""> or <child link=""> of a joint -> link. */
static tacStatus read_end(tacUrdf *urdf, const xmlNode *joint, const char *which, int *link) {
    const xmlNode *node = tac_xml_child(joint, which);
    const char *name;
    if (node == NULL)
        return tac_xml_fail(joint, urdf->err, TAC_ERR_SYNTAX, "element <%s link=\"...\"> is missing", which);
    tacStatus status = tac_xml_need(node, "link", &name, urdf->err);
    if (status != TAC_OK) return status;
    *link = tac_urdf_names_find(&urdf->link_names, name);
    if (*link >= 0) return TAC_OK;
    return tac_xml_fail(joint, urdf->err, TAC_ERR_NAME, "%s link \"%s\" does not exist", which, name);
}

static void append_child(tacUrdf *urdf, int parent, int child) {
    tacUrdfLink *p = &urdf->link[parent];
    if (p->last_child >= 0)
        urdf->link[p->last_child].next = child;
    else
        p->first_child = child;
    p->last_child = child;
}

static tacStatus hang_child(tacUrdf *urdf, int id) {
    tacUrdfJoint *joint = &urdf->joint[id];
    tacUrdfLink *child = &urdf->link[joint->child];
    if (joint->parent == joint->child)
        return tac_xml_fail(joint->node, urdf->err, TAC_ERR_MODEL, "link \"%s\" is its own parent", child->name);
    if (child->joint >= 0) {
        joint->dropped = 1;
        return tac_urdf_refuse(urdf, joint->node, TAC_ERR_UNSUPPORTED, "this joint is ignored",
                               "closes a loop: link \"%s\" already has a parent, by joint \"%s\" on line %d",
                               child->name, urdf->joint[child->joint].name,
                               tac_xml_line(urdf->joint[child->joint].node));
    }
    child->joint = id;
    append_child(urdf, joint->parent, joint->child);
    return TAC_OK;
}

static tacStatus read_joint(tacUrdf *urdf, xmlNode *node) {
    tacUrdfJoint joint = {.node = node, .id = -1};
    tacStatus status = need_name(urdf, node, &joint.name);
    if (status != TAC_OK) return status;
    int other = tac_urdf_names_find(&urdf->joint_names, joint.name);
    if (other >= 0)
        return tac_xml_fail(node, urdf->err, TAC_ERR_MODEL, "a second joint of this name, the first is on line %d",
                            tac_xml_line(urdf->joint[other].node));
    status = read_end(urdf, node, "parent", &joint.parent);
    if (status == TAC_OK) status = read_end(urdf, node, "child", &joint.child);
    if (status == TAC_OK) status = tac_urdf_read_joint_type(urdf, &joint);
    if (status != TAC_OK) return status;
    if (!tac_urdf_names_add(&urdf->joint_names, joint.name, urdf->njoint)) return out_of_memory(urdf);
    urdf->joint[urdf->njoint] = joint;
    return hang_child(urdf, urdf->njoint++);
}

int tac_urdf_next_link(const tacUrdf *urdf, int root, int link) {
    if (urdf->link[link].first_child >= 0) return urdf->link[link].first_child;
    while (link != root && urdf->link[link].next < 0)
        link = urdf->joint[urdf->link[link].joint].parent;
    return link != root ? urdf->link[link].next : -1;
}

/* Every link hangs below a root; one that does not is part of a ring. */
static tacStatus check_reached(tacUrdf *urdf) {
    int reached = 0, root = -1;
    for (int i = 0; i < urdf->nlink; i++) {
        if (urdf->link[i].joint >= 0) continue;
        root = i;
        for (int k = i; k >= 0; k = tac_urdf_next_link(urdf, i, k)) {
            urdf->link[k].body = 0; /* marks it as reached; the body's id comes later */
            reached++;
        }
    }
    for (int i = 0; i < urdf->nlink && reached < urdf->nlink; i++)
        if (urdf->link[i].body < 0)
            return tac_xml_fail(urdf->link[i].node, urdf->err, TAC_ERR_MODEL,
                                "the joints form a cycle through this link%s, expected a tree with one root",
                                root < 0 ? " and no link is a root" : "");
    return TAC_OK;
}

static tacStatus check_roots(tacUrdf *urdf) {
    int first = -1;
    for (int i = 0; i < urdf->nlink; i++) {
        if (urdf->link[i].joint >= 0) continue;
        if (urdf->nroot++ == 0) {
            first = i;
            continue;
        }
        tacStatus status =
            tac_urdf_refuse(urdf, urdf->link[i].node, TAC_ERR_MODEL, "each root is attached to the world",
                            "a second root: neither this link nor \"%s\" has a parent joint, expected one root",
                            urdf->link[first].name);
        if (status != TAC_OK) return status;
    }
    return TAC_OK;
}

/* Materials by name, for the colours of shapes; the first of a name counts. */
static tacStatus read_materials(tacUrdf *urdf) {
    int n = count_children(urdf->robot, "material");
    urdf->material = malloc(((size_t)n + 1) * sizeof *urdf->material);
    if (urdf->material == NULL) return out_of_memory(urdf);
    for (xmlNode *node = tac_xml_child(urdf->robot, "material"); node != NULL; node = tac_xml_next(node, "material")) {
        const char *name = tac_xml_get(node, "name");
        if (name == NULL || tac_urdf_names_find(&urdf->material_names, name) >= 0) continue;
        if (!tac_urdf_names_add(&urdf->material_names, name, urdf->nmaterial)) return out_of_memory(urdf);
        urdf->material[urdf->nmaterial++] = node;
    }
    return TAC_OK;
}

tacStatus tac_urdf_read_tree(tacUrdf *urdf) {
    int nlink = count_children(urdf->robot, "link"), njoint = count_children(urdf->robot, "joint");
    if (nlink == 0) return tac_xml_fail(urdf->robot, urdf->err, TAC_ERR_MODEL, "no <link>, expected at least one");
    urdf->link = calloc((size_t)nlink, sizeof *urdf->link);
    urdf->joint = calloc((size_t)njoint + 1, sizeof *urdf->joint);
    if (urdf->link == NULL || urdf->joint == NULL) return out_of_memory(urdf);
    tacStatus status = read_materials(urdf);
    for (xmlNode *node = tac_xml_child(urdf->robot, "link"); node != NULL && status == TAC_OK;
         node = tac_xml_next(node, "link"))
        status = read_link(urdf, node);
    for (xmlNode *node = tac_xml_child(urdf->robot, "joint"); node != NULL && status == TAC_OK;
         node = tac_xml_next(node, "joint"))
        status = read_joint(urdf, node);
    if (status == TAC_OK) status = check_reached(urdf);
    if (status == TAC_OK) status = check_roots(urdf);
    return status;
}
