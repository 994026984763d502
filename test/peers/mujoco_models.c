#include "peers/mujoco_peer.h"

/* Several joints on one body in every order, offset anchors, tilted frames and inertias, springs and dampers. */
static const char JOINTS[] =
    "<mujoco><compiler angle='radian'/><option timestep='0.002' gravity='0.3 -0.2 -9.81'/><worldbody>"
    "<body name='a' pos='0.1 0.2 0.3' quat='0.9 0.1 -0.3 0.2'>"
    "  <inertial pos='0.02 0.01 -0.03' quat='0.8 0.2 0.1 0.3' mass='1.3' diaginertia='0.03 0.02 0.04'/>"
    "  <joint name='a1' type='slide' axis='1 2 0.5' pos='0.1 0 0' damping='0.3' stiffness='4' springref='0.2' "
    "ref='0.1'/>"
    "  <joint name='a2' type='hinge' axis='0 1 1' pos='0 0.1 -0.1' damping='0.1' armature='0.05' stiffness='2' "
    "         springref='0.4' ref='-0.3'/>"
    "  <joint name='a3' type='ball' pos='0.05 0.02 0.1' damping='0.05' stiffness='1.5'/>"
    "  <body name='b' pos='0.3 -0.1 0.2' euler='0.3 0.2 0.1'>"
    "    <inertial pos='0.1 0 0.05' quat='0.9 0.3 0.2 0.1' mass='0.7' diaginertia='0.02 0.03 0.025'/>"
    "    <joint name='b1' type='hinge' axis='1 0 0' pos='0.2 0.1 0'/>"
    "    <joint name='b2' type='slide' axis='0 0 1'/>"
    "    <joint name='b3' type='hinge' axis='0.3 1 0' pos='0 0.1 0.05'/>"
    "    <joint name='b4' type='ball' pos='-0.1 0 0' armature='0.01'/>"
    "    <body name='fixed' pos='0 0 0.2' quat='0.7 0 0.7 0.1'><geom type='capsule' size='0.03 0.1' density='500'/>"
    "      <body name='c' pos='0.1 0 0'><joint name='c1' axis='0 1 0' damping='0.2'/>"
    "        <geom type='box' size='0.05 0.03 0.1' pos='0 0 0.1' euler='0.1 0.2 0.3'/></body></body>"
    "  </body>"
    "  <body name='d' pos='-0.2 0 0.1'><joint name='d1' type='slide' axis='0 1 0' stiffness='10'/>"
    "    <joint name='d2' type='slide' axis='1 0 0'/><geom type='sphere' size='0.06' pos='0.1 0 0'/></body>"
    "</body>"
    "<body name='f' pos='1 0 1' euler='0.4 0.5 0.6'><freejoint name='f0'/><geom type='ellipsoid' size='0.1 0.05 0.07'/>"
    "  <body name='g' pos='0.2 0 0'><joint name='g1' type='ball'/><geom type='cylinder' size='0.03 0.1' pos='0.1 0 "
    "0'/></body>"
    "</body>"
    "<body name='s' pos='-1 0 1'><joint name='s0' type='free' stiffness='30' damping='0.4' armature='0.02'/>"
    "  <geom type='box' size='0.1 0.05 0.07' pos='0.03 0 0'/></body>"
    "<body name='m' mocap='true' pos='2 0 0' quat='0.9 0.1 0 0'><geom type='sphere' size='0.1'/>"
    "  <body name='n' pos='0.1 0.2 0'><joint name='n1' axis='1 1 0'/><geom type='box' size='0.1 0.05 "
    "0.07'/></body></body>"
    "<body name='slider' pos='3 0 0'><joint type='slide' axis='0 0 1' armature='0.3'/>"
    "  <geom type='sphere' size='0.1'/></body>"
    "</worldbody></mujoco>";

