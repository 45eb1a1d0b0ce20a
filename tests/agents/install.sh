#!/usr/bin/env bash
# install.sh: the agents for the tests, by name and exact version from the npm registry that this machine is set up for,
# into the project's ignored .e2e/agents/. Nothing is installed elsewhere, and no package's script is run.
# .e2e/agents/bin/NAME runs each; a name that is not there could not be had, and the last lines say so. A second run
# finds what the first one made.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p .e2e/agents/bin
cd .e2e/agents
home=$PWD

case $(uname -m) in
  x86_64) arch=x64 ;;
  aarch64) arch=arm64 ;;
  *) echo "install: no agent is packed for $(uname -m)" >&2; exit 1 ;;
esac
command -v npm >/dev/null || { echo "install: npm is missing" >&2; exit 1; }

# name | package | what runs, in node_modules | how: by itself, or by the Node of the first line; lean, by Node and without
# the agent that it could bring along: it is given the one from here
packages="
node|node-linux-$arch@24.21.0|node-linux-$arch/bin/node|itself
claude|@anthropic-ai/claude-code-linux-$arch@2.1.330|@anthropic-ai/claude-code-linux-$arch/claude|itself
codex|@openai/codex@0.169.0-linux-$arch|@openai/codex/vendor/*/bin/codex|itself
opencode|opencode-linux-$arch@1.18.33|opencode-linux-$arch/bin/opencode|itself
gemini|@google/gemini-cli@0.61.0|@google/gemini-cli/bundle/gemini.js|node
qwen|@qwen-code/qwen-code@0.24.4|@qwen-code/qwen-code/cli-entry.js|node
copilot|@github/copilot@1.0.102|@github/copilot-linux-$arch/copilot|itself
inspector|@modelcontextprotocol/inspector@2.12.0|@modelcontextprotocol/inspector/clients/launcher/build/index.js|node
conformance|@modelcontextprotocol/conformance@0.2.0-alpha.12|@modelcontextprotocol/conformance/dist/index.js|node
acp-sdk|@agentclientprotocol/sdk@2.4.0|@agentclientprotocol/sdk/dist/v1/stable/acp.js|node
claude-acp|@agentclientprotocol/claude-agent-acp@0.101.0|@agentclientprotocol/claude-agent-acp/dist/index.js|lean
codex-acp|@agentclientprotocol/codex-acp@2.6.0|@agentclientprotocol/codex-acp/dist/index.js|lean
"

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
    echo "install: $package could not be had, or does not run here (.e2e/agents/$name/*.log)"
  fi
done <<<"$packages"
