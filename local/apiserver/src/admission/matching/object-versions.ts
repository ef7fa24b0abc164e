import { cloneJson, type KubeObject } from '@tektite/meta';
import type { Draft, Resource } from '../../registry/resource.ts';
import type { AdmissionRequest } from '../admission.ts';

/** An object in another version of its resource, by way of the version that is stored. The original is not touched. */
export async function convertObject(object: KubeObject, from: Resource, to: Resource): Promise<Draft> {
  const copy = cloneJson(object) as Draft;
  if (from === to) return copy;
  const stored = from.toStorage ? await from.toStorage(copy) : copy;
  const [converted] = to.fromStorage ? await to.fromStorage([stored]) : [stored];
  return converted as Draft;
}

/** The two states of the object under review, in one version. */
export interface ReviewedObjects {
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** The objects of a request in the versions that those who review it ask for; each is converted once. */
export class ObjectVersions {
  private readonly request: AdmissionRequest;
  private readonly converted = new Map<Resource, ReviewedObjects>();

  constructor(request: AdmissionRequest) {
    this.request = request;
  }

  async in(resource: Resource): Promise<ReviewedObjects> {
    const { object, oldObject, kind } = this.request;
    // Scales, Bindings and the like have one version whatever the version of what they belong to.
    if (resource === this.request.resource || kind) return { object, oldObject };
    let found = this.converted.get(resource);
    if (!found) {
      found = {
        object: object && (await convertObject(object, this.request.resource, resource)),
        oldObject: oldObject && (await convertObject(oldObject, this.request.resource, resource)),
      };
      this.converted.set(resource, found);
    }
    return found;
  }
}