/* Every transmission with every kind of gain, bias and activation. */
static const char ACTUATORS[] =
    "<mujoco><compiler angle='radian'/><option timestep='0.002'/><worldbody>"
    "<site name='base' pos='0.2 0.1 0.4'/><site name='tilted' pos='0 0.1 0.4' euler='0.4 0.2 -0.3'/>"
    "<body name='a' pos='0 0 0.3'><joint name='hinge' axis='0 1 0' damping='0.2'/>"
    "  <geom type='capsule' size='0.04 0.2' pos='0 0 0.2'/><site name='crank' pos='0 0.03 0.15'/>"
    "  <site name='sa' pos='0.1 0 0.1'/>"
    "  <body name='b' pos='0 0 0.4'><joint name='slide' type='slide' axis='0 0 1' damping='1'/>"
    "    <geom type='box' size='0.05 0.06 0.07'/><site name='sb' pos='0.1 0.05 0' euler='0.3 0.1 0.2'/>"
    "    <body name='c' pos='0.1 0 0.1'><joint name='ball' type='ball' damping='0.1'/>"
    "      <geom type='capsule' size='0.03 0.1' pos='0 0 0.1'/><site name='sc' pos='0 0.02 0.2'/></body></body></body>"
    "<body name='track' pos='0.5 0 0.3'><joint name='track' type='slide' axis='1 0 0'/><geom type='sphere' size='0.1'/>"
    "  <site name='slider' pos='0 0 0' zaxis='0.1 0.05 1'/></body>"
    "<body name='f' pos='0 1 1'><freejoint name='free'/><geom type='box' size='0.1 0.2 0.3'/><site name='thrust' "
    "  pos='0.1 0.1 0' euler='0.2 0.3 0.4'/></body>"
    "</worldbody>"
    "<tendon><fixed name='t1' stiffness='3' damping='0.5' springlength='0.4'><joint joint='hinge' coef='0.7'/>"
    "    <joint joint='slide' coef='-1.2'/><joint joint='track' coef='0.3'/></fixed>"
    "  <fixed name='t2' stiffness='5' limited='true' range='-1 1'><joint joint='track' coef='0.4'/></fixed></tendon>"
    "<actuator>"
    "  <motor joint='hinge' gear='3' ctrllimited='true' ctrlrange='-0.5 0.4'/>"
    "  <position joint='slide' kp='20' forcelimited='true' forcerange='-3 4'/>"
    "  <velocity joint='track' kv='2' gear='0.5'/>"
    "  <motor joint='ball' gear='0.3 -0.2 0.5 0 0 0'/>"
    "  <motor jointinparent='ball' gear='0.3 -0.2 0.5 0 0 0'/>"
    "  <position joint='ball' gear='0 1.5 1 0 0 0' kp='0.2'/>"
    "  <motor joint='free' gear='1 2 3 0.1 0.2 0.3'/>"
    "  <motor jointinparent='free' gear='1 2 3 0.1 0.2 0.3'/>"
    "  <motor tendon='t1' gear='2'/>"
    "  <position tendon='t2' kp='4' gear='-1.5'/>"
    "  <motor site='thrust' gear='0.1 0.2 1 0.02 0.03 -0.04'/>"
    "  <motor site='sb' gear='1 0 0.5 0 0.2 0'/>"
    "  <general site='sc' refsite='base' gear='0.5 0.2 1 0 0 0' gainprm='3' biastype='affine' biasprm='0.1 -3 -0.2'/>"
    "  <general site='sc' refsite='base' gear='0 0 0 0.3 -0.5 1' gainprm='0.2' biastype='affine' biasprm='0 -0.2 "
    "-0.05'/>"
    "  <general site='sb' refsite='tilted' gear='0 1 0 0.3 0 0.2' gainprm='0.3' biastype='affine' biasprm='0 -0.1 "
    "-0.05'/>"
    "  <general site='thrust' refsite='tilted' gear='1 1 0.5 0 0 0' gainprm='0.3' biastype='affine' biasprm='0 -0.1 "
    "-0.05'/>"
    "  <motor cranksite='crank' slidersite='slider' cranklength='0.8' gear='2'/>"
    "  <general cranksite='crank' slidersite='slider' cranklength='0.1' gear='0.5' biastype='affine' biasprm='0 -1 0'/>"
    "  <damper joint='hinge' kv='0.3' ctrlrange='0 1'/>"
    "  <general joint='slide' gaintype='affine' gainprm='1 0.5 -0.3' biastype='affine' biasprm='0.2 0.1 -0.4'/>"
    "  <general joint='hinge' dyntype='integrator' gainprm='2' actlimited='true' actrange='-0.3 0.6'/>"
    "  <general joint='track' dyntype='filter' dynprm='0.05' gainprm='3' biastype='affine' biasprm='0 -3 0'/>"
    "  <cylinder joint='slide' timeconst='0.2' area='0.1' bias='0.1 -0.2 -0.3'/>"
    "  <intvelocity joint='hinge' kp='3' actrange='-1 1'/>"
    "</actuator></mujoco>";

