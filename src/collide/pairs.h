/* One function per pair of shapes: tacTouchFunction, shape types in the order of tacGeomType. */
#pragma once

#include "collide/touch.h"
