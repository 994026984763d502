// The public headers as C++17 uses them: a model built, changed, stepped, differentiated.
#include "tactus/contact.h"
#include "tactus/io.h"
#include "tactus/option_table.h"
#include "tactus/options.h"
#include "tactus/problem.h"
#include "tactus/status.h"
#include "tactus/tactus.h"
#include "tactus/types.h"
#include "tactus/vec.h"

#include <cmath>
#include <cstdio>
#include <vector>

static tacModel *pendulum(tacError *err) {
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    tacGeomDef rod = tac_default_geom();
    joint.axis = tacVec3{0, 1, 0};
    rod.type = TAC_GEOM_CAPSULE;
    rod.size[0] = 0.02;
    rod.size[1] = 0.2;
    rod.pos = tacVec3{0, 0, -0.2};
    int link = tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, link, &joint);
    tac_model_add_geom(b, link, &rod);
    tacModel *model = nullptr;
    tac_model_finish(b, &model, err);
    tac_builder_free(b);
    return model;
}

// Two pendulums in one world.
static tacModel *two_of(const tacModel *one, tacError *err) {
    tacBuilder *b = nullptr;
    tacModel *two = nullptr;
    if (tac_model_edit(one, &b, err) != TAC_OK) return nullptr;
    tacAttachDef at = tac_default_attach();
    at.prefix = "other/";
    at.pos = tacVec3{0, 1, 0};
    if (tac_model_attach(b, 0, one, &at, err) == TAC_OK) tac_model_finish(b, &two, err);
    tac_builder_free(b);
    return two;
}

int main() {
    tacError err;
    tacModel *one = pendulum(&err), *model = one != nullptr ? two_of(one, &err) : nullptr;
    if (model == nullptr) return std::fprintf(stderr, "%s\n", err.text), 1;
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_LCP;
    tacSim *sim = nullptr;
    if (tac_sim_new(model, &options, &sim, &err) != TAC_OK) return std::fprintf(stderr, "%s\n", err.text), 1;
    std::vector<double> x(static_cast<std::size_t>(tac_nx(model))), y(x.size());
    std::vector<double> A(static_cast<std::size_t>(tac_ndx(model) * tac_ndx(model)));
    tac_default_state(model, x.data());
    x[0] = x[1] = 0.3;
    tacJac jac{A.data(), nullptr, nullptr};
    tacStepInfo info;
    tacStatus status = tac_step_jac(sim, x.data(), nullptr, y.data(), &jac, &info);
    std::printf("%s: two pendulums fall alike, %g and %g rad/s\n", tac_status_text(status), y[2], y[3]);
    bool fine = status == TAC_OK && y[2] < 0 && std::fabs(y[2] - y[3]) < 1e-12 && std::fabs(A[0] - A[5]) < 1e-12;
    tac_sim_free(sim);
    tac_model_free(model);
    tac_model_free(one);
    return fine ? 0 : 1;
}
