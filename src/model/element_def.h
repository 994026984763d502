/* Rows of a model as the definitions that would add them. Ids in them are those of the model, and text and arrays are
 * its own. */
#pragma once

#include "model/layout.h"

tacOptionDef tac_option_def(const tacModel *model);
tacBodyDef tac_body_def(const tacModel *model, int id);
tacJointDef tac_joint_def(const tacModel *model, int id);
tacGeomDef tac_geom_def(const tacModel *model, int id);
/* face and hullface (3 per triangle of the mesh) are the caller's, filled here. */
tacMeshDef tac_mesh_def(const tacModel *model, int id, int *face, int *hullface);
tacSiteDef tac_site_def(const tacModel *model, int id);
tacTendonDef tac_tendon_def(const tacModel *model, int id);
tacActuatorDef tac_actuator_def(const tacModel *model, int id);
tacEqualityDef tac_equality_def(const tacModel *model, int id);
tacPairDef tac_pair_def(const tacModel *model, int id);
tacKeyDef tac_key_def(const tacModel *model, int id);
