# Sourced by the launchers in the folder above, with their own folder in $here: what a machine lacks that has next to nothing
# installed is taken from this folder.

# Libraries that are the system's where it has them.
for folder in "$here"/lib/bundled/if_missing/*; do
  name=${folder##*/}
  if ! /sbin/ldconfig -p 2>/dev/null | grep -q "[[:space:]]$name .*x86-64\|[[:space:]]$name .*AArch64"; then
    LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export LD_LIBRARY_PATH
  fi
done

# The system's fonts and those of this folder.
if [ -z "${FONTCONFIG_FILE:-}" ]; then
  export FONTCONFIG_FILE="$here/share/tensorloupe/fonts.conf"
fi
if [ ! -d /usr/share/X11/xkb ] && [ -z "${XKB_CONFIG_ROOT:-}" ]; then
  export XKB_CONFIG_ROOT="$here/share/tensorloupe/xkb"
fi
