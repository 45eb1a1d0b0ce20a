# shellcheck shell=bash
# Sourced from the repository's folder: installs Debian packages that the machine lacks.

# Runs a command as root; fails where that is not allowed.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; elif sudo -n true 2>/dev/null; then sudo -n "$@"; else return 1; fi
}

# Installs the Debian package of a missing program. Fails, and says so, where the package cannot be installed.
want() {
  local program=$1 package=${2:-$1}
  command -v "$program" >/dev/null && return
  command -v apt-get >/dev/null && as_root sh -c \
    "apt-get install -qq -y $package || { apt-get update -qq && apt-get install -qq -y $package; }" \
    </dev/null >.e2e/apt.log 2>&1 && return
  echo "skipped: $program is missing and could not be installed: what needs it is left out"
  return 1
}
