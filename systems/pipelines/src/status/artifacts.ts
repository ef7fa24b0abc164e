import { equalJson } from '@tektite/meta';
import type { Artifact, Artifacts, ArtifactValue } from '../kinds/run-status.ts';
import { entryTypes, type TerminationEntry } from './termination-message.ts';

type ArtifactsEntry = typeof entryTypes.stepArtifacts | typeof entryTypes.taskArtifacts;

/** The artifacts of a step, from the first entry of that type; nothing from an invalid one. */
export function artifactsOf(entries: readonly TerminationEntry[], type: ArtifactsEntry): Artifacts {
  const entry = entries.find((each) => each.type === type);
  if (!entry) return {};
  try {
    return readArtifacts(JSON.parse(entry.value));
  } catch {
    return {};
  }
}

function readArtifacts(value: unknown): Artifacts {
  const { inputs, outputs } = recordOf(value);
  return {
    ...(listOf(inputs).length > 0 ? { inputs: listOf(inputs).map(readArtifact) } : {}),
    ...(listOf(outputs).length > 0 ? { outputs: listOf(outputs).map(readArtifact) } : {}),
  };
}

function readArtifact(value: unknown): Artifact {
  const { name, values, buildOutput } = recordOf(value);
  return {
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(listOf(values).length > 0 ? { values: listOf(values).map(readValue) } : {}),
    ...(buildOutput === true ? { buildOutput } : {}),
  };
}

function readValue(value: unknown): ArtifactValue {
  const { digest, uri } = recordOf(value);
  const digests = Object.entries(recordOf(digest)).filter(
    (each): each is [string, string] => typeof each[1] === 'string',
  );
  return {
    ...(digests.length > 0 ? { digest: Object.fromEntries(digests) } : {}),
    ...(typeof uri === 'string' && uri !== '' ? { uri } : {}),
  };
}

const recordOf = (value: unknown) =>
  (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}) as Record<string, unknown>;
const listOf = (value: unknown) => (Array.isArray(value) ? (value as readonly unknown[]) : []);

/** Both: artifacts of one name are one, with the values of both. */
export function mergeArtifacts(one: Artifacts, other: Artifacts): Artifacts {
  const inputs = mergeLists(one.inputs, other.inputs).map(({ buildOutput: _, ...rest }) => rest);
  const outputs = mergeLists(one.outputs, other.outputs);
  return { ...(inputs.length > 0 ? { inputs } : {}), ...(outputs.length > 0 ? { outputs } : {}) };
}

function mergeLists(one: readonly Artifact[] = [], other: readonly Artifact[] = []): readonly Artifact[] {
  const byName = new Map(one.map((each) => [each.name ?? '', each]));
  for (const { name = '', values = [], buildOutput } of other) {
    const before = byName.get(name) ?? (name === '' ? {} : { name });
    const known = before.values ?? [];
    const added = values.filter((value) => !known.some((each) => equalJson(each, value)));
    const all = [...known, ...added];
    byName.set(name, {
      ...before,
      ...(all.length > 0 ? { values: all } : {}),
      ...(buildOutput ? { buildOutput } : {}),
    });
  }
  return [...byName.values()];
}
