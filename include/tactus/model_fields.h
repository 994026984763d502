/* The table of all arrays of a tacModel, one row each.
 *
 *   X(kind, field, type, per, count, role, "meaning")
 *
 * declares `type *kind_field` with `count` rows of `per` elements each. The table also defines memory layout, packing,
 * copies, hashes, and the parameter path of every number: kind/NAME.field[i] (options: option.field[i]).
 *
 * Roles:  INDEX    structure (ids, addresses, types, flags): fixed once the model is built
 *         NUMBER   a number as the user wrote it: a parameter, settable
 *         DERIVED  computed from INDEX and NUMBER rows by tac_model_derive: never set by hand
 *
 * SI units, radians. Frames: "in parent": the parent body's frame; "in body": the frame of the element's body. */
#pragma once

/* clang-format off */

#define TAC_MODEL_SIZES(S)                                                                  \
    S(nq, "position coordinates")                                                           \
    S(nv, "degrees of freedom")                                                             \
    S(nu, "actuators (controls)")                                                           \
    S(na, "activation states")                                                              \
    S(nbody, "bodies, world included")                                                      \
    S(njnt, "joints")                                                                       \
    S(ngeom, "geoms")                                                                       \
    S(nsite, "sites")                                                                       \
    S(nmesh, "meshes")                                                                      \
    S(nmeshvert, "mesh vertices, all meshes")                                               \
    S(nmeshface, "mesh triangles, all meshes")                                              \
    S(nhullvert, "hull vertices, all meshes")                                               \
    S(nhullface, "hull triangles, all meshes")                                              \
    S(nhullcorner, "corners of the hulls as polyhedra, all meshes")                         \
    S(nhullpolygon, "polygons of the hulls as polyhedra, all meshes")                       \
    S(nhulledge, "directed edges of the hulls as polyhedra: two per edge, all meshes")      \
    S(ntendon, "tendons")                                                                   \
    S(nterm, "terms of fixed tendons, all tendons")                                         \
    S(neq, "equality constraints")                                                          \
    S(npair, "explicit contact pairs")                                                      \
    S(nexclude, "excluded body pairs")                                                      \
    S(nkey, "keyframes")                                                                    \
    S(nsensor, "sensors (names only)")                                                      \
    S(nmocap, "mocap bodies")                                                               \
    S(nM, "stored entries of the sparse mass matrix: one per (dof, ancestor-or-self dof)")  \
    S(nkeyq, "nkey * nq")                                                                   \
    S(nkeyv, "nkey * nv")                                                                   \
    S(nkeya, "nkey * na")                                                                   \
    S(nkeyu, "nkey * nu")                                                                   \
    S(nkeym, "nkey * nmocap")                                                               \
    S(noption, "1, the row count of options")                                               \
    S(nname, "bytes of all names, zero-terminated; offset 0 is the empty name")

