#include "dart_peer.h"

#include <cstdio>
#include <dart/collision/bullet/BulletCollisionDetector.hpp>
#include <dart/collision/CollisionFilter.hpp>
#include <dart/config.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/CapsuleShape.hpp>
#include <dart/dynamics/CylinderShape.hpp>
#include <dart/dynamics/EllipsoidShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>
#include <vector>

namespace dyn = dart::dynamics;
using Eigen::Isometry3d;
using Eigen::Vector3d;

namespace {

/* Of the bodies between two joints of one body of ours, kg and kg m^2: nothing that can be noticed. */
constexpr double NO_MASS = 1e-9;
/* Half-sizes of the box that stands for a plane, m. */
constexpr double PLANE_HALF = 50, PLANE_DEPTH = 1;

Vector3d vector(tacVec3 v) { return Vector3d(v.x, v.y, v.z); }
Eigen::Quaterniond rotation(tacQuat q) { return Eigen::Quaterniond(q.w, q.x, q.y, q.z); }

Isometry3d pose(tacVec3 p, tacQuat q) {
    Isometry3d T = Isometry3d::Identity();
    T.linear() = rotation(q).toRotationMatrix();
    T.translation() = vector(p);
    return T;
}

Isometry3d shift(tacVec3 p) {
    Isometry3d T = Isometry3d::Identity();
    T.translation() = vector(p);
    return T;
}

struct State {
    std::vector<Eigen::VectorXd> q, v, force; /* by skeleton */
};

} // namespace

struct dartPeer {
    const tacModel *m;
    dart::simulation::WorldPtr world;
    std::vector<dyn::BodyNode *> body; /* by body of ours */
    std::vector<dyn::Joint *> joint;   /* by joint of ours */
    std::vector<State> states;
    size_t at = 0;
    double contacts = 0;
};

