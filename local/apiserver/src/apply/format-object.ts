import type { KubeObject } from '@tektite/meta';

/** The kind of an object as Go prints one: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
export function formatKind({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** An object in errors of upstream's field manager: namespace, name and kind as the object itself has them. */
export function formatObject(object: KubeObject): string {
  const { namespace, name } = (object.metadata ?? {}) as Readonly<Record<string, unknown>>;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return `${text(namespace)}/${text(name)}; ${formatKind(object)}`;
}
