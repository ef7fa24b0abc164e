import { shellQuote } from '../runtime/terminal.ts';

/**
 * Turns a fresh set of namespaces into a container, in POSIX shell. Two parts, because the first is privileged and must
 * trust everything it runs, and the second belongs to the container already.
 *
 * Both talk on descriptor 4, a line per fact: `pid N` (as the host counts), `error TEXT`, `started`. The container's
 * own variables come on descriptor 3, as a script: they must not be there while anything privileged runs, or LD_PRELOAD
 * would be a way out; and they are not in arguments, which all users of the machine may read.
 */

/**
 * Arguments: the program that becomes the container. Runs outside of it, waits for it, and ends as it did. `unshare`
 * could do this too, but widespread versions of it lose the signal that ended the container, and print errors on its
 * standard error. The text behind the program keeps shells from becoming it: the first process they start is the first
 * of the container.
 */
export const waitScript = `
exec 5>&2 2>/dev/null
"$@" 2>&5 5>&-
exit $?
`;

/**
 * Arguments: the folder of the container, its hostname, the cgroups to join (colon separated), the words that run
 * `umount` inside (space separated), then what to run inside. All mounts are done by one process from a file. The old
 * root is unmounted before anything of the container runs.
 */
export const setupScript = `
dir=$1 hostname=$2 cgroups=$3 umount=$4
shift 4
read -r pid rest </proc/self/stat
printf 'pid %s\\n' "$pid" >&4
fail() {
  printf 'error %s\\n' "$1" >&4
  exit 128
}
IFS=:
for cgroup in $cgroups; do
  echo 0 >"$cgroup/cgroup.procs" || fail "cannot join the cgroup $cgroup"
done
unset IFS
if [ -n "$hostname" ]; then
  { echo "$hostname" >/proc/sys/kernel/hostname; } 2>/dev/null || hostname -- "$hostname" 2>/dev/null
fi
if ! mount --no-canonicalize --fstab "$dir/fstab" --all 2>"$dir/setup.err"; then
  read -r line <"$dir/setup.err"
  fail "$line"
fi
while read -r check && read -r target; do
  case $check in
  point)
    found=
    while read -r id parent device root point rest; do
      [ "$point" != "$target" ] || found=1
    done </proc/self/mountinfo
    [ -n "$found" ] || fail "the mount point $target was replaced by a link"
    ;;
  *)
    [ "$target" -ef "$check" ] || fail "what is to be mounted at $target was replaced by something else"
    ;;
  esac
done <"$dir/verify"
cd "$dir/root" || fail "cannot enter the root"
{ pivot_root . . && $umount -l . && cd /; } 2>/dev/null || fail "cannot change the root"
exec "$@"
`;

/**
 * Arguments: the working directory, then the program and its arguments. Looks the program up itself, because a shell would
 * report a missing one only by an exit code that programs use too.
 */
export const enterScript = `
unset PWD OLDPWD SHLVL _
. /proc/self/fd/3
exec 3<&-
fail() {
  printf 'error %s\\n' "$1" >&4
  exit 128
}
cd -- "$1" 2>/dev/null || fail "chdir to cwd (\\"$1\\") set in config.json failed: $([ -e "$1" ] && echo permission denied || echo no such file or directory)"
shift
case $1 in
*/*)
  [ -e "$1" ] || fail "exec: \\"$1\\": stat $1: no such file or directory"
  [ ! -d "$1" ] || fail "exec: \\"$1\\": is a directory"
  [ -x "$1" ] || fail "exec: \\"$1\\": permission denied"
  # An image's root may lack what runs the script.
  if ! [ -e /bin/sh ] && [ -r "$1" ] && IFS= read -r __line <"$1"; then
    case $__line in
    '#!'*)
      __line=\${__line#'#!'}
      __line=\${__line#\${__line%%[! ]*}}
      [ -e "\${__line%% *}" ] || fail "exec: \\"$1\\": stat $1: no such file or directory"
      ;;
    esac
  fi
  unset __line
  ;;
*)
  __found=
  __denied=
  IFS=:
  for __folder in $PATH; do
    if [ -f "$__folder/$1" ]; then
      if [ -x "$__folder/$1" ]; then
        __found=1
        break
      fi
      __denied=1
    fi
  done
  unset IFS
  [ -n "$__found" ] || [ -z "$__denied" ] || fail "exec: \\"$1\\": permission denied"
  [ -n "$__found" ] || fail "exec: \\"$1\\": executable file not found in \\$PATH"
  unset __found __denied __folder
  ;;
esac
echo started >&4
run "$@"
`;

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names that shells use themselves, or refuse to set. */
const shellNames = new Set(
  [
    'IFS',
    'PPID',
    'UID',
    'EUID',
    'PWD',
    'OLDPWD',
    'OPTIND',
    'OPTARG',
    'SHELLOPTS',
    'BASHOPTS',
    'BASH_VERSINFO',
    '_',
  ].concat([
    'PS1',
    'PS2',
    'PS4',
    'ENV',
    'BASH_ENV',
    'SHLVL',
    'LINENO',
    'RANDOM',
    'SECONDS',
    'GROUPS',
    'DIRSTACK',
    'FUNCNAME',
  ]),
);

/** Variables as a script for descriptor 3. Those that no shell can hold as they are, are set by `env` at the end. */
export function environmentScript(env: ReadonlyMap<string, string>): string {
  let script = '';
  const odd: string[] = [];
  for (const [name, value] of env) {
    if (identifier.test(name) && !shellNames.has(name)) script += `export ${name}=${shellQuote(value)}\n`;
    else odd.push(shellQuote(`${name}=${value}`));
  }
  const prefix = odd.length > 0 ? `env ${odd.join(' ')} ` : '';
  return `${script}run() {\n  exec ${prefix}"$@" 4>&-\n}\n`;
}