namespace {

/* --- Building ----------------------------------------------------------------------------------------------------- */

/* A joint and the body behind it, with names of their own: DART says it aloud where two are the same. */
template <class J>
J *new_joint(const dyn::SkeletonPtr &skeleton, dyn::BodyNode *parent, dyn::BodyNode **child) {
    typename J::Properties joint;
    joint.mName = "j" + std::to_string(skeleton->getNumJoints());
    dyn::BodyNode::AspectProperties body("b" + std::to_string(skeleton->getNumBodyNodes()));
    auto pair = skeleton->createJointAndBodyNodePair<J>(parent, joint, body);
    *child = pair.second;
    return pair.first;
}

template <class J>
J *new_axis_joint(const dyn::SkeletonPtr &skeleton, dyn::BodyNode *parent, tacVec3 axis, dyn::BodyNode **child) {
    J *joint = new_joint<J>(skeleton, parent, child);
    joint->setAxis(vector(axis));
    return joint;
}

dyn::Joint *add_joint(dartPeer &p, const dyn::SkeletonPtr &skeleton, dyn::BodyNode *parent, int j, Isometry3d to_parent,
                      dyn::BodyNode **child) {
    const tacModel *m = p.m;
    bool is_free = j >= 0 && m->joint_type[j] == TAC_JOINT_FREE;
    Isometry3d anchor = j >= 0 && !is_free ? shift(m->joint_pos[j]) : Isometry3d::Identity();
    dyn::Joint *joint = nullptr;
    if (j < 0)
        joint = new_joint<dyn::WeldJoint>(skeleton, parent, child);
    else if (is_free)
        joint = new_joint<dyn::FreeJoint>(skeleton, parent, child);
    else if (m->joint_type[j] == TAC_JOINT_BALL)
        joint = new_joint<dyn::BallJoint>(skeleton, parent, child);
    else if (m->joint_type[j] == TAC_JOINT_HINGE)
        joint = new_axis_joint<dyn::RevoluteJoint>(skeleton, parent, m->joint_axis[j], child);
    else
        joint = new_axis_joint<dyn::PrismaticJoint>(skeleton, parent, m->joint_axis[j], child);
    /* a free joint's coordinates are the pose in the world */
    joint->setTransformFromParentBodyNode(is_free ? Isometry3d::Identity() : to_parent * anchor);
    joint->setTransformFromChildBodyNode(anchor);
    (*child)->setInertia(dyn::Inertia(NO_MASS, Vector3d::Zero(), NO_MASS * Eigen::Matrix3d::Identity()));
    return joint;
}

void set_joint(const tacModel *m, int j, dyn::Joint *joint) {
    for (size_t k = 0; k < joint->getNumDofs(); k++)
        joint->setDampingCoefficient(k, m->dof_damping[m->joint_dof_adr[j]]);
    if (m->joint_type[j] != TAC_JOINT_HINGE && m->joint_type[j] != TAC_JOINT_SLIDE) return;
    double zero = m->qpos_0[m->joint_qpos_adr[j]];
    joint->setSpringStiffness(0, m->joint_stiffness_used[j]);
    joint->setRestPosition(0, m->qpos_spring[m->joint_qpos_adr[j]] - zero);
    if (!m->joint_limited[j]) return;
    joint->setPositionLowerLimit(0, m->joint_range[2 * j] - zero);
    joint->setPositionUpperLimit(0, m->joint_range[2 * j + 1] - zero);
    joint->setLimitEnforcement(true);
}

dyn::Inertia inertia_of(const tacModel *m, int b) {
    tacSym3 s = m->body_icom[b];
    Eigen::Matrix3d I;
    I << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
    for (int k = 0; k < m->body_joint_num[b]; k++) {
        int j = m->body_joint_adr[b] + k;
        Vector3d axis = vector(m->joint_axis[j]);
        if (m->joint_type[j] == TAC_JOINT_HINGE) I += m->joint_armature[j] * axis * axis.transpose();
    }
    return dyn::Inertia(m->body_mass[b], vector(m->body_ipos[b]), I);
}

void add_body(dartPeer &p, dyn::SkeletonPtr &skeleton, int b) {
    const tacModel *m = p.m;
    int parent = m->body_parent[b];
    if (parent == 0) {
        skeleton = dyn::Skeleton::create("tree" + std::to_string(b));
        skeleton->enableSelfCollisionCheck();
        skeleton->enableAdjacentBodyCheck();
        p.world->addSkeleton(skeleton);
    } else {
        skeleton = p.body[(size_t)parent]->getSkeleton();
    }
    dyn::BodyNode *node = parent == 0 ? nullptr : p.body[(size_t)parent];
    Isometry3d to_parent = pose(m->body_pos[b], m->body_quat[b]);
    int n = m->body_joint_num[b];
    for (int k = 0; k < (n > 0 ? n : 1); k++) {
        int j = n > 0 ? m->body_joint_adr[b] + k : -1;
        dyn::BodyNode *child = nullptr;
        dyn::Joint *joint = add_joint(p, skeleton, node, j, to_parent, &child);
        if (j >= 0) set_joint(m, j, joint), p.joint[(size_t)j] = joint;
        node = child, to_parent = Isometry3d::Identity();
    }
    if (m->body_mass[b] > 0) node->setInertia(inertia_of(m, b));
    p.body[(size_t)b] = node;
}

dyn::ShapePtr shape_of(const tacModel *m, int g) {
    const double *s = m->geom_size + 3 * g;
    switch (m->geom_type[g]) {
    case TAC_GEOM_PLANE: return std::make_shared<dyn::BoxShape>(2 * Vector3d(PLANE_HALF, PLANE_HALF, PLANE_DEPTH));
    case TAC_GEOM_SPHERE: return std::make_shared<dyn::SphereShape>(s[0]);
    case TAC_GEOM_CAPSULE: return std::make_shared<dyn::CapsuleShape>(s[0], 2 * s[1]);
    case TAC_GEOM_ELLIPSOID: return std::make_shared<dyn::EllipsoidShape>(2 * Vector3d(s[0], s[1], s[2]));
    case TAC_GEOM_CYLINDER: return std::make_shared<dyn::CylinderShape>(s[0], 2 * s[1]);
    case TAC_GEOM_BOX: return std::make_shared<dyn::BoxShape>(2 * Vector3d(s[0], s[1], s[2]));
    default: return nullptr;
    }
}

bool add_geom(dartPeer &p, int g) {
    const tacModel *m = p.m;
    dyn::ShapePtr shape = shape_of(m, g);
    if (shape == nullptr) return false;
    auto node = p.body[(size_t)m->geom_body[g]]
                    ->createShapeNodeWith<dyn::CollisionAspect, dyn::DynamicsAspect>(shape);
    Isometry3d T = pose(m->geom_pos[g], m->geom_quat[g]);
    if (m->geom_type[g] == TAC_GEOM_PLANE) T = T * Eigen::Translation3d(0, 0, -PLANE_DEPTH);
    node->setRelativeTransform(T);
    node->getDynamicsAspect()->setFrictionCoeff(m->geom_friction[3 * g]);
    node->getDynamicsAspect()->setRestitutionCoeff(m->geom_restitution[g]);
    return true;
}

/* Pairs of bodies none of whose geoms may touch are not looked at. */
void filter_bodies(dartPeer &p, const unsigned char *may_touch) {
    auto black = std::make_shared<dart::collision::BodyNodeCollisionFilter>();
    for (int a = 0; a < p.m->nbody; a++)
        for (int b = a + 1; b < p.m->nbody; b++)
            if (!may_touch[a * p.m->nbody + b])
                black->addBodyNodePairToBlackList(p.body[(size_t)a], p.body[(size_t)b]);
    p.world->getConstraintSolver()->getCollisionOption().collisionFilter = black;
}

bool build(dartPeer &p, const unsigned char *may_touch, char *reason, size_t size) {
    const tacModel *m = p.m;
    auto ground = dyn::Skeleton::create("world");
    ground->setMobile(false);
    new_joint<dyn::WeldJoint>(ground, nullptr, &p.body[0]);
    dyn::SkeletonPtr skeleton;
    for (int b = 1; b < m->nbody; b++)
        add_body(p, skeleton, b);
    for (int g = 0; g < m->ngeom; g++)
        if (!m->geom_visual[g] && (m->geom_contype[g] != 0 || m->geom_conaffinity[g] != 0) && !add_geom(p, g))
            return std::snprintf(reason, size, "a geom of a kind that is not built in DART"), false;
    p.world->addSkeleton(ground);
    filter_bodies(p, may_touch);
    return true;
}

/* --- States ------------------------------------------------------------------------------------------------------- */

void put_joint(const tacModel *m, int j, dyn::Joint *joint, const double *x) {
    const double *q = x + m->joint_qpos_adr[j], *v = x + m->nq + m->joint_dof_adr[j];
    if (m->joint_type[j] == TAC_JOINT_FREE) {
        auto *free = static_cast<dyn::FreeJoint *>(joint);
        dyn::BodyNode *body = joint->getChildBodyNode();
        free->setPositions(dyn::FreeJoint::convertToPositions(pose({q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]})));
        free->setLinearVelocity(Vector3d(v[0], v[1], v[2]));
        free->setAngularVelocity(body->getWorldTransform().linear() * Vector3d(v[3], v[4], v[5]));
    } else if (m->joint_type[j] == TAC_JOINT_BALL) {
        joint->setPositions(dyn::BallJoint::convertToPositions(rotation({q[0], q[1], q[2], q[3]}).toRotationMatrix()));
        joint->setVelocities(Vector3d(v[0], v[1], v[2]));
    } else {
        joint->setPosition(0, q[0] - m->qpos_0[m->joint_qpos_adr[j]]);
        joint->setVelocity(0, v[0]);
    }
}

