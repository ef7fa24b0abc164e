import { cloneJson, formatApiVersion, type KubeObject } from '@tektite/meta';
import { applyDefaults, type JsonSchema, prune } from '@tektite/schema';
import type { CustomResourceDefinition } from '@tektite/schema/kubernetes';
import type { Draft } from '../registry/resource.ts';

/** Converts objects to another version by calling a webhook; in order, one for one. */
export type WebhookConversion = (objects: readonly KubeObject[], apiVersion: string) => Promise<readonly KubeObject[]>;

/**
 * Converts the objects of a CRD from the storage version to the requested one, and back.
 *
 * Stored objects are read by the schema of their version first: unknown fields are pruned, defaults are set. Then it is
 * converted, by the webhook or, with strategy None, by changing the apiVersion alone, and fields that the schema of the
 * target does not know are pruned. No defaults of the target version are filled in; that is upstream's way.
 */
export class Converter {
  private readonly group: string;
  private readonly stored: string;
  private readonly schemas: ReadonlyMap<string, JsonSchema | undefined>;
  private readonly since: number;
  /** The apiVersions whose schema has a default for the status as a whole, which a create leaves out. */
  private readonly defaultStatus: ReadonlySet<string>;
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
    this.defaultStatus = new Set(
      [...this.schemas].flatMap(([name, schema]) =>
        (schema?.properties?.status?.default ?? null) === null ? [] : [this.apiVersion(name)],
      ),
    );
    this.webhook = crd.spec.conversion?.strategy === 'Webhook' ? webhook : undefined;
  }

  /** An object in another version, as the webhook gives it; no schema is asked. */
  async convert(object: KubeObject, version: string): Promise<KubeObject> {
    const target = this.apiVersion(version);
    if (object.apiVersion === target) return object;
    const [converted] = this.webhook ? await this.webhook([object], target) : [{ ...object, apiVersion: target }];
    return converted as KubeObject;
  }

  async toStorage(object: Draft): Promise<Draft> {
    const target = this.apiVersion(this.stored);
    if (object.apiVersion === target) return object;
    const [converted] = this.webhook ? await this.ask(this.webhook, [object], target) : [object];
    return this.shape({ ...(converted as Draft), apiVersion: target }, this.stored, true);
  }

  fromStorage(objects: readonly KubeObject[], version: string): readonly KubeObject[] | Promise<readonly KubeObject[]> {
    const target = this.apiVersion(version);
    if (objects.every((object) => object.apiVersion === target && this.isInShape(object))) return objects;
    const shaped = objects.map((object) => (this.isInShape(object) ? object : this.reshape(object)));
    const foreign = shaped.filter((object) => object.apiVersion !== target);
    if (foreign.length === 0) return shaped;
    const finish = (converted: readonly KubeObject[]): KubeObject[] => {
      const results = new Map(foreign.map((object, index) => [object, converted[index] as KubeObject]));
      return shaped.map((object) => {
        const result = results.get(object);
        return result ? this.shape({ ...(cloneJson(result) as Draft), apiVersion: target }, version, false) : object;
      });
    };
    return this.webhook ? this.ask(this.webhook, foreign, target).then(finish) : finish(foreign);
  }

  /** Stored objects have no resourceVersion, and are sent to the webhook without one. */
  private async ask(webhook: WebhookConversion, objects: readonly KubeObject[], target: string): Promise<KubeObject[]> {
    const bare = objects.map((object) => {
      const { resourceVersion: _, ...metadata } = object.metadata;
      return { ...object, metadata };
    });
    const converted = await webhook(bare, target);
    return converted.map((object, index) => {
      const { resourceVersion } = objects[index]?.metadata ?? {};
      return resourceVersion === undefined ? object : { ...object, metadata: { ...object.metadata, resourceVersion } };
    });
  }

  /** Written since the CRD last changed, and not without a status that reading fills in. */
  private isInShape(object: KubeObject): boolean {
    if (Number(object.metadata.resourceVersion) <= this.since) return false;
    return !this.defaultStatus.has(object.apiVersion) || (object as Draft).status !== undefined;
  }

  /** An old object, as the schema of its version has it today. */
  private reshape(object: KubeObject): Draft {
    return this.shape(cloneJson(object) as Draft, object.apiVersion.slice(this.group.length + 1), true);
  }

  private shape(object: Draft, version: string, withDefaults: boolean): Draft {
    const schema = this.schemas.get(version);
    if (schema) {
      prune(object, schema, { isResourceRoot: true });
      if (withDefaults) applyDefaults(object, schema);
    }
    return object;
  }

  private apiVersion(version: string): string {
    return formatApiVersion({ group: this.group, version });
  }
}
