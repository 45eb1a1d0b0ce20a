#!/usr/bin/env bash
# install.sh: the agents for the tests, by name and exact version from the npm registry that this machine is set up for,
# into the project's ignored .e2e/agents/. Nothing is installed elsewhere, and no package's script is run.
# With WHEREFORE_AGENTS=newest the newest version of each, into .e2e/newest/: the tests run those with the same variable set.
# .e2e/agents/bin/NAME runs each; a name that is not there could not be had, and the last lines say so. A second run
# finds what the first one made.
set -euo pipefail
cd "$(dirname "$0")/../.."
recipes=$PWD/tests/agents/recipes
set=${WHEREFORE_AGENTS:-agents}
mkdir -p ".e2e/$set/bin"
cd ".e2e/$set"
home=$PWD

case $(uname -m) in
  x86_64) arch=x64 ;;
  aarch64) arch=arm64 ;;
  *) echo "install: no agent is packed for $(uname -m)" >&2; exit 1 ;;
esac
command -v npm >/dev/null || { echo "install: npm is missing" >&2; exit 1; }

# name | package | what runs, in node_modules | how: by itself, or by the Node of the first line; lean, by Node and without
# the agent that it could bring along: it is given the one from here. The agents' lines are in their recipes.
agents=$(sed -n 's|^//! install: ||p' "$recipes"/*.rs)
packages="
node|node-linux-$arch@24.21.0|node-linux-$arch/bin/node|itself
inspector|@modelcontextprotocol/inspector@2.12.0|@modelcontextprotocol/inspector/clients/launcher/build/index.js|node
conformance|@modelcontextprotocol/conformance@0.2.0-alpha.12|@modelcontextprotocol/conformance/dist/index.js|node
acp-sdk|@agentclientprotocol/sdk@2.4.0|@agentclientprotocol/sdk/dist/v1/stable/acp.js|node
claude-acp|@agentclientprotocol/claude-agent-acp@0.101.0|@agentclientprotocol/claude-agent-acp/dist/index.js|lean
codex-acp|@agentclientprotocol/codex-acp@2.6.0|@agentclientprotocol/codex-acp/dist/index.js|lean
${agents//ARCH/$arch}
"

# The newest version of a package, with the platform behind it where the named one has it there.
newest() {
  local package=$1
  local name=${package%@*} version=${package##*@} end=
  case $version in *-linux-*) end=-linux-${version##*-linux-} ;; esac
  version=$(npm view "$name" version 2>/dev/null) || return
  echo "$name@$version$end"
}

# Installs one, unless this very version stands there already.
install() {
  local name=$1 package=$2 path=$3 how=$4
  [ -x "bin/$name" ] && [ "$(cat "$name/version" 2>/dev/null)" = "$package" ] && return
  rm -rf "$name" "bin/$name"
  mkdir -p "$name"
  echo '{"private":true}' >"$name/package.json"
  local omit=()
  [ "$how" = lean ] && omit=(--omit=optional)
  (cd "$name" && npm install "${omit[@]}" --ignore-scripts --no-save --no-audit --no-fund --loglevel=error "$package" >npm.log 2>&1) || return
  local program
  # shellcheck disable=SC2012,SC2086 # the path is a glob, and prints nothing where it matches nothing
  program=$(cd "$name/node_modules" && ls -d $path 2>/dev/null | head -n 1)
  [ -n "$program" ] || return
  program=$home/$name/node_modules/$program
  if [ "$how" != itself ]; then
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$home/bin/node" "$program" >"bin/$name"
  else
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >"bin/$name"
  fi
  chmod +x "bin/$name"
  echo "$package" >"$name/version"
}

if [ "$set" = newest ]; then
  packages=$(while IFS='|' read -r name package path how; do
    if grep -q "^$name|" <<<"$agents"; then package=$(newest "$package"); fi
    echo "$name|$package|$path|$how"
  done <<<"$packages")
fi

while IFS='|' read -r name package path how; do
  [ -n "$name" ] && install "$name" "$package" "$path" "$how" </dev/null &
done <<<"$packages"
wait

# What runs on this machine; the others are taken out again.
while IFS='|' read -r name package _; do
  [ -n "$name" ] || continue
  if [ -x "bin/$name" ] && { [ -e "$name/works" ] || HOME=$home/$name timeout 60 "bin/$name" --version >"$name/works.log" 2>&1 </dev/null; }; then
    touch "$name/works"
  else
    rm -rf "$name/version" "bin/$name"
    echo "install: $package could not be had, or does not run here (.e2e/$set/$name/*.log)"
  fi
done <<<"$packages"