void put_vector(const Vector3d &from, double *to) { to[0] = from.x(), to[1] = from.y(), to[2] = from.z(); }

void get_quat(const Eigen::Matrix3d &R, double *q) {
    Eigen::Quaterniond r(R);
    q[0] = r.w(), q[1] = r.x(), q[2] = r.y(), q[3] = r.z();
}

void get_joint(const tacModel *m, int j, const dyn::Joint *joint, double *x) {
    double *q = x + m->joint_qpos_adr[j], *v = x + m->nq + m->joint_dof_adr[j];
    if (m->joint_type[j] == TAC_JOINT_FREE) {
        const dyn::BodyNode *body = joint->getChildBodyNode();
        const Isometry3d &T = body->getWorldTransform();
        Vector3d linear = body->getLinearVelocity(), turn = T.linear().transpose() * body->getAngularVelocity();
        put_vector(T.translation(), q);
        get_quat(T.linear(), q + 3);
        put_vector(linear, v), put_vector(turn, v + 3);
    } else if (m->joint_type[j] == TAC_JOINT_BALL) {
        get_quat(dyn::BallJoint::convertToRotation(joint->getPositions()), q);
        put_vector(joint->getVelocities(), v);
    } else {
        q[0] = joint->getPosition(0) + m->qpos_0[m->joint_qpos_adr[j]];
        v[0] = joint->getVelocity(0);
    }
}

