/* Columns of dofs, many at a time. The change of a contact is linear in the twist S that displaces its bodies. So six
 * responses give the column of every dof by short sums. */
#include "contact/contact_walk.h"

/* --- Slopes ------------------------------------------------------------------------------------------------------- */

/* Slopes per component of a twist about the origin of a tree, for the bodies that move. */
typedef struct Slopes {
    tacVec6 row[TAC_RUN][TAC_CONTACT_MOST_ROWS], dist[TAC_RUN];
    tacVec6 force[6]; /* of all contacts, its six components */
} Slopes;

/* Slopes by the components of a twist about a point -> slopes about the point that is r before it. */
static inline tacVec6 about(const double slope[6], tacVec3 r) {
    tacVec3 lin = tac_load3(slope + 3);
    return (tacVec6){tac_add3(tac_load3(slope), tac_cross3(r, lin)), lin};
}

static void add_contact(const tacContactWalk *walk, int i, int which, Slopes *out) {
    const tacContactRun *run = walk->run;
    const tacContactSystem *system = &walk->contact[i].system;
    tacVec3 r = tac_sub3(system->contact.pos, run->w->origin[run->body[which == 1]]);
    double row[TAC_CONTACT_MOST_ROWS][6], dist[6], force[6][6];
    for (int k = 0; k < 6; k++) {
        tacResponse by = tac_contact_respond(walk, i, &system->twist[which][k]);
        for (int j = 0; j < run->contact[i].n; j++)
            row[j][k] = by.row[j];
        force[0][k] = by.force.ang.x;
        force[1][k] = by.force.ang.y;
        force[2][k] = by.force.ang.z;
        force[3][k] = by.force.lin.x;
        force[4][k] = by.force.lin.y;
        force[5][k] = by.force.lin.z;
        dist[k] = system->twist[which][k].dist;
    }
    for (int j = 0; j < run->contact[i].n; j++)
        out->row[i][j] = about(row[j], r);
    for (int j = 0; j < 6; j++)
        out->force[j] = tac_add6(out->force[j], about(force[j], r));
    out->dist[i] = about(dist, r);
}

static void find_slopes(const tacContactWalk *walk, int which, Slopes *out) {
    for (int j = 0; j < 6; j++)
        out->force[j] = tac_zero6();
    for (int i = 0; i < walk->run->n; i++)
        add_contact(walk, i, which, out);
}

/* --- Dofs, many at a time ----------------------------------------------------------------------------------------- */

/* A dof's column is linear in its axis S and in the change dV of velocities. These are the columns per component of
 * either, two at a time. */
enum { PAIRS = 8, BATCH = 2 * PAIRS };
typedef struct Lines {
    tacPair of[6][PAIRS]; /* components, by column */
} Lines;

/* Dofs that move the same bodies, in descending order. */
typedef struct Batch {
    int which; /* body[0], body[1], or both */
    Slopes slopes;
    int n, dof[BATCH];
    int first[BATCH]; /* of the dofs of its body that turn with it */
    Lines S, dV;
    Lines still[2], turned[2]; /* by side: forces on dofs that do not turn with it, and on those that do */
} Batch;

static void set_column(Lines *lines, int j, tacVec6 x) {
    const double six[6] = {x.ang.x, x.ang.y, x.ang.z, x.lin.x, x.lin.y, x.lin.z};
    for (int c = 0; c < 6; c++)
        lines->of[c][j / 2][j % 2] = six[c];
}

/* sum = x . lines */
static void dot_lines(int pairs, tacVec6 x, const Lines *lines, tacPair *sum) {
    const tacPair(*of)[PAIRS] = lines->of;
    for (int j = 0; j < pairs; j++)
        sum[j] = (x.ang.x * of[0][j] + x.ang.y * of[1][j] + x.ang.z * of[2][j]) +
                 (x.lin.x * of[3][j] + x.lin.y * of[4][j] + x.lin.z * of[5][j]);
}

static void emit_line(const tacSink *sink, int row, int from, int to, const Batch *b, const tacPair *value) {
    const double *v = (const double *)value;
    if (sink->matrix != NULL && sink->along == NULL && sink->skip == NULL && !sink->negate) {
        double *line = sink->matrix + (size_t)row * (size_t)sink->ld;
        for (int j = from; j < to; j++)
            line[b->dof[j]] += v[j];
        return;
    }
    for (int j = from; j < to; j++)
        tac_emit(sink, row, b->dof[j], v[j]);
}

