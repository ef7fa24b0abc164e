import { goStructJson } from '@tektite/go';
import type { Step } from '../kinds/task-spec.ts';

/** The command of an image, from its registry. */
export interface ImageCommands {
  /** The image by its digest, so that the inspected image is the one that runs. */
  readonly image: string;
  /** By platform: `linux/amd64`, `linux/arm64/v8`. */
  readonly commands: Readonly<Record<string, readonly string[] | null>>;
}

/** Which question about an image a step asks: what it starts with arguments of the step's, or without. */
export function commandKey({ image = '', args = [] }: Step): string {
  return `${args.length > 0 ? 'with' : 'without'} arguments: ${image}`;
}

/** Whether only its image knows what a step runs. */
export function needsImageCommand({ command = [], script = '' }: Step): boolean {
  return command.length === 0 && script === '';
}

/** A step that runs what its image starts: the entrypoint chooses by the platform that it finds itself on. */
export function withImageCommands(step: Step, found: ImageCommands | undefined): Step {
  if (!found) return step;
  const sorted = Object.fromEntries(Object.entries(found.commands).sort(([a], [b]) => (a < b ? -1 : 1)));
  const variable = { name: 'TEKTON_PLATFORM_COMMANDS', value: goStructJson(sorted) };
  return { ...step, image: found.image, env: [...(step.env ?? []), variable] };
}
