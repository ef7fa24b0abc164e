import type { TriggerInterceptor } from '../kinds/trigger.ts';

interface SecretForm {
  readonly secretRef?: { readonly secretKey?: string; readonly secretName?: string };
  readonly eventTypes?: readonly string[];
}

/** The forms that v1alpha1 had for the built-in interceptors before these became references. */
export interface DeprecatedInterceptor {
  readonly github?: SecretForm;
  readonly gitlab?: SecretForm;
  readonly bitbucket?: SecretForm;
  readonly cel?: {
    readonly filter?: string;
    readonly overlays?: readonly { readonly key?: string; readonly expression?: string }[];
  };
}

const forms = ['bitbucket', 'cel', 'github', 'gitlab'] as const;

/** Turns a deprecated form into a reference with parameters. */
export function referenceOf(interceptor: TriggerInterceptor & DeprecatedInterceptor): TriggerInterceptor {
  if ((interceptor.ref.name ?? '') !== '') return interceptor;
  const name = forms.find((form) => interceptor[form] !== undefined);
  // Upstream empties the parameters of an interceptor without a name.
  const { params: _, ...bare } = interceptor;
  if (name === undefined) return bare;
  const { [name]: _form, ...rest } = bare;
  const values = name === 'cel' ? celValues(bare.cel) : secretValues(bare[name]);
  const params = Object.entries(values).map(([key, value]) => ({ name: key, value }));
  return { ...rest, ref: { ...rest.ref, name }, params };
}

function secretValues({ secretRef, eventTypes }: SecretForm = {}): Readonly<Record<string, unknown>> {
  return { secretRef: secretRef ?? null, eventTypes: eventTypes ?? null };
}

function celValues({ filter = '', overlays }: NonNullable<DeprecatedInterceptor['cel']> = {}) {
  return { filter, overlays: overlays ?? null };
}
