import { sha256Hex, type Transform } from '@tektite/manifest';
import { deploymentIn, templateOf } from './workload.ts';

/** Flags of the watcher of Results. Labels on its Pods have them recreated when a flag changes. */
export function watcherFlags(
  flags: Readonly<Record<string, string | boolean>>,
  where: { readonly deployment: string; readonly container: string },
): Transform | undefined {
  const entries = Object.entries(flags).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return undefined;
  return function watcherFlags(draft) {
    const deployment = deploymentIn(draft, where.deployment);
    if (!deployment) return;
    const template = templateOf(deployment.spec);
    const labels: Record<string, string> = { ...template.metadata?.labels };
    for (const [flag, value] of entries)
      labels[`${where.deployment}.data.${flag}`] = sha256Hex(String(value)).slice(0, 32);
    template.metadata = { ...template.metadata, labels };
    for (const container of template.spec.containers)
      if (container.name === where.container)
        for (const [flag, value] of entries) container.args = withFlag(container.args ?? [], flag, String(value));
  };
}

/** The arguments with one flag set, once, where it was first. */
export function withFlag(given: readonly string[], flag: string, value: string): string[] {
  const wanted = `-${flag}=${value}`;
  const result: string[] = [];
  let isPlaced = false;
  for (let index = 0; index < given.length; index++) {
    const argument = given[index] as string;
    const isBare = argument === `-${flag}`;
    if (!isBare && !argument.startsWith(`-${flag}=`)) {
      result.push(argument);
      continue;
    }
    // `-flag value`: the value goes with it. A word with one dash and a letter is the next flag.
    if (isBare && index + 1 < given.length && !/^-(?:-|[A-Za-z])/.test(given[index + 1] as string)) index++;
    if (!isPlaced) result.push(wanted);
    isPlaced = true;
  }
  return isPlaced ? result : [...result, wanted];
}
