"""The wheel: CMake compiles the libraries and the extension; models come along for the environments."""

import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
OFF = ("TACTUS_TESTS", "TACTUS_BENCH", "TACTUS_CLI", "TACTUS_EXAMPLES")


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        build = pathlib.Path(self.build_temp).resolve() / "cmake"
        options = [f"-D{word}=OFF" for word in OFF]
        options += ["-DTACTUS_PYTHON=ON", "-DTACTUS_PYTHON_WHEEL=ON", f"-DTACTUS_PYTHON_PROGRAM={sys.executable}"]
        options += ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O3", "-G", "Ninja"]
        subprocess.run(["cmake", "-S", ROOT, "-B", build, *options], check=True)
        jobs = str(os.cpu_count() or 2)
        subprocess.run(["cmake", "--build", build, "--target", "tactus_python", "-j", jobs], check=True)
        package = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve().parent
        package.mkdir(parents=True, exist_ok=True)
        shutil.copy2(build / "python/tactus/_core.abi3.so", package)
        for folder, name in (("src", "libtactus.so.0.1"), ("io", "libtactus_io.so.0.1")):
            shutil.copy2(build / folder / name, package)
        shutil.copytree(ROOT / "models", package / "models", dirs_exist_ok=True)


setup(
    ext_modules=[Extension("tactus._core", sources=[], py_limited_api=True)],
    cmdclass={"build_ext": CMakeBuild},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