#define TAC_MODEL_FIELDS(X)                                                                                               \
    X(option, timestep, double, 1, noption, NUMBER, "s")                                                                   \
    X(option, gravity, tacVec3, 1, noption, NUMBER, "in world, m/s^2")                                                     \
    X(option, impratio, double, 1, noption, NUMBER, "friction-to-normal impedance ratio")                                  \
    X(option, tolerance, double, 1, noption, INDEX, "solver tolerance of MJCF")                                            \
    X(option, ls_tolerance, double, 1, noption, INDEX, "line-search tolerance of MJCF")                                    \
    X(option, iterations, int, 1, noption, INDEX, "solver iterations of MJCF")                                             \
    X(option, ls_iterations, int, 1, noption, INDEX, "line-search iterations of MJCF")                                     \
    X(option, integrator, int, 1, noption, INDEX, "tacIntegrator")                                                         \
    X(option, cone, int, 1, noption, INDEX, "tacCone")                                                                     \
    X(option, solver, int, 1, noption, INDEX, "tacSolver")                                                                 \
    X(option, disable, int, 1, noption, INDEX, "TAC_DISABLE_* bits")                                                       \
    X(option, enable, int, 1, noption, INDEX, "TAC_ENABLE_* bits")                                                         \
    X(option, o_margin, double, 1, noption, INDEX, "contact override: margin")                                             \
    X(option, o_solref, double, 2, noption, INDEX, "contact override: solref")                                             \
    X(option, o_solimp, double, 5, noption, INDEX, "contact override: solimp")                                             \
    X(option, o_friction, double, 5, noption, INDEX, "contact override: friction")                                         \
    X(option, boundmass, double, 1, noption, INDEX, "least mass of a moving body; 0: no bound")                            \
    X(option, boundinertia, double, 1, noption, INDEX, "least principal inertia of a moving body; 0: no bound")            \
    X(option, balanceinertia, int, 1, noption, INDEX, "1: replace an inertia that violates the triangle inequality by its mean") \
    X(option, literal_inertia, int, 1, noption, INDEX, "1: use written inertias unchanged (URDF), with any sign")          \
    X(option, settotalmass, double, 1, noption, NUMBER, "scale all masses and inertias to this total; <= 0: no scaling")   \
                                                                                                                           \
    X(body, name, int, 1, nbody, INDEX, "offset into names")                                                               \
    X(body, parent, int, 1, nbody, INDEX, "parent body, smaller than the body's own id; world: 0")                         \
    X(body, joint_adr, int, 1, nbody, INDEX, "first joint")                                                                \
    X(body, joint_num, int, 1, nbody, INDEX, "number of joints")                                                           \
    X(body, dof_adr, int, 1, nbody, INDEX, "first dof")                                                                    \
    X(body, dof_num, int, 1, nbody, INDEX, "number of dofs")                                                               \
    X(body, geom_adr, int, 1, nbody, INDEX, "first geom")                                                                  \
    X(body, geom_num, int, 1, nbody, INDEX, "number of geoms")                                                             \
    X(body, site_adr, int, 1, nbody, INDEX, "first site")                                                                  \
    X(body, site_num, int, 1, nbody, INDEX, "number of sites")                                                             \
    X(body, root, int, 1, nbody, INDEX, "ancestor (or self) that is a child of the world; world: 0")                       \
    X(body, weld, int, 1, nbody, INDEX, "nearest ancestor (or self) with a joint or mocap; world: 0")                      \
    X(body, last_dof, int, 1, nbody, INDEX, "last dof on the path from the world to this body; -1: none")                  \
    X(body, mocap, int, 1, nbody, INDEX, "mocap index, or -1")                                                             \
    X(body, inertial, int, 1, nbody, INDEX, "tacInertial: where mass and inertia come from")                               \
    X(body, inertia_fixed, int, 1, nbody, INDEX, "1: its inertia was computed from geoms when the file was read")          \
    X(body, pos, tacVec3, 1, nbody, NUMBER, "frame origin, in parent")                                                     \
    X(body, quat, tacQuat, 1, nbody, NUMBER, "frame orientation, in parent")                                               \
    X(body, gravcomp, double, 1, nbody, NUMBER, "fraction of the weight that is compensated")                              \
    X(inertial, mass, double, 1, nbody, NUMBER, "mass as written (path body/NAME.mass)")                                   \
    X(inertial, pos, tacVec3, 1, nbody, NUMBER, "centre of mass as written, in body (path body/NAME.ipos)")                \
    X(inertial, quat, tacQuat, 1, nbody, NUMBER, "principal axes as written, in body (path body/NAME.iquat)")              \
    X(inertial, diag, tacVec3, 1, nbody, NUMBER, "principal inertia as written (path body/NAME.inertia)")                  \
    X(inertial, full, tacSym3, 1, nbody, NUMBER, "full inertia as written, in inertial quat's axes (path body/NAME.fullinertia)") \
    X(body, mass, double, 1, nbody, DERIVED, "mass as used")                                                               \
    X(body, ipos, tacVec3, 1, nbody, DERIVED, "centre of mass as used, in body")                                           \
    X(body, iquat, tacQuat, 1, nbody, DERIVED, "principal axes as used, in body")                                          \
    X(body, inertia, tacVec3, 1, nbody, DERIVED, "principal inertia as used")                                              \
    X(body, icom, tacSym3, 1, nbody, DERIVED, "inertia about the centre of mass, in body axes")                            \
    X(body, subtree_mass, double, 1, nbody, DERIVED, "mass of the body and all its descendants")                           \
    X(body, invweight, double, 2, nbody, DERIVED, "mean inverse weight at qpos_0: translation, rotation")                  \
                                                                                                                           \
    X(joint, name, int, 1, njnt, INDEX, "offset into names")                                                               \
    X(joint, type, int, 1, njnt, INDEX, "tacJointType")                                                                    \
    X(joint, body, int, 1, njnt, INDEX, "body it moves")                                                                   \
    X(joint, qpos_adr, int, 1, njnt, INDEX, "first position coordinate")                                                   \
    X(joint, dof_adr, int, 1, njnt, INDEX, "first dof")                                                                    \
    X(joint, limited, int, 1, njnt, INDEX, "has a range")                                                                  \
    X(joint, actfrclimited, int, 1, njnt, INDEX, "total actuator force is clamped")                                        \
    X(joint, actgravcomp, int, 1, njnt, INDEX, "gravity compensation enters through the actuators")                        \
    X(joint, group, int, 1, njnt, INDEX, "group (visual)")                                                                 \
    X(joint, pos, tacVec3, 1, njnt, NUMBER, "anchor, in body")                                                             \
    X(joint, axis, tacVec3, 1, njnt, NUMBER, "unit axis, in body")                                                         \
    X(joint, ref, double, 1, njnt, NUMBER, "coordinate at the pose of the file")                                           \
    X(joint, springref, double, 1, njnt, NUMBER, "coordinate at which the spring has no force")                            \
    X(joint, springdamper, double, 2, njnt, NUMBER, "time constant, damping ratio; both > 0: define stiffness, damping")   \
    X(joint, stiffness, double, 1, njnt, NUMBER, "spring constant")                                                        \
    X(joint, damping, double, 1, njnt, NUMBER, "viscous damping")                                                          \
    X(joint, armature, double, 1, njnt, NUMBER, "added diagonal inertia")                                                  \
    X(joint, frictionloss, double, 1, njnt, NUMBER, "dry friction")                                                        \
    X(joint, range, double, 2, njnt, NUMBER, "limits")                                                                     \
    X(joint, margin, double, 1, njnt, NUMBER, "limit margin")                                                              \
    X(joint, actfrcrange, double, 2, njnt, NUMBER, "clamp of the total actuator force")                                    \
    X(joint, solref_limit, double, 2, njnt, NUMBER, "soft limit reference")                                                \
    X(joint, solimp_limit, double, 5, njnt, NUMBER, "soft limit impedance")                                                \
    X(joint, solref_friction, double, 2, njnt, NUMBER, "soft friction reference")                                          \
    X(joint, solimp_friction, double, 5, njnt, NUMBER, "soft friction impedance")                                          \
                                                                                                                           \
    X(dof, body, int, 1, nv, INDEX, "body it moves")                                                                       \
    X(dof, joint, int, 1, nv, INDEX, "joint it belongs to")                                                                \
    X(dof, parent, int, 1, nv, INDEX, "dof before it on the path from the world, or -1")                                   \
    X(dof, M_adr, int, 1, nv, INDEX, "address of M[i][i]; M[i][parent], M[i][grandparent], ... follow")                    \
    X(dof, depth, int, 1, nv, INDEX, "number of ancestor dofs, self included")                                             \
    X(dof, armature, double, 1, nv, DERIVED, "its joint's armature")                                                       \
    X(dof, damping, double, 1, nv, DERIVED, "its joint's damping (from springdamper if given)")                            \
    X(dof, M0, double, 1, nv, DERIVED, "diagonal of the mass matrix at qpos_0")                                            \
    X(dof, invweight, double, 1, nv, DERIVED, "diagonal of the inverse mass matrix at qpos_0, averaged over the joint")    \
    X(joint, stiffness_used, double, 1, njnt, DERIVED, "spring constant (from springdamper if given)")                     \
    X(qpos, 0, double, 1, nq, DERIVED, "coordinates at the pose of the file")                                              \
    X(qpos, spring, double, 1, nq, DERIVED, "coordinates at which joint springs have no force")                            \
                                                                                                                           \
    X(geom, name, int, 1, ngeom, INDEX, "offset into names")                                                               \
    X(geom, type, int, 1, ngeom, INDEX, "tacGeomType")                                                                     \
    X(geom, body, int, 1, ngeom, INDEX, "body it is fixed to")                                                             \
    X(geom, mesh, int, 1, ngeom, INDEX, "mesh, or -1")                                                                     \
    X(geom, sum, int, 1, ngeom, INDEX, "geom of the same body whose shape is added to its own, or -1; it has no contacts then")\
    X(geom, contype, int, 1, ngeom, INDEX, "collision bits")                                                               \
    X(geom, conaffinity, int, 1, ngeom, INDEX, "collision bits")                                                           \
    X(geom, condim, int, 1, ngeom, INDEX, "contact dimension: 1, 3, 4 or 6")                                               \
    X(geom, priority, int, 1, ngeom, INDEX, "the geom with the higher priority gives the contact parameters")              \
    X(geom, group, int, 1, ngeom, INDEX, "group (visual)")                                                                 \
    X(geom, adds_mass, int, 1, ngeom, INDEX, "1: included in the mass of its body if that comes from geoms")               \
    X(geom, has_mass, int, 1, ngeom, INDEX, "1: mass was given; 0: density times volume")                                  \
    X(geom, shell, int, 1, ngeom, INDEX, "1: mass is on the surface")                                                      \
    X(geom, visual, int, 1, ngeom, INDEX, "1: visual only (no collision, no mass)")                                        \
    X(geom, pos, tacVec3, 1, ngeom, NUMBER, "frame origin, in body")                                                       \
    X(geom, quat, tacQuat, 1, ngeom, NUMBER, "frame orientation, in body")                                                 \
    X(geom, size, double, 3, ngeom, NUMBER, "radius, half-sizes, half-length as in MJCF")                                  \
    X(geom, pad, double, 1, ngeom, NUMBER, "m: radius of a ball added around its shape; without mass")                     \
    X(geom, density, double, 1, ngeom, NUMBER, "kg/m^3 (kg/m^2 for shells)")                                               \
    X(geom, mass, double, 1, ngeom, NUMBER, "kg, if given")                                                                \
    X(geom, friction, double, 3, ngeom, NUMBER, "sliding, torsional, rolling")                                             \
    X(geom, restitution, double, 1, ngeom, NUMBER, "separation speed over approach speed of an impact, 0 to 1")            \
    X(geom, solmix, double, 1, ngeom, NUMBER, "weight in mixing")                                                          \
    X(geom, solref, double, 2, ngeom, NUMBER, "soft contact reference")                                                    \
    X(geom, solimp, double, 5, ngeom, NUMBER, "soft contact impedance")                                                    \
    X(geom, margin, double, 1, ngeom, NUMBER, "its part of the distance at which forces begin")                            \
    X(geom, gap, double, 1, ngeom, NUMBER, "contacts are detected this far beyond the margin, without force")              \
    X(geom, rgba, float, 4, ngeom, INDEX, "colour (visual)")                                                               \
                                                                                                                           \
    X(mesh, name, int, 1, nmesh, INDEX, "offset into names")                                                               \
    X(mesh, vert_adr, int, 1, nmesh, INDEX, "first vertex")                                                                \
    X(mesh, vert_num, int, 1, nmesh, INDEX, "number of vertices")                                                          \
    X(mesh, face_adr, int, 1, nmesh, INDEX, "first triangle")                                                              \
    X(mesh, face_num, int, 1, nmesh, INDEX, "number of triangles")                                                         \
    X(mesh, hullvert_adr, int, 1, nmesh, INDEX, "first hull vertex")                                                       \
    X(mesh, hullvert_num, int, 1, nmesh, INDEX, "number of hull vertices; 0: no hull computed")                            \
    X(mesh, hullface_adr, int, 1, nmesh, INDEX, "first hull triangle")                                                     \
    X(mesh, hullface_num, int, 1, nmesh, INDEX, "number of hull triangles")                                                \
    X(mesh, corner_adr, int, 1, nmesh, INDEX, "first corner of its hull")                                                  \
    X(mesh, corner_num, int, 1, nmesh, INDEX, "number of corners; 0: no collision")                                        \
    X(mesh, polygon_adr, int, 1, nmesh, INDEX, "first polygon of its hull")                                                \
    X(mesh, polygon_num, int, 1, nmesh, INDEX, "number of polygons")                                                       \
    X(mesh, edge_adr, int, 1, nmesh, INDEX, "first directed edge of its hull")                                             \
    X(mesh, edge_num, int, 1, nmesh, INDEX, "number of directed edges")                                                    \
    X(mesh, inertia_mode, int, 1, nmesh, INDEX, "tacMeshInertia")                                                          \
    X(mesh, file_vert, tacVec3, 1, nmeshvert, NUMBER, "vertices as in the file, before scale")                             \
    X(mesh, face, int, 3, nmeshface, INDEX, "vertex ids within the mesh, counter-clockwise from outside")                  \
    X(mesh, hullvert, int, 1, nhullvert, INDEX, "vertex ids within the mesh")                                              \
    X(mesh, hullface, int, 3, nhullface, INDEX, "vertex ids within the mesh, counter-clockwise from outside")              \
    X(hull, corner, int, 1, nhullcorner, INDEX, "vertex id within the mesh, ascending")                                    \
    X(hull, edge_adr, int, 1, nhullcorner, INDEX, "first neighbour, counted from the mesh's first edge")                   \
    X(hull, edge_num, int, 1, nhullcorner, INDEX, "number of neighbours")                                                  \
    X(hull, edge, int, 1, nhulledge, INDEX, "per corner: neighbours (corners within the mesh), counter-clockwise from outside") \
    X(hull, edge_face, int, 1, nhulledge, INDEX, "per edge from a corner to a neighbour: the polygon within the mesh to its left") \
    X(hull, loop_adr, int, 1, nhullpolygon, INDEX, "first corner, counted from the mesh's first edge")                     \
    X(hull, loop_num, int, 1, nhullpolygon, INDEX, "number of corners")                                                    \
    X(hull, loop, int, 1, nhulledge, INDEX, "per polygon: corners within the mesh, counter-clockwise from outside")        \
    X(mesh, scale, tacVec3, 1, nmesh, NUMBER, "scale of the vertices, after refpos and refquat")                           \
    X(mesh, refpos, tacVec3, 1, nmesh, NUMBER, "subtracted from the file's vertices")                                      \
    X(mesh, refquat, tacQuat, 1, nmesh, NUMBER, "its inverse rotates them after refpos, before scale")                     \
    X(mesh, vert, tacVec3, 1, nmeshvert, DERIVED, "vertices in the mesh frame, which is the geom frame")                   \
    X(hull, pos, tacVec3, 1, nhullcorner, DERIVED, "corners in the mesh frame")                                            \
    X(mesh, volume, double, 1, nmesh, DERIVED, "volume (area for shells) by inertia_mode")                                 \
    X(mesh, com, tacVec3, 1, nmesh, DERIVED, "centre of mass in the mesh frame")                                           \
    X(mesh, icom, tacSym3, 1, nmesh, DERIVED, "inertia about it for unit density, mesh axes")                              \
                                                                                                                           \
    X(site, name, int, 1, nsite, INDEX, "offset into names")                                                               \
    X(site, body, int, 1, nsite, INDEX, "body it is fixed to")                                                             \
    X(site, type, int, 1, nsite, INDEX, "tacGeomType (visual)")                                                            \
    X(site, group, int, 1, nsite, INDEX, "group (visual)")                                                                 \
    X(site, pos, tacVec3, 1, nsite, NUMBER, "frame origin, in body")                                                       \
    X(site, quat, tacQuat, 1, nsite, NUMBER, "frame orientation, in body")                                                 \
    X(site, size, double, 3, nsite, INDEX, "size (visual)")                                                                \
                                                                                                                           \
    X(tendon, name, int, 1, ntendon, INDEX, "offset into names")                                                           \
    X(tendon, type, int, 1, ntendon, INDEX, "tacTendonType; TAC_TENDON_SPATIAL gives no force")                            \
    X(tendon, term_adr, int, 1, ntendon, INDEX, "first term")                                                              \
    X(tendon, term_num, int, 1, ntendon, INDEX, "number of terms")                                                         \
    X(tendon, limited, int, 1, ntendon, INDEX, "has a range")                                                              \
    X(tendon, actfrclimited, int, 1, ntendon, INDEX, "total actuator force is clamped")                                    \
    X(tendon, group, int, 1, ntendon, INDEX, "group (visual)")                                                             \
    X(tendon, stiffness, double, 1, ntendon, NUMBER, "spring constant")                                                    \
    X(tendon, damping, double, 1, ntendon, NUMBER, "viscous damping")                                                      \
    X(tendon, armature, double, 1, ntendon, NUMBER, "added inertia along the tendon")                                      \
    X(tendon, frictionloss, double, 1, ntendon, NUMBER, "dry friction")                                                    \
    X(tendon, range, double, 2, ntendon, NUMBER, "limits of the length")                                                   \
    X(tendon, margin, double, 1, ntendon, NUMBER, "limit margin")                                                          \
    X(tendon, actfrcrange, double, 2, ntendon, NUMBER, "clamp of the total actuator force")                                \
    X(tendon, springlength, double, 2, ntendon, NUMBER, "dead band of the spring; -1: the length at qpos_spring")          \
    X(tendon, solref_limit, double, 2, ntendon, NUMBER, "soft limit reference")                                            \
    X(tendon, solimp_limit, double, 5, ntendon, NUMBER, "soft limit impedance")                                            \
    X(tendon, solref_friction, double, 2, ntendon, NUMBER, "soft friction reference")                                      \
    X(tendon, solimp_friction, double, 5, ntendon, NUMBER, "soft friction impedance")                                      \
    X(tendon, springlength_used, double, 2, ntendon, DERIVED, "dead band of the spring")                                   \
    X(tendon, length0, double, 1, ntendon, DERIVED, "length at qpos_0")                                                    \
    X(tendon, invweight, double, 1, ntendon, DERIVED, "inverse weight along the tendon at qpos_0")                         \
    X(term, joint, int, 1, nterm, INDEX, "joint of this term")                                                             \
    X(term, coef, double, 1, nterm, NUMBER, "coefficient (path tendon/NAME.coef[i])")                                      \
                                                                                                                           \
    X(actuator, name, int, 1, nu, INDEX, "offset into names")                                                              \
    X(actuator, trntype, int, 1, nu, INDEX, "tacTransmission")                                                             \
    X(actuator, trnid, int, 2, nu, INDEX, "joint, tendon, site or body; reference or slider site, or -1")                  \
    X(actuator, dyntype, int, 1, nu, INDEX, "tacDynType")                                                                  \
    X(actuator, gaintype, int, 1, nu, INDEX, "tacGainType")                                                                \
    X(actuator, biastype, int, 1, nu, INDEX, "tacBiasType")                                                                \
    X(actuator, act_adr, int, 1, nu, INDEX, "first activation, or -1")                                                     \
    X(actuator, act_num, int, 1, nu, INDEX, "number of activations")                                                       \
    X(actuator, ctrllimited, int, 1, nu, INDEX, "control is clamped")                                                      \
    X(actuator, forcelimited, int, 1, nu, INDEX, "force is clamped")                                                       \
    X(actuator, actlimited, int, 1, nu, INDEX, "activation is clamped")                                                    \
    X(actuator, actearly, int, 1, nu, INDEX, "force uses the next activation")                                             \
    X(actuator, group, int, 1, nu, INDEX, "group")                                                                         \
    X(actuator, without_force, int, 1, nu, INDEX, "1: gives no force (unsupported, lenient loading)")                      \
    X(actuator, gear, double, 6, nu, NUMBER, "scales length and moment; all six for sites")                                \
    X(actuator, cranklength, double, 1, nu, NUMBER, "rod length of a slider-crank")                                        \
    X(actuator, dynprm, double, 10, nu, NUMBER, "dynamics parameters")                                                     \
    X(actuator, gainprm, double, 10, nu, NUMBER, "gain parameters")                                                        \
    X(actuator, biasprm, double, 10, nu, NUMBER, "bias parameters")                                                        \
    X(actuator, dampratio, double, 1, nu, NUMBER, "> 0: damping bias biasprm[2] is computed from it")                      \
    X(actuator, ctrlrange, double, 2, nu, NUMBER, "control limits")                                                        \
    X(actuator, forcerange, double, 2, nu, NUMBER, "force limits")                                                         \
    X(actuator, actrange, double, 2, nu, NUMBER, "activation limits")                                                      \
    X(actuator, lengthrange, double, 2, nu, INDEX, "not used")                                                             \
    X(actuator, damping_used, double, 1, nu, DERIVED, "biasprm[2] as used")                                                \
    X(actuator, length0, double, 1, nu, DERIVED, "length at qpos_0")                                                       \
                                                                                                                           \
    X(equality, name, int, 1, neq, INDEX, "offset into names")                                                             \
    X(equality, type, int, 1, neq, INDEX, "tacEqualityType")                                                               \
    X(equality, obj, int, 2, neq, INDEX, "bodies, sites, joints or tendons; -1: none")                                     \
    X(equality, objkind, int, 1, neq, INDEX, "tacKind of obj")                                                             \
    X(equality, active, int, 1, neq, INDEX, "active at the start")                                                         \
    X(equality, data, double, 11, neq, NUMBER, "by type, as in MuJoCo; weld with a zero quaternion: the pose at qpos_0")    \
    X(equality, solref, double, 2, neq, NUMBER, "soft reference")                                                          \
    X(equality, solimp, double, 5, neq, NUMBER, "soft impedance")                                                          \
    X(equality, data_used, double, 11, neq, DERIVED, "data with relative poses completed at qpos_0")                       \
                                                                                                                           \
    X(pair, name, int, 1, npair, INDEX, "offset into names")                                                               \
    X(pair, geom, int, 2, npair, INDEX, "the two geoms")                                                                   \
    X(pair, condim, int, 1, npair, INDEX, "contact dimension")                                                             \
    X(pair, friction, double, 5, npair, NUMBER, "two sliding, torsional, two rolling")                                     \
    X(pair, solref, double, 2, npair, NUMBER, "soft contact reference")                                                    \
    X(pair, solreffriction, double, 2, npair, NUMBER, "soft contact reference of friction, elliptic cones; 0 0: solref")   \
    X(pair, solimp, double, 5, npair, NUMBER, "soft contact impedance")                                                    \
    X(pair, margin, double, 1, npair, NUMBER, "distance at which forces begin")                                            \
    X(pair, gap, double, 1, npair, NUMBER, "contacts are detected this far beyond the margin, without force")              \
    X(exclude, name, int, 1, nexclude, INDEX, "offset into names")                                                         \
    X(exclude, body, int, 2, nexclude, INDEX, "the two bodies")                                                            \
                                                                                                                           \
    X(mocap, body, int, 1, nmocap, INDEX, "the mocap body")                                                                \
    X(key, name, int, 1, nkey, INDEX, "offset into names")                                                                 \
    X(key, time, double, 1, nkey, INDEX, "s")                                                                              \
    X(key, given, int, 1, nkey, INDEX, "bits: 1 qpos, 2 mpos, 4 mquat were given; otherwise the model's values")           \
    X(key, qpos, double, 1, nkeyq, INDEX, "nkey x nq")                                                                     \
    X(key, qvel, double, 1, nkeyv, INDEX, "nkey x nv")                                                                     \
    X(key, act, double, 1, nkeya, INDEX, "nkey x na")                                                                      \
    X(key, ctrl, double, 1, nkeyu, INDEX, "nkey x nu")                                                                     \
    X(key, mpos, tacVec3, 1, nkeym, INDEX, "nkey x nmocap")                                                                \
    X(key, mquat, tacQuat, 1, nkeym, INDEX, "nkey x nmocap")                                                               \
    X(sensor, name, int, 1, nsensor, INDEX, "offset into names")                                                           \
    X(sensor, tag, int, 1, nsensor, INDEX, "offset into names: the MJCF tag")                                              \
    X(all, names, char, 1, nname, INDEX, "all names")
/* clang-format on */