/* The actuators' forces where DART is now. */
bool drive(dartPeer &p, tacSim *sim, std::vector<double> &x, const double *u) {
    const tacModel *m = p.m;
    std::vector<double> force((size_t)m->nv + 1);
    for (int j = 0; j < m->njnt; j++)
        get_joint(m, j, p.joint[(size_t)j], x.data());
    tacActuation actuation = {};
    actuation.qfrc = force.data();
    if (tac_actuation(sim, x.data(), u, &actuation) != TAC_OK) return false;
    for (int j = 0; j < m->njnt; j++)
        if (m->joint_type[j] != TAC_JOINT_FREE)
            for (size_t k = 0; k < p.joint[(size_t)j]->getNumDofs(); k++)
                p.joint[(size_t)j]->setForce(k, force[(size_t)m->joint_dof_adr[j] + k]);
    return true;
}

State keep(const dartPeer &p) {
    State s;
    for (size_t i = 0; i < p.world->getNumSkeletons(); i++) {
        auto skeleton = p.world->getSkeleton(i);
        s.q.push_back(skeleton->getPositions());
        s.v.push_back(skeleton->getVelocities());
        s.force.push_back(skeleton->getForces());
    }
    return s;
}

} // namespace

dartPeer *dart_open(const tacModel *model, double dt, const unsigned char *may_touch, char *reason, size_t size) {
    auto *p = new dartPeer;
    p->m = model;
    p->world = dart::simulation::World::create();
    p->body.resize((size_t)model->nbody), p->joint.resize((size_t)model->njnt);
    p->world->setTimeStep(dt);
    p->world->setGravity(vector(*model->option_gravity));
    p->world->getConstraintSolver()->setCollisionDetector(dart::collision::BulletCollisionDetector::create());
    if (build(*p, may_touch, reason, size)) return p;
    delete p;
    return nullptr;
}

void dart_close(dartPeer *peer) { delete peer; }

const char *dart_version(void) { return DART_VERSION; }

int dart_move(dartPeer *peer, tacSim *sim, const double *x, const double *u, int skipped, int n) {
    std::vector<double> now(x, x + tac_nx(peer->m));
    for (int j = 0; j < peer->m->njnt; j++)
        put_joint(peer->m, j, peer->joint[(size_t)j], x);
    peer->states.clear(), peer->at = 0, peer->contacts = 0;
    for (int k = -skipped; k < n; k++) {
        if (!drive(*peer, sim, now, u)) return 0;
        if (k >= 0) peer->states.push_back(keep(*peer));
        peer->world->step();
        if (k >= 0) peer->contacts += (double)peer->world->getLastCollisionResult().getNumContacts() / n;
    }
    return 1;
}

double dart_contacts(const dartPeer *peer) { return peer->contacts; }

void dart_step(void *context) {
    auto *p = static_cast<dartPeer *>(context);
    const State &s = p->states[p->at];
    for (size_t i = 0; i < p->world->getNumSkeletons(); i++) {
        auto skeleton = p->world->getSkeleton(i);
        skeleton->setPositions(s.q[i]), skeleton->setVelocities(s.v[i]), skeleton->setForces(s.force[i]);
    }
    p->world->step();
    p->at = (p->at + 1) % p->states.size();
}
