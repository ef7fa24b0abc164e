import { shellQuote } from '../shell-quote.ts';
import { packageScripts } from './package-system.ts';
import { bundleFiles, bundlePackages, proxyDropIn, proxyExports, type ScriptInputs } from './script-inputs.ts';
import { noteFunctions, stateFunctions } from './state-functions.ts';

const programs = 'awk cmp grep imgpkg lsmod modprobe sed swapoff swapon sysctl systemctl tar';

/**
 * The script that installs Kubernetes out of a bundle. Nothing is changed before the bundle is there and complete; each
 * command is checked; what is changed is noted first (see `stateFunctions`).
 */
export function installScript(inputs: ScriptInputs): string {
  const system = packageScripts[inputs.packages];
  return `#!/bin/bash
# Installs Kubernetes on this host. The agent runs it with its parameters; it may be run again.
bundles='{{.BundleDownloadPath}}'
address=${shellQuote(inputs.address)}
bundle="$bundles/$address"
packages='${bundlePackages.map((name) => `${name}.${inputs.packages}`).join(' ')}'
${proxyExports(inputs)}${stateFunctions}${noteFunctions}
step 1 'check the host'
missing=0
for program in ${programs} ${system.programs}; do
  command -v "$program" >/dev/null || { warn "this host has no $program"; missing=1; }
done
[ "$missing" = 0 ] || die 'install what is missing first'
must mkdir -p "$state"

step 2 'fetch the bundle'
printf '%s\\n' "$bundle" | note bundle || exit 1
make_dir "$bundle"
if [ ! -e "$state/fetched" ]; then
  must imgpkg pull -i "$address" -o "$bundle"
fi
for file in ${bundleFiles(inputs.packages).join(' ')}; do
  [ -s "$bundle/$file" ] || die "the bundle $address has no $file"
done
for file in $packages; do
  ${system.readable} || die "the bundle $address has a bad $file"
done
for file in containerd.tar conf.tar; do members "$bundle/$file" >/dev/null || exit 1; done
note fetched </dev/null

step 3 'check the packages'
${system.check}[ "$missing" = 0 ] || die 'install what is missing first'

step 4 'switch swap off'
swapon --noheadings --show=NAME >"$state/.swaps" || die 'cannot list swap devices'
note swaps <"$state/.swaps"
[ ! -s "$state/swaps" ] || must swapoff -a

step 5 'keep swap off'
swap_line='^([^#]*[[:space:]]swap([[:space:]].*)?)$'
if [ -e "$state/fstab.before" ] || { [ -e /etc/fstab ] && grep -Eq "$swap_line" /etc/fstab; }; then
  if [ ! -e "$state/fstab.before" ]; then
    must cp -a /etc/fstab "$state/.fstab"
    sed -E "s/$swap_line/#\\\\1/" "$state/.fstab" >"$state/fstab.after" || die 'cannot read /etc/fstab'
    must mv -f "$state/.fstab" "$state/fstab.before"
  fi
  must cp -a /etc/fstab /etc/.fstab.byoh
  sed -E "s/$swap_line/#\\\\1/" /etc/fstab >/etc/.fstab.byoh || die 'cannot write /etc/.fstab.byoh'
  must mv -f /etc/.fstab.byoh /etc/fstab
fi

step 6 'switch the firewall off'
${system.relax}
step 7 'load modules'
for module in overlay br_netfilter; do
  lsmod | grep "^$module " >/dev/null || note "module.$module" </dev/null
  must modprobe "$module"
done

step 8 'configure the kernel'
members "$bundle/conf.tar" >"$state/.conf" || exit 1
unpack "$bundle/conf.tar" conf
while IFS= read -r path; do
  case $path in
    /etc/sysctl.d/*.conf)
      sed -nE 's/^[[:space:]]*-?([A-Za-z0-9_./-]+)[[:space:]]*=.*$/\\1/p' "$path" | while IFS= read -r key; do
        value=$(sysctl -n "$key" 2>/dev/null) && printf '%s=%s\\n' "$key" "$value"
      done
      ;;
  esac
done <"$state/.conf" >"$state/.sysctls"
note sysctls <"$state/.sysctls"
must sysctl --system >/dev/null

step 9 'install packages'
number=0 files=() held=()
for file in $packages; do
  number=$((number + 1))
  package=$(package_of "$file")
  if [ ! -e "$state/package.$package" ] && is_installed "$package"; then
    say "$package was here already and stays"
    continue
  fi
  ${system.prepare}
  printf '%s\\n' "$number" | note "package.$package" || exit 1
  files+=("$bundle/$file") held+=("$package")
done
if [ "\${#held[@]}" != 0 ]; then
  ${system.install}
  ${system.hold}
fi

step 10 'install containerd'
{
  systemctl is-enabled containerd 2>/dev/null | head -n 1
  systemctl is-active containerd 2>/dev/null | head -n 1
} >"$state/.service"
note service <"$state/.service"
unpack "$bundle/containerd.tar" containerd
${dropIn(inputs)}
step 11 'start containerd'
must systemctl daemon-reload
must systemctl enable containerd
must systemctl start containerd
note complete </dev/null
say 'Kubernetes is installed'
`;
}

function dropIn(inputs: ScriptInputs): string {
  const text = proxyDropIn(inputs);
  if (text === '') return '';
  const path = '/etc/systemd/system/containerd.service.d/http-proxy.conf';
  return `printf '%s' ${shellQuote(text)} | place ${path} proxy || exit 1\n`;
}
