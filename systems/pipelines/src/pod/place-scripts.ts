import { type Random, randomSuffix } from '@tektite/meta';
import type { Container } from '@tektite/schema/kubernetes';
import type { Sidecar, Step } from '../kinds/task-spec.ts';
import { binMount, paths, scriptsMount } from './internal-volumes.ts';

/** Scripts, and the init container that writes them into the Pod. */
export interface PlacedScripts {
  /** By index; undefined for those without a script. */
  readonly steps: readonly (string | undefined)[];
  readonly sidecars: readonly (string | undefined)[];
  readonly container: Container | undefined;
}

/**
 * Writes each script into a file of its own. They go through base64, because a script may contain anything, also what would
 * end the text in which it is written.
 */
export function placeScripts(
  steps: readonly Step[],
  sidecars: readonly Sidecar[],
  image: string,
  random: Random,
): PlacedScripts {
  const fragments: string[] = [];
  const place = (prefix: string) => (of: { readonly script?: string }, index: number) => {
    if (!of.script) return undefined;
    const file = `${paths.scripts}/${prefix}-${index}-${randomSuffix(random)}`;
    fragments.push(fragment(file, withShebang(of.script)));
    return file;
  };
  const stepFiles = steps.map(place('script'));
  const sidecarFiles = sidecars.map(place('sidecar-script'));
  if (fragments.length === 0) return { steps: stepFiles, sidecars: sidecarFiles, container: undefined };
  const container: Container = {
    name: 'place-scripts',
    image,
    command: ['sh'],
    args: ['-c', fragments.join('')],
    volumeMounts: [scriptsMount, binMount],
  };
  return { steps: stepFiles, sidecars: sidecarFiles, container };
}

/** A script without an interpreter is a shell script that stops at the first failure. */
function withShebang(script: string): string {
  return script.trim().startsWith('#!') ? script : `#!/bin/sh\nset -e\n${script}`;
}

function fragment(file: string, script: string): string {
  return `scriptfile="${file}"
touch \${scriptfile} && chmod +x \${scriptfile}
cat > \${scriptfile} << '_EOF_'
${Buffer.from(script).toString('base64')}
_EOF_
${paths.entrypoint} decode-script "\${scriptfile}"
`;
}
