/**
 * The prologue of both scripts: where and how they record changes. A record is written before its change, and only
 * once: the original state is known to the first run alone. So a script may be killed anywhere, and run again any
 * number of times.
 */
export const stateFunctions = `set -uo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
umask 022
state=/var/lib/byoh/state/k8s

say() { printf 'byoh: %s\\n' "$*"; }
warn() { printf 'byoh: %s\\n' "$*" >&2; }
die() { warn "$*"; exit 1; }
step() { say "step $1: $2"; }
must() {
  local code
  "$@" && return 0
  code=$?
  die "failed with exit code $code: $*"
}

# edit FILE EXPRESSION: changes a file by an expression of sed, as a whole or not at all.
edit() {
  cp -a "$1" "$1.byoh" && sed -E "$2" "$1" >"$1.byoh" && mv -f "$1.byoh" "$1" && return 0
  rm -f "$1.byoh"
  warn "cannot change $1"
  return 1
}
`;

/** Only for installing: notes. */
export const noteFunctions = `
# note NAME: keeps standard input, unless an earlier run has.
note() {
  if [ -e "$state/$1" ]; then cat >/dev/null; return 0; fi
  { cat >"$state/.note" && mv -f "$state/.note" "$state/$1"; } || die "cannot write $state/$1"
}

# note_dirs NAME PATH: adds to NAME the folders that PATH needs and that are not there.
note_dirs() {
  local path=$2 missing=
  while [ "$path" != / ] && [ ! -e "$path" ]; do
    missing="$path
$missing"
    path=$(dirname "$path")
  done
  [ -z "$missing" ] || printf '%s' "$missing" >>"$state/$1" || die "cannot write $state/$1"
}

make_dir() {
  note_dirs dirs "$1"
  must mkdir -p "$1"
}

# members ARCHIVE: the names in it, as paths from the root; folders end with a slash.
members() {
  tar -tf "$1" --quoting-style=escape >"$state/.members" || die "$1 cannot be read"
  if grep -Eq '\\\\|(^|/)\\.\\.(/|$)' "$state/.members"; then die "$1 has names that no package should have"; fi
  sed -E 's#^(\\./)*#/#; s#/(\\./)+#/#g; s#//+#/#g; /^\\/\\.?$/d' "$state/.members" || die "$1 cannot be read"
}

# unpack ARCHIVE NAME: unpacks it at the root, after a note of what is new and a copy of what is not.
unpack() {
  local path parent count=0
  if [ ! -e "$state/$2.noted" ]; then
    rm -rf "$state/$2.files" "$state/$2.dirs" "$state/$2.kept" "$state/$2.backup"
    must mkdir "$state/$2.backup"
    must touch "$state/$2.files" "$state/$2.dirs" "$state/$2.kept"
    members "$1" >"$state/.paths" || exit 1
    while IFS= read -r path; do
      case $path in
        */) note_dirs "$2.dirs" "\${path%/}" ;;
        *)
          parent=$(dirname "$path")
          note_dirs "$2.dirs" "$parent"
          if [ -e "$path" ] || [ -L "$path" ]; then
            [ ! -d "$path" ] || [ -L "$path" ] || die "$path is a folder here and a file in $1"
            count=$((count + 1))
            must cp -a "$path" "$state/$2.backup/$count"
            printf '%s\\n' "$path" >>"$state/$2.kept" || die "cannot write $state/$2.kept"
          else
            printf '%s\\n' "$path" >>"$state/$2.files" || die "cannot write $state/$2.files"
          fi
          ;;
      esac
    done <"$state/.paths"
    must touch "$state/$2.noted"
  fi
  must tar -xf "$1" -C / --no-same-owner --keep-directory-symlink --no-overwrite-dir
}

# place PATH: writes standard input there, noted as an archive with this one file.
place() {
  local path=$1 name=$2
  note_dirs "$name.dirs" "$(dirname "$path")"
  touch "$state/$name.dirs" "$state/$name.kept" || die "cannot write to $state"
  printf '%s\\n' "$path" | note "$name.files" || exit 1
  note "$name.noted" </dev/null
  must mkdir -p "$(dirname "$path")"
  cat >"$path" || die "cannot write $path"
}
`;
