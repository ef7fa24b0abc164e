import { shellQuote } from '../shell-quote.ts';
import { bundlePackages, proxyExports, type ScriptInputs, type ScriptPair } from './script-inputs.ts';

const imgpkgVersion = 'v0.36.4';

/**
 * The steps of the original installer, for users who depend on them: it ignores the original state, and its undo needs
 * the bundle. Unlike there, every command is checked.
 */
export function upstreamScripts(inputs: ScriptInputs): ScriptPair {
  const head = `#!/bin/bash
set -euo pipefail
bundles='{{.BundleDownloadPath}}'
address=${shellQuote(inputs.address)}
bundle="$bundles/$address"
${proxyExports(inputs)}`;
  const forward = bundlePackages.join(' ');
  const backward = bundlePackages.toReversed().join(' ');
  return {
    install: `${head}
if ! command -v imgpkg >/dev/null; then
  url=https://github.com/vmware-tanzu/carvel-imgpkg/releases/download/${imgpkgVersion}/imgpkg-linux-${shellQuote(inputs.arch)}
  if command -v wget >/dev/null; then wget -nv -O /usr/local/bin/imgpkg "$url"; else curl -fsSL -o /usr/local/bin/imgpkg "$url"; fi
  chmod +x /usr/local/bin/imgpkg
fi
mkdir -p "$bundle"
imgpkg pull -i "$address" -o "$bundle"
swapoff -a
sed -ri '/\\sswap\\s/s/^#?/#/' /etc/fstab
if command -v ufw >/dev/null; then ufw disable; fi
modprobe overlay
modprobe br_netfilter
tar -C / -xf "$bundle/conf.tar"
sysctl --system
for package in ${forward}; do
  dpkg --install "$bundle/$package.deb"
  apt-mark hold "$package"
done
tar -C / -xf "$bundle/containerd.tar"
systemctl daemon-reload
systemctl enable containerd
systemctl start containerd
`,
    uninstall: `${head}
systemctl stop containerd
systemctl disable containerd
systemctl daemon-reload
rm -rf /opt/cni /opt/containerd
tar -tf "$bundle/containerd.tar" | grep -v '/$' | while IFS= read -r path; do rm -f "/$path"; done
for package in ${backward}; do dpkg --purge "$package"; done
tar -tf "$bundle/conf.tar" | grep -v '/$' | while IFS= read -r path; do rm -f "/$path"; done
modprobe -rq overlay || true
modprobe -rq br_netfilter || true
if command -v ufw >/dev/null; then ufw --force enable; fi
sed -ri '/\\sswap\\s/s/^#//' /etc/fstab
swapon -a
rm -rf "$bundle"
`,
  };
}