/* Springs and dampers by time constant, armature, equality constraints to be completed. */
static const char RATIOS[] =
    "<mujoco><compiler angle='radian'/><option timestep='0.001' gravity='0 0 -3'><flag limit='disable'/></option>"
    "<worldbody><body name='a' pos='0 0 1'><joint name='j1' axis='0 1 0' springdamper='0.3 0.7' armature='0.1'/>"
    "  <geom type='capsule' size='0.05 0.2' pos='0 0 0.3'/>"
    "  <body name='b' pos='0 0 0.5'><joint name='j2' type='ball' springdamper='0.2 1'/>"
    "    <geom type='box' size='0.1 0.05 0.03' pos='0.1 0 0'/></body></body>"
    "<body name='c' pos='1 0 1'><joint name='j3' type='slide' axis='1 0 0' springdamper='0.5 0.4'/>"
    "  <joint name='j4' type='slide' axis='0 0 1'/><geom type='sphere' size='0.1'/></body>"
    "<body name='d' pos='2 0 1' euler='0.1 0.2 0.3'><joint type='free' name='j5' springdamper='0.6 0.5'/>"
    "  <geom type='box' size='0.1 0.05 0.03' pos='0.1 0 0'/></body>"
    "</worldbody><equality><connect body1='b' body2='d' anchor='0.1 0.2 0.3'/><weld body1='a' body2='d'/>"
    "<weld body1='d'/><connect body1='c' anchor='0 0 0.1'/><joint joint1='j3' joint2='j4' polycoef='0 2 0 0 "
    "0'/></equality>"
    "</mujoco>";

/* No gravity and no clamps by flags. */
static const char FLAGS[] =
    "<mujoco><compiler angle='radian'/><option timestep='0.002'><flag gravity='disable' "
    "clampctrl='disable'/></option><worldbody>"
    "<body pos='0 0 1'><joint name='j' axis='0 1 0' damping='0.3' stiffness='3'/><geom size='0.1' pos='0.2 0 0'/>"
    "  <body pos='0.4 0 0'><joint axis='1 1 0' damping='0.2'/><geom type='box' size='0.1 0.05 0.03' pos='0 0 "
    "0.1'/></body>"
    "</body></worldbody><actuator><motor joint='j' ctrllimited='true' ctrlrange='-0.1 0.1'/></actuator></mujoco>";

const PeerText PEER_TEXTS[] = {
    {"joints", JOINTS}, {"actuators", ACTUATORS}, {"ratios", RATIOS}, {"flags", FLAGS}, {0, 0},
};

const char *const PEER_ROBOTS[] = {
    "models/ant.xml",
    "models/atlas.xml",
    "models/box.xml",
    "models/cartpole.xml",
    "models/catapult.xml",
    "models/double_cartpole.xml",
    "models/double_pendulum.xml",
    "models/half_cheetah.xml",
    "models/hopper.xml",
    "models/humanoid.xml",
    "models/jumpworm.xml",
    "models/panda.xml",
    "models/pendulum.xml",
    "models/quadrotor.xml",
    "models/quadruped.xml",
    "models/xarm6.xml",
    0,
};
