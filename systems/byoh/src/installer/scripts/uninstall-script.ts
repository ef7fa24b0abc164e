import { type PackageSystem, packageScripts } from './package-system.ts';
import { stateFunctions } from './state-functions.ts';

/**
 * The script that undoes the other one: exactly the recorded changes, in reverse order. Each record is removed when it
 * is undone, so an interrupted run can be resumed. A change that cannot be undone keeps its record, and the exit code
 * reports it.
 */
export function uninstallScript(packages: PackageSystem): string {
  const system = packageScripts[packages];
  return `#!/bin/bash
# Takes Kubernetes off this host: whatever was changed is as it was before. It may be run again.
bundles='{{.BundleDownloadPath}}'
${stateFunctions}
[ -d "$state" ] || { say "nothing to undo below $state (bundles would be in $bundles)"; exit 0; }
failed=0
attempt() {
  "$@" && return 0
  warn "failed with exit code $?: $*"
  failed=1
  return 1
}
forget() { rm -rf "\${@/#/$state/}"; }
was() { sed -n "$1p" "$state/service" 2>/dev/null; }

# remove_dirs NAME: those that were made and are empty, the innermost first.
remove_dirs() {
  [ -e "$state/$1" ] || return 0
  tac "$state/$1" | while IFS= read -r path; do
    [ ! -d "$path" ] || [ -L "$path" ] || rmdir --ignore-fail-on-non-empty "$path"
  done
}

# put_back NAME: takes away what an archive brought, and brings back what was in its place.
put_back() {
  local path count=0 ok=0
  if [ -e "$state/$1.noted" ]; then
    while IFS= read -r path; do attempt rm -f "$path" || ok=1; done <"$state/$1.files"
    while IFS= read -r path; do
      count=$((count + 1))
      attempt cp -a --remove-destination "$state/$1.backup/$count" "$path" || ok=1
    done <"$state/$1.kept"
    remove_dirs "$1.dirs"
  fi
  [ "$ok" != 0 ] || forget "$1.noted" "$1.files" "$1.dirs" "$1.kept" "$1.backup"
}

step 11 'stop containerd'
if [ -e "$state/service" ] && [ "$(was 2)" != active ]; then systemctl stop containerd >/dev/null 2>&1; fi
if [ -e "$state/service" ] && [ "$(was 1)" != enabled ] && [ "$(systemctl is-enabled containerd 2>/dev/null)" = enabled ]; then
  attempt systemctl disable containerd
fi

step 10 'remove containerd'
put_back proxy
put_back containerd
if [ -e "$state/service" ]; then
  attempt systemctl daemon-reload
  if [ "$(was 2)" = active ]; then attempt systemctl restart containerd; fi
  forget service
fi

step 9 'remove packages'
${system.release}noted=()
for file in $(grep -H '' "$state"/package.* 2>/dev/null | sort -t: -k2,2nr | cut -d: -f1); do
  noted+=("\${file##*/package.}")
done
here=()
for package in "\${noted[@]}"; do
  if is_here "$package"; then here+=("$package"); fi
done
gone=1
[ "\${#here[@]}" = 0 ] || ${system.remove} || gone=0
for package in "\${noted[@]}"; do
  [ "$gone" = 1 ] || ! is_here "$package" || continue
  ${system.removed}
  forget "package.$package"
done

step 8 'restore the configuration of the kernel'
put_back conf
if [ -e "$state/sysctls" ]; then
  while IFS= read -r setting; do
    sysctl -w "$setting" >/dev/null 2>&1 || warn "could not set $setting"
  done <"$state/sysctls"
  forget sysctls
fi

step 7 'unload modules'
for module in br_netfilter overlay; do
  [ -e "$state/module.$module" ] || continue
  if lsmod | grep "^$module " >/dev/null; then
    modprobe -r "$module" || warn "the module $module is in use and stays until the next start"
  fi
  forget "module.$module"
done

step 6 'restore the firewall'
${system.restore}
step 5 'restore fstab'
rm -f /etc/.fstab.byoh
if [ -e "$state/fstab.before" ]; then
  if cmp -s /etc/fstab "$state/fstab.before"; then
    forget fstab.before fstab.after
  elif cmp -s /etc/fstab "$state/fstab.after"; then
    { attempt cp -a "$state/fstab.before" /etc/.fstab.byoh && attempt mv -f /etc/.fstab.byoh /etc/fstab; } &&
      forget fstab.before fstab.after
  else
    # It was edited since: only the lines that were switched off come back.
    attempt cp -a /etc/fstab /etc/.fstab.byoh &&
      awk 'FNR == 1 { part++ }
        part == 1 { before[FNR] = $0; next }
        part == 2 { if ($0 != before[FNR]) off[$0]++; next }
        off[$0] > 0 { off[$0]--; print substr($0, 2); next }
        { print }' "$state/fstab.before" "$state/fstab.after" /etc/fstab >/etc/.fstab.byoh &&
      attempt mv -f /etc/.fstab.byoh /etc/fstab && forget fstab.before fstab.after
  fi
fi

step 4 'switch swap on'
if [ -e "$state/swaps" ]; then
  ok=0
  while IFS= read -r device; do
    swapon --noheadings --show=NAME | grep -xF "$device" >/dev/null || attempt swapon "$device" || ok=1
  done <"$state/swaps"
  [ "$ok" != 0 ] || forget swaps
fi

step 2 'remove the bundle'
if [ -e "$state/bundle" ]; then
  bundle=$(cat "$state/bundle")
  case $bundle in
    /*/*) attempt rm -rf "$bundle" && remove_dirs dirs && forget bundle dirs fetched complete ;;
    *) warn "$state/bundle makes no sense"; failed=1 ;;
  esac
fi

if [ "$failed" = 0 ]; then
  rm -rf "$state"
  rmdir --ignore-fail-on-non-empty /var/lib/byoh/state /var/lib/byoh 2>/dev/null
  say 'this host is as it was before'
fi
exit "$failed"
`;
}
