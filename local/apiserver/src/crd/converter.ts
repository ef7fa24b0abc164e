import { cloneJson, formatApiVersion, type KubeObject } from '@tektite/meta';
import { applyDefaults, type JsonSchema, prune } from '@tektite/schema';
import type { CustomResourceDefinition } from '@tektite/schema/kubernetes';
import type { Draft } from '../registry/resource.ts';

/** Converts objects to another version by asking somebody else; in order, one for one. */
export type WebhookConversion = (objects: readonly KubeObject[], apiVersion: string) => Promise<readonly KubeObject[]>;

/**
 * Brings the objects of a CRD from the version they are stored in to the one that is asked for, and back.
 *
 * With strategy None only the apiVersion changes, and then the schema of the target version says which fields stay and
 * which get defaults. What was written since the CRD last changed is in form already and is passed through untouched.
 */
export class Converter {
  private readonly group: string;
  private readonly stored: string;
  private readonly schemas: ReadonlyMap<string, JsonSchema | undefined>;
  private readonly since: number;
  private readonly webhook: WebhookConversion | undefined;

  /** `since`: the revision at which this shape of the CRD came to be. */
  constructor(crd: CustomResourceDefinition, since: number, webhook?: WebhookConversion) {
    this.group = crd.spec.group;
    const versions = crd.spec.versions ?? [];
    this.stored = versions.find(({ storage }) => storage)?.name ?? '';
    this.schemas = new Map(
      versions.map(({ name, schema }) => [name, schema?.openAPIV3Schema as JsonSchema | undefined]),
    );
    this.since = since;
    this.webhook = crd.spec.conversion?.strategy === 'Webhook' ? webhook : undefined;
  }

  toStorage(object: Draft): Draft | Promise<Draft> {
    const target = this.apiVersion(this.stored);
    if (object.apiVersion === target) return object;
    if (!this.webhook) return this.shape(object, this.stored);
    return this.webhook([object], target).then(([converted]) =>
      this.shape(keepIdentity(converted as KubeObject, object), this.stored),
    );
  }

  fromStorage(objects: readonly KubeObject[], version: string): readonly KubeObject[] | Promise<readonly KubeObject[]> {
    const target = this.apiVersion(version);
    if (objects.every((object) => object.apiVersion === target && Number(object.metadata.resourceVersion) > this.since))
      return objects;
    const foreign = this.webhook ? objects.filter((object) => object.apiVersion !== target) : [];
    if (!this.webhook || foreign.length === 0) return objects.map((object) => this.reshape(object, target, version));
    return this.webhook(foreign, target).then((converted) => {
      const byIndex = new Map(
        foreign.map((object, index) => [object, keepIdentity(converted[index] as KubeObject, object)]),
      );
      return objects.map((object) => this.reshape(byIndex.get(object) ?? object, target, version));
    });
  }

  private reshape(object: KubeObject, target: string, version: string): KubeObject {
    if (object.apiVersion === target && Number(object.metadata.resourceVersion) > this.since) return object;
    return this.shape(cloneJson(object) as Draft, version);
  }

  private shape(object: Draft, version: string): Draft {
    object.apiVersion = this.apiVersion(version);
    const schema = this.schemas.get(version);
    if (schema) {
      prune(object, schema, { isResourceRoot: true });
      applyDefaults(object, schema);
    }
    return object;
  }

  private apiVersion(version: string): string {
    return formatApiVersion({ group: this.group, version });
  }
}

/** A webhook may change labels and annotations; the rest of the metadata is not its business. */
function keepIdentity(converted: KubeObject, original: KubeObject): Draft {
  const { labels, annotations } = converted.metadata;
  const metadata = cloneJson(original.metadata) as Draft['metadata'];
  delete metadata.labels;
  delete metadata.annotations;
  if (labels !== undefined) metadata.labels = labels;
  if (annotations !== undefined) metadata.annotations = annotations;
  return { ...(converted as Draft), metadata };
}
