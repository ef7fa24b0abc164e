import { sentinelFile } from '../wire-names.ts';
import { shellQuote } from '../installer/shell-quote.ts';

/** Small scripts for what an agent does itself. They run where all scripts run, so none of them leaves the sandbox. */

/** Whether there is something to reset: kubeadm, and traces of its work. */
export const needsReset = `command -v kubeadm >/dev/null || exit 3
[ -e /etc/kubernetes/kubelet.conf ] || [ -e /etc/kubernetes/admin.conf ] || [ -e ${sentinelFile} ] || exit 3
`;
export const notNeeded = 3;

export const resetNode = 'kubeadm reset --force\n';

const keptNetworks = '/var/lib/byoh/state/cni';

/**
 * Empties the folders in which leftovers would confuse a new node. Both are tried, also when the first fails. What others
 * configured for their containers is kept, once, and comes back with {@link restoreFolders}. A folder may be a link to another.
 */
export const clearFolders = `failed=0
if [ -d /etc/cni/net.d ] && [ ! -e ${keptNetworks} ] && [ -n "$(ls -A /etc/cni/net.d)" ]; then
  rm -rf ${keptNetworks}.part
  mkdir -p "$(dirname ${keptNetworks})" && mkdir ${keptNetworks}.part && cp -a /etc/cni/net.d/. ${keptNetworks}.part && mv ${keptNetworks}.part ${keptNetworks} || exit 1
fi
for folder in /run/kubeadm /etc/cni/net.d; do
  [ ! -d "$folder" ] || find "$folder/" -mindepth 1 -delete || failed=1
done
exit "$failed"
`;

/** Brings back what {@link clearFolders} kept. */
export const restoreFolders = `if [ -e ${keptNetworks} ]; then
  mkdir -p /etc/cni/net.d && find /etc/cni/net.d/ -mindepth 1 -delete && cp -a ${keptNetworks}/. /etc/cni/net.d && rm -rf ${keptNetworks} || exit 1
fi
rmdir --ignore-fail-on-non-empty /var/lib/byoh/state /var/lib/byoh 2>/dev/null
true
`;

export const removeSentinel = `rm -f ${sentinelFile}\n`;
export const hasSentinel = `[ -e ${sentinelFile} ]\n`;

/** A leftover of whatever announced the address of the control plane. */
export function removeAddress(address: string, networkInterface: string): string {
  const length = address.includes(':') ? 128 : 32;
  return `ip address del ${shellQuote(`${address}/${length}`)} dev ${shellQuote(networkInterface)} 2>/dev/null || true\n`;
}