/* Rows of one contact. */
static void emit_batch_rows(const tacContactWalk *walk, int i, const Batch *b, const tacContactSink *sink) {
    const tacRunContact *r = &walk->run->contact[i];
    const tacPreparedContact *p = &walk->contact[i];
    int pairs = (b->n + 1) / 2;
    tacPair by[PAIRS], with[PAIRS];
    for (int k = r->from; k < r->to; k++) {
        dot_lines(pairs, b->slopes.row[i][k], &b->S, by);
        dot_lines(pairs, p->measure[k], &b->dV, with);
        for (int j = 0; j < pairs; j++)
            by[j] += with[j];
        emit_line(&sink->row, r->first + k, 0, b->n, b, by);
    }
    if (r->from > 0 || tac_sink_is_empty(&sink->pos)) return;
    dot_lines(pairs, b->slopes.dist[i], &b->S, by);
    emit_line(&sink->pos, r->first, 0, b->n, b, by);
}

/* Forces on the dofs above a body. The last dofs of the path turn with the moving dof and also see W turned back
 * (R3). */
static void emit_batch_forces(const tacContactWalk *walk, int side, const Batch *b, const tacSink *sink) {
    const tacContactRun *run = walk->run;
    int pairs = (b->n + 1) / 2, turns = b->which == side || b->which == 2, from = turns ? 0 : b->n;
    tacPair value[PAIRS];
    for (int i = run->m->body_last_dof[run->body[side]]; i >= 0; i = run->m->dof_parent[i]) {
        while (from < b->n && b->first[from] > i)
            from++;
        if (from > 0) dot_lines((from + 1) / 2, run->w->S[i], &b->still[side], value);
        emit_line(sink, i, 0, from, b, value);
        if (from < b->n) dot_lines(pairs, run->w->S[i], &b->turned[side], value);
        emit_line(sink, i, from, b->n, b, value);
    }
}

/* Forces that follow from the axes: scale dW, and W turned back. */
static void set_forces(const tacContactWalk *walk, Batch *b) {
    const tacVec6 *force = b->slopes.force;
    for (int j = 0; j < b->n; j++) {
        tacVec6 S = walk->run->w->S[b->dof[j]];
        tacVec6 dW = {{tac_dot6(force[0], S), tac_dot6(force[1], S), tac_dot6(force[2], S)},
                      {tac_dot6(force[3], S), tac_dot6(force[4], S), tac_dot6(force[5], S)}};
        for (int side = 0; side < 2; side++) {
            if (walk->run->m->body_last_dof[walk->run->body[side]] < 0) continue;
            double scale = side == 0 ? -walk->run->scale : walk->run->scale;
            tacVec6 still = side == 0 ? dW : tac_contact_about_other(walk, dW);
            set_column(&b->still[side], j, tac_scale6(scale, still));
            if (b->which != 2 && b->which != side) continue;
            set_column(&b->turned[side], j, tac_scale6(scale, tac_sub6(still, tac_crossf6(S, walk->W[side]))));
        }
    }
}

/* Zeroes the missing half of the last pair. */
static void fill_up(Batch *b) {
    Lines *lines[6] = {&b->S, &b->dV, &b->still[0], &b->still[1], &b->turned[0], &b->turned[1]};
    for (int i = 0; i < 6; i++)
        set_column(lines[i], b->n, tac_zero6());
}

static void emit_batch(const tacContactWalk *walk, Batch *b, const tacContactSink *sink) {
    if (b->n == 0) return;
    set_forces(walk, b);
    if (b->n % 2 == 1) fill_up(b);
    for (int i = 0; i < walk->run->n; i++)
        emit_batch_rows(walk, i, b, sink);
    for (int side = 0; side < 2; side++)
        emit_batch_forces(walk, side, b, &sink->force);
    b->n = 0;
}

static void add_dof(const tacContactWalk *walk, int dof, Batch *b) {
    tacDisplacement d = {1, {tac_dof_mover(walk->run->m, walk->run->w, dof)}};
    b->dof[b->n] = dof;
    b->first[b->n] = d.mover[0].first;
    set_column(&b->S, b->n, d.mover[0].S);
    set_column(&b->dV, b->n, tac_contact_velocity_change(walk, &d, b->which));
    b->n++;
}

void tac_contact_run_dofs(const tacContactWalk *walk, const tacContactSink *sink) {
    const tacContactRun *run = walk->run;
    const int *parent = run->m->dof_parent;
    int i = run->m->body_last_dof[run->body[0]], j = run->m->body_last_dof[run->body[1]];
    unsigned sides = tac_contact_dof_sides(run);
    Batch batch[3];
    for (int which = 0; which < 3; which++) {
        batch[which].which = which;
        batch[which].n = 0;
        if (sides & 1u << which) find_slopes(walk, which, &batch[which].slopes);
    }
    while (i >= 0 || j >= 0) {
        int dof = i > j ? i : j;
        Batch *b = &batch[i == j ? 2 : dof == j];
        if (b->n == BATCH) emit_batch(walk, b, sink);
        add_dof(walk, dof, b);
        if (i == dof) i = parent[i];
        if (j == dof) j = parent[j];
    }
    for (int which = 0; which < 3; which++)
        emit_batch(walk, &batch[which], sink);
}
