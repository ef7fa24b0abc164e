import { isManifestError, type Manifest, rewriteImages, setAnnotations, setLabels } from '@tektite/manifest';
import type { Connector } from '../kinds/connector.ts';
import { RenderFailure } from '../render-failure.ts';
import { shownObject } from './shown-object.ts';

/** Labels, annotations and registry of a Connector, on all objects and their Pods. Selectors stay. */
export function withGlobalSettings(manifest: Manifest, spec: Connector['spec']): Manifest {
  const { labels, annotations, registry } = spec;
  const templates = { includeTemplates: true };
  const labelled = manifest.transform(
    labels && setLabels(labels, templates),
    annotations && setAnnotations(annotations, templates),
  );
  if (!registry) return labelled;
  const rewrite = rewriteImages(registry);
  try {
    return labelled.transform(function registry(draft, origin) {
      try {
        rewrite(draft, origin);
      } catch (error) {
        const text = (error as Error).message.replace(/^InvalidImage: /, '');
        throw new RenderFailure('InvalidImage', `${shownObject(draft)}: ${text}`, { cause: error });
      }
    });
  } catch (error) {
    // The engine says where in which file; here the object is what people know.
    if (isManifestError(error) && error.cause instanceof RenderFailure) throw error.cause;
    throw error;
  }
}
