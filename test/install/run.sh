#!/bin/sh
# Installs the build tree into a scratch folder and uses it as a stranger would: pkg-config, find_package, the command.
# Manual pages, models and examples come along. Also: the shared libraries export tac_* alone and carry a version. Arguments: build tree, source tree, C compiler.
set -eu
build=$1
source=$2
compiler=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
model=$source/models/pendulum.xml
expected='tactus 0.1.0 nv=1 mass=2'

fail() {
    echo "install test: $*" >&2
    exit 1
}

cmake --install "$build" --prefix "$prefix" >"$scratch/install.log" || fail "cmake --install failed"
libdir=$(dirname "$(find "$prefix" -name 'libtactus.so')")
export LD_LIBRARY_PATH="$libdir"

# With pkg-config.
export PKG_CONFIG_PATH="$libdir/pkgconfig"
# shellcheck disable=SC2046 # flags are words
"$compiler" -std=c17 "$source/test/install/client/main.c" -o "$scratch/client" \
    $(pkg-config --cflags --libs tactus_io tactus)
"$scratch/client" "$model" >"$scratch/out" || fail "the program made with pkg-config failed"
grep -q "$expected" "$scratch/out" || fail "unexpected output: $(cat "$scratch/out")"
grep -q 'loaded nq=1' "$scratch/out" || fail "the model was not loaded: $(cat "$scratch/out")"

# With find_package.
cmake -G Ninja -S "$source/test/install/client" -B "$scratch/made" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$compiler" >"$scratch/configure.log" 2>&1 || { cat "$scratch/configure.log"; fail "find_package failed"; }
cmake --build "$scratch/made" >"$scratch/make.log" 2>&1 || { cat "$scratch/make.log"; fail "the client does not build"; }
"$scratch/made/client" "$model" | grep -q "$expected" || fail "the program made with find_package failed"

# The command line, from the installed place.
"$prefix/bin/tactus" --version | grep -q '0\.1\.0' || fail "the installed command does not tell its version"

# Manual pages of every verb, whose words are those of its help.
pages=$prefix/share/man/man1
"$prefix/bin/tactus" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -v -e '^help$' -e '^version$' >"$scratch/verbs"
[ "$(wc -l <"$scratch/verbs")" -ge 12 ] || fail "tactus help lists few verbs: $(cat "$scratch/verbs")"
while read -r verb; do
    page=$pages/tactus-$verb.1
    [ -s "$page" ] || fail "no manual page of $verb"
    sed "s/\\\\-/-/g" "$pages/tactus.1" | grep -q "tactus-$verb" || fail "tactus.1 does not name $verb"
    "$prefix/bin/tactus" "$verb" --help | grep -o -e '--[a-z][a-z-]*' | sort -u | while read -r word; do
        sed 's/\\-/-/g' "$page" | grep -q -e "$word" || fail "the manual page of $verb lacks $word"
    done
done <"$scratch/verbs"
if command -v groff >/dev/null 2>&1; then
    for page in "$pages"/*.1; do
        wrong=$(groff -man -ww -Tutf8 -z "$page" 2>&1) || fail "groff refuses $page"
        [ -z "$wrong" ] || fail "groff warns about $page: $wrong"
    done
fi

# Models, and examples that build and run where they are installed.
for file in "$source"/models/*; do
    cmp -s "$file" "$prefix/share/tactus/models/$(basename "$file")" || fail "no installed $(basename "$file")"
done
"$prefix/bin/tactus" info "$prefix/share/tactus/models/panda.xml" >/dev/null || fail "an installed model does not load"
cmake -G Ninja -S "$prefix/share/tactus/examples" -B "$scratch/examples" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$compiler" >"$scratch/configure.log" 2>&1 ||
    { cat "$scratch/configure.log"; fail "the examples are no project"; }
cmake --build "$scratch/examples" >"$scratch/make.log" 2>&1 || { cat "$scratch/make.log"; fail "the examples do not build"; }
ctest --test-dir "$scratch/examples" --no-tests=error >"$scratch/test.log" 2>&1 ||
    { cat "$scratch/test.log"; fail "an installed example fails"; }

# A mesh that a program of its own reads: found from the command line and from the library, wherever the tree lies.
if [ -e "$build/tactus-mesh" ]; then
    mkdir "$scratch/moved"
    mv "$prefix" "$scratch/moved/prefix"
    unset TACTUS_MESH_READER
    mesh=$source/test/install/tetrahedron.xml
    "$scratch/moved/prefix/bin/tactus" info "$mesh" >"$scratch/out" 2>&1 || fail "the command finds no mesh reader: $(cat "$scratch/out")"
    LD_LIBRARY_PATH=$scratch/moved${libdir#"$scratch"} "$scratch/client" "$mesh" >"$scratch/out" 2>&1 ||
        fail "the library finds no mesh reader: $(cat "$scratch/out")"
    grep -q 'loaded nq=7' "$scratch/out" || fail "the mesh was not loaded: $(cat "$scratch/out")"
    mv "$scratch/moved/prefix" "$prefix"
    # And by a program elsewhere that uses the libraries where they are built.
    LD_LIBRARY_PATH=$build/io:$build/src "$scratch/client" "$mesh" >"$scratch/out" 2>&1 ||
        fail "the library in its build tree finds no mesh reader: $(cat "$scratch/out")"
fi
if readelf -d "$libdir/libtactus_io.so" | grep -q assimp; then fail "libtactus_io.so is linked with assimp"; fi

# Names and version of the shared libraries.
for name in tactus tactus_io; do
    library=$libdir/lib$name.so
    strange=$(nm -D --defined-only "$library" | awk '$2 ~ /[A-Z]/ && $3 !~ /^tac_/ {print $3}')
    [ -z "$strange" ] || fail "lib$name.so exports $strange"
    [ -e "$library.0.1.0" ] || fail "lib$name.so has no versioned file"
    readelf -d "$library" | grep -q "SONAME.*lib$name.so.0.1\]" || fail "lib$name.so has the wrong SONAME"
done
hidden=$(nm -D --defined-only "$libdir/libtactus.so" | awk '$2 ~ /[A-Z]/ {print $3}' | sort)
for symbol in $hidden; do
    grep -rqw "$symbol" "$prefix/include/tactus" || fail "libtactus.so exports $symbol, which no header declares"
done
nm -D --undefined-only "$libdir/libtactus_io.so" | awk '$2 ~ /^tac_/ {print $2}' | while read -r symbol; do
    echo "$hidden" | grep -qx "$symbol" || fail "libtactus_io.so needs $symbol, which libtactus.so does not export"
done
echo "install test: ok"
