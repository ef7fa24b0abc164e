import type { KubeObject } from '@tektite/meta';
import type { KindOptions } from '@tektite/schema';
import { CrdSchemas, defineStructKind, type Struct, type StructKind } from '@tektite/schema/struct';

export const group = 'triggers.tekton.dev';

type Names = Pick<KindOptions<Record<string, never>>, 'version' | 'scope' | 'shortNames' | 'columns'> & {
  /** For `kubectl explain`. */
  readonly description: string;
};

const schemas = new CrdSchemas();

/**
 * A kind of Tekton Triggers. Upstream's definitions accept any object and leave the checks to the webhook.
 */
export function triggersKind<T>({
  struct,
  ...names
}: Names & { readonly struct: Struct<T> }): StructKind<KubeObject & T> {
  const kind = defineStructKind({
    ...names,
    group,
    categories: ['tekton', 'tekton-triggers'],
    struct,
    schemas,
    descriptions: {},
    subresources: { status: {} },
  });
  const { description } = names;
  return { ...kind, schema: { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true } };
}
