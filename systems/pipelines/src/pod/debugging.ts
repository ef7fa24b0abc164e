import { randomSuffix, type Random } from '@tektite/meta';
import type { TaskRun } from '../kinds/task-run.ts';
import type { FeatureFlags } from '../config/feature-flags.ts';
import { paths } from './internal-volumes.ts';

/** Where the steps of a run stop and wait for a user. */
export interface Breakpoints {
  readonly onFailure: boolean;
  readonly beforeSteps: ReadonlySet<string>;
}

/** Those of a run; none where the feature is off. */
export function breakpointsOf({ spec }: TaskRun, { enableAPIFields }: FeatureFlags): Breakpoints {
  const { onFailure, beforeSteps = [] } = spec.debug?.breakpoints ?? {};
  if (enableAPIFields !== 'alpha') return { onFailure: false, beforeSteps: new Set() };
  return { onFailure: onFailure === 'enabled', beforeSteps: new Set(beforeSteps) };
}

export function hasBreakpoints({ onFailure, beforeSteps }: Breakpoints): boolean {
  return onFailure || beforeSteps.size > 0;
}

interface DebugScript {
  readonly name: string;
  /** Files that it makes in the folder of the step, with what is in them. */
  readonly files: readonly (readonly [string, string])[];
  readonly over: string;
}

const onFailure: readonly DebugScript[] = [
  {
    name: 'continue',
    files: [
      ['out', ''],
      ['out.breakpointexit', '0\n'],
    ],
    over: 'breakpoint',
  },
  {
    name: 'fail-continue',
    files: [
      ['out.err', ''],
      ['out.breakpointexit', '1\n'],
    ],
    over: 'breakpoint',
  },
];
const beforeStep: readonly DebugScript[] = [
  { name: 'beforestep-continue', files: [['out.beforestepexit', '0\n']], over: 'before step breakpoint' },
  { name: 'beforestep-fail-continue', files: [['out.beforestepexit.err', '1\n']], over: 'before step breakpoint' },
];

/** Writes the scripts into the Pod by which users let a step that waits go on. */
export function debugScripts(
  { onFailure: isOnFailure, beforeSteps }: Breakpoints,
  stepNames: readonly (string | undefined)[],
  random: Random,
): string {
  const isBefore = stepNames.some((name) => name !== undefined && beforeSteps.has(name));
  const scripts = [...(isOnFailure ? onFailure : []), ...(isBefore ? beforeStep : [])];
  return scripts.map((script) => placement(script, stepNames.length, random)).join('');
}

function placement(script: DebugScript, steps: number, random: Random): string {
  const file = `${paths.debugScripts}/debug-${script.name}`;
  const end = `debug-${script.name}-heredoc-randomly-generated-${randomSuffix(random)}`;
  return `tmpfile="${file}"
touch \${tmpfile} && chmod +x \${tmpfile}
cat > \${tmpfile} << '${end}'
${content(script, steps)}
${end}
`;
}

/** A step sees one folder below the information for debugging: that of its number. */
function content({ files, over }: DebugScript, steps: number): string {
  const writes = files.map(([name, text]) => `printf '${text.replace('\n', '\\n')}' > ${paths.run}/$step/${name}`);
  return `#!/bin/sh
set -e
for folder in ${paths.debugInfo}/[0-9]*; do step=\${folder##*/}; done
if [ "$step" -ge ${steps} ]; then
  echo "Last step (no. $step) has already been executed, ${over} exiting !"
  exit 0
fi
${writes.join('\n')}
echo "Executing step $step..."`;
}
