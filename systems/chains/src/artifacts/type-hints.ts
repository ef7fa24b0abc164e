import type { RunResult } from '../kinds/runs.ts';
import { parseDigest } from './digest.ts';
import { formatImageDigest, type ImageDigest, parseImageDigest } from './image-digest.ts';

/** Something that a run read or made, by its address and digest. */
export interface Artifact {
  readonly uri: string;
  /** `sha256:…` */
  readonly digest: string;
}

/** The images that results name by the hints `*IMAGE_URL` and `*IMAGE_DIGEST`, `IMAGES`, and objects of built artifacts. */
export function imagesIn(results: readonly RunResult[]): readonly ImageDigest[] {
  const listed = results
    .filter(({ name }) => name === 'IMAGES')
    .flatMap(({ value }) => textOf(value).split(/[\n,]/))
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const referenceOf = ({ uri, digest }: Artifact) => `${uri}@${digest}`;
  const texts = [
    ...pairsIn(results, 'IMAGE_URL', 'IMAGE_DIGEST').map(referenceOf),
    ...listed,
    ...buildArtifactsIn(results).map(referenceOf),
  ];
  const images = new Map<string, ImageDigest>();
  for (const text of texts) {
    const image = parseImageDigest(text);
    if (image !== undefined && !images.has(formatImageDigest(image))) images.set(formatImageDigest(image), image);
  }
  return [...images.values()];
}

/** Artifacts by the hints `*ARTIFACT_URI` and `*ARTIFACT_DIGEST`. */
export function namedArtifactsIn(results: readonly RunResult[]): readonly Artifact[] {
  return pairsIn(results, 'ARTIFACT_URI', 'ARTIFACT_DIGEST').filter(({ digest }) => parseDigest(digest) !== undefined);
}

/** Objects with `uri` and `digest` whose names end with the marker. */
export function structuredArtifactsIn(
  results: readonly RunResult[],
  marker: 'ARTIFACT_INPUTS' | 'ARTIFACT_OUTPUTS',
): readonly Artifact[] {
  return results.filter(({ name }) => name.endsWith(marker)).flatMap(artifactOf);
}

/** Outputs that the run says it has built, and not only passed on. */
export function buildArtifactsIn(results: readonly RunResult[]): readonly Artifact[] {
  return results.filter(isBuildArtifact).flatMap(artifactOf);
}

export function isBuildArtifact(result: RunResult): boolean {
  if (!result.name.endsWith('ARTIFACT_OUTPUTS')) return false;
  return objectOf(result.value)?.['isBuildArtifact'] === 'true' && artifactOf(result).length > 0;
}

/** An output that is no object, or that lacks its address or digest: it is neither built nor a by-product. */
export function isBrokenBuildArtifact(result: RunResult): boolean {
  if (!result.name.endsWith('ARTIFACT_OUTPUTS')) return false;
  const object = objectOf(result.value);
  return object === undefined || (object['isBuildArtifact'] === 'true' && artifactOf(result).length === 0);
}

/** Whether a result is one of the hints of images. */
export function isImageHint({ name }: RunResult): boolean {
  return name.endsWith('IMAGE_URL') || name.endsWith('IMAGE_DIGEST') || name === 'IMAGES';
}

export function textOf(value: RunResult['value'] | undefined): string {
  return typeof value === 'string' ? value : '';
}

function artifactOf({ value }: RunResult): readonly Artifact[] {
  const { uri = '', digest = '' } = objectOf(value) ?? {};
  return uri !== '' && parseDigest(digest) !== undefined ? [{ uri, digest }] : [];
}

function objectOf(value: RunResult['value']): Readonly<Record<string, string>> | undefined {
  return typeof value === 'object' && !Array.isArray(value) ? (value as Readonly<Record<string, string>>) : undefined;
}

/**
 * Results whose names differ by these endings alone belong together. Upstream lists the pairs in an order that changes
 * from one signing to the next; here it is that of the results.
 */
function pairsIn(results: readonly RunResult[], uriEnding: string, digestEnding: string): readonly Artifact[] {
  const pairs = new Map<string, { uri: string; digest: string }>();
  for (const { name, value } of results) {
    for (const [ending, field] of [
      [uriEnding, 'uri'],
      [digestEnding, 'digest'],
    ] as const) {
      const text = textOf(value).trim();
      if (!name.endsWith(ending) || text === '') continue;
      const marker = name.slice(0, name.length - ending.length);
      const pair = pairs.get(marker) ?? { uri: '', digest: '' };
      pairs.set(marker, { ...pair, [field]: text });
    }
  }
  return [...pairs.values()].filter(({ uri, digest }) => uri !== '' && digest !== '');
}
