import { type Random, randomSuffix } from '@tektite/meta';
import type { Container } from '@tektite/schema/kubernetes';
import type { Sidecar, Step } from '../kinds/task-spec.ts';
import { type Breakpoints, debugScripts, hasBreakpoints } from './debugging.ts';
import { binMount, debugScriptsMount, paths, scriptsMount } from './internal-volumes.ts';
import type { PodImages } from './pod-images.ts';

/** How a container runs its script. */
export interface PlacedScript {
  readonly command: readonly string[];
  /** Before its own arguments. */
  readonly args: readonly string[];
}

/** Scripts, and the init container that writes them into the Pod. */
export interface PlacedScripts {
  /** By index; undefined for those without a script. */
  readonly steps: readonly (PlacedScript | undefined)[];
  readonly sidecars: readonly (PlacedScript | undefined)[];
  readonly container: Container | undefined;
  /** Whether one of them is for Windows: then Windows writes them. */
  readonly areForWindows: boolean;
}

/** The inputs of the scripts of a Pod. */
export interface ScriptOptions {
  readonly breakpoints: Breakpoints;
  readonly images: PodImages;
  /** Whether there may be scripts for Windows. */
  readonly isAlpha: boolean;
  readonly random: Random;
}

/**
 * Writes each script into a separate file. They go through base64, because a script may contain anything, also what
 * would end the text in which it is written.
 */
export function placeScripts(
  steps: readonly Step[],
  sidecars: readonly Sidecar[],
  { breakpoints, images, isAlpha, random }: ScriptOptions,
): PlacedScripts {
  const fragments: string[] = [];
  const place = (prefix: string) => (of: { readonly script?: string }, index: number) => {
    if (!of.script) return undefined;
    const file = `${paths.scripts}/${prefix}-${index}-${randomSuffix(random)}`;
    const { text, ...placed } = isForWindows(of) ? windowsScript(of.script, file) : shellScript(of.script, file);
    fragments.push(text);
    return placed;
  };
  const stepFiles = steps.map(place('script'));
  const isDebugged = hasBreakpoints(breakpoints);
  if (isDebugged)
    fragments.push(
      debugScripts(
        breakpoints,
        steps.map(({ name }) => name),
        random,
      ),
    );
  const sidecarFiles = sidecars.map(place('sidecar-script'));
  const onWindows = [...steps, ...sidecars].some(isForWindows);
  const placed = { steps: stepFiles, sidecars: sidecarFiles, areForWindows: onWindows };
  if (fragments.length === 0) return { ...placed, container: undefined };
  const container: Container = {
    name: 'place-scripts',
    image: onWindows ? (isAlpha && images.shellWindows) || '' : images.shell,
    command: [onWindows ? 'pwsh' : 'sh'],
    args: [onWindows ? '-Command' : '-c', fragments.join('')],
    volumeMounts: [scriptsMount, binMount, ...(isDebugged ? [debugScriptsMount] : [])],
  };
  return { ...placed, container };
}

const isForWindows = ({ script = '' }: { readonly script?: string }) => script.trim().startsWith('#!win');

function shellScript(script: string, file: string): PlacedScript & { readonly text: string } {
  return { command: [file], args: [], text: fragment(file, withShebang(script)) };
}

/** The first line says what runs the script; nothing means that it is a batch file. */
function windowsScript(script: string, file: string): PlacedScript & { readonly text: string } {
  const [first = '', ...lines] = script.split('\n');
  const [, program, ...options] = first.split(' ');
  const write = (text: string, to: string) => `@"\n${text}\n"@ | Out-File -FilePath ${to}\n`;
  if (program === undefined) {
    const batch = `${file}.cmd`;
    return { command: [batch], args: [], text: write(lines.join('\n'), batch) };
  }
  const named = program.startsWith('powershell') ? `${file}.ps1` : file;
  return { command: [program], args: [...options, named], text: write(script, named) };
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
