import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Programs that would reach through to the kernel of this machine. */
const shimmed = [
  'getenforce',
  'ip',
  'lsmod',
  'modprobe',
  'setenforce',
  'swapoff',
  'swapon',
  'sysctl',
  'systemctl',
  'ufw',
];

/**
 * Writes stand-ins for the programs that act on the kernel, which a sandbox shares with its machine. They keep their
 * state in files, write down what they were called with (`calls`), and fail on demand: by a line `modprobe` or
 * `modprobe:overlay` in the file `fail`.
 */
export async function writeShims(folder: string, state: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await mkdir(join(state, 'sysctl'), { recursive: true });
  await mkdir(join(state, 'active'), { recursive: true });
  for (const name of ['modules', 'swaps', 'calls', 'fail']) await writeFile(join(state, name), '', { flag: 'a' });
  const program = join(folder, '.shim');
  await writeFile(program, shimProgram);
  await chmod(program, 0o755);
  for (const name of shimmed)
    await symlink('.shim', join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
}

const shimProgram = `#!/bin/bash
set -u
unset BASH_ENV
name=\${0##*/}
state=/run/byoh-agent/shim
printf '%s\\n' "$name $*" >>"$state/calls"
if grep -qxF -e "$name" -e "$name:\${1:-}" "$state/fail"; then
  echo "$name: fails on demand" >&2
  exit 1
fi

set_module() { grep -q "^$1 " "$state/modules" || echo "$1 16384 0 - Live 0x0000000000000000" >>"$state/modules"; }
drop_line() { local rest; rest=$(grep -v "$1" "$2"); if [ -n "$rest" ]; then printf '%s\\n' "$rest" >"$2"; else : >"$2"; fi; }

case $name in
  modprobe)
    if [ "\${1:-}" = -r ] || [ "\${1:-}" = -rq ]; then drop_line "^$2 " "$state/modules"; else set_module "\${1:-}"; fi
    ;;
  getenforce) cat "$state/selinux" 2>/dev/null || echo Disabled ;;
  setenforce) if [ "$1" = 1 ]; then echo Enforcing; else echo Permissive; fi >"$state/selinux" ;;
  lsmod) echo 'Module Size Used by'; cat "$state/modules" ;;
  swapoff) : >"$state/swaps" ;;
  swapon)
    case "\${1:-}" in
      --noheadings | --show*) cat "$state/swaps" ;;
      -a) sed -nE 's/^([^#[:space:]]+)[[:space:]]+[^[:space:]]+[[:space:]]+swap([[:space:]].*)?$/\\1/p' /etc/fstab >"$state/swaps" ;;
      *) grep -qxF "$1" "$state/swaps" || printf '%s\\n' "$1" >>"$state/swaps" ;;
    esac
    ;;
  ufw)
    case "$*" in
      status) echo "Status: $(cat "$state/ufw" 2>/dev/null || echo inactive)" ;;
      disable) echo inactive >"$state/ufw" ;;
      *enable) echo active >"$state/ufw" ;;
    esac
    ;;
  sysctl)
    put() { printf '%s\\n' "$2" >"$state/sysctl/$1"; }
    case "\${1:-}" in
      -n) cat "$state/sysctl/$2" 2>/dev/null ;;
      -w) put "\${2%%=*}" "\${2#*=}" ;;
      --system)
        cat /etc/sysctl.d/*.conf 2>/dev/null | sed -nE 's/^[[:space:]]*([A-Za-z0-9_.-]+)[[:space:]]*=[[:space:]]*(.*)$/\\1 \\2/p' |
          while read -r key value; do put "$key" "$value"; done
        ;;
    esac
    ;;
  systemctl)
    unit=\${2:-}
    case "\${1:-}" in
      start | restart) touch "$state/active/$unit" ;;
      stop) rm -f "$state/active/$unit" ;;
      is-active) if [ -e "$state/active/$unit" ]; then echo active; else echo inactive; exit 3; fi ;;
      daemon-reload) ;;
      *)
        PATH=/usr/sbin:/usr/bin:/sbin:/bin
        if command -v systemctl >/dev/null; then SYSTEMD_OFFLINE=1 exec systemctl "$@"; fi
        link=/etc/systemd/system/multi-user.target.wants/$unit.service
        case "$1" in
          enable) mkdir -p "\${link%/*}" && ln -sf "/etc/systemd/system/$unit.service" "$link" ;;
          disable) rm -f "$link" ;;
          is-enabled) if [ -L "$link" ]; then echo enabled; else echo disabled; exit 1; fi ;;
        esac
        ;;
    esac
    ;;
esac
`;
