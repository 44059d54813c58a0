# SPDX-License-Identifier: Apache-2.0
# Shared by app/run and tests/run, which source it from the top of the project: installs what is missing, configures, builds.

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }

install_packages() {
  local wanted missing
  wanted=$(grep -v '^#' .ci/packages.txt)
  # dpkg-query fails when it has never heard of one of them: on every fresh machine.
  # shellcheck disable=SC2086
  missing=$({ dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $wanted 2>/dev/null || true; } | awk '$1 == "ii" {print $2}' | sort -u |
    comm -13 - <(printf '%s\n' $wanted | sort -u))
  [ -n "$missing" ] || return 0
  say "Installing packages: $(echo $missing)"
  local root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "These packages are missing and there is no sudo; as root: apt-get install $(echo $missing)" >&2; exit 1; }
    root=(sudo)
  fi
  # The lists may be absent or old: only then are they fetched first.
  if ! "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; then
    "${root[@]}" apt-get update
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
  fi
}

# build TARGET...: all targets without one.
build() {
  if [ ! -f build/build.ninja ]; then
    say "Configuring into build/"
    cmake --preset release
  fi
  # One more than there are processors: some of them wait for files, or for the last of a group.
  local jobs=$(($(nproc) + 1))
  say "Building ($jobs jobs)"
  # GCC now and then cannot map the views' precompiled header where it wants it; a second try finds the place free.
  cmake --build --preset release --parallel "$jobs" ${1:+--target "$@"} ||
    cmake --build --preset release --parallel "$jobs" ${1:+--target "$@"}
}
