import { type Json, without } from './json.ts';

/** Of the status only the answer is converted; conditions and annotations get lost, as they do upstream. */
function statusOf({ data, refSource, source }: Json): Json {
  const said = (refSource ?? source) as Json | null | undefined;
  return { data, ...(said ? { refSource: said } : {}) };
}

/** A ResolutionRequest of v1alpha1 in v1beta1: parameters that were a map are a list. */
export function resolutionRequestToV1beta1(request: Json): Json {
  const { params = {} } = (request.spec ?? {}) as { params?: Readonly<Record<string, string>> };
  const list = Object.keys(params)
    .sort()
    .map((name) => ({ name, value: params[name] }));
  const { refSource, data } = (request.status ?? {}) as Json;
  return {
    ...request,
    spec: list.length > 0 ? { params: list } : {},
    status: { data, ...(refSource ? { refSource } : {}) },
  };
}

/** And back, which works for parameters that are texts. */
export function resolutionRequestFromV1beta1(request: Json): Json {
  const { params = [] } = (request.spec ?? {}) as { params?: readonly { name: string; value: unknown }[] };
  const others = params.filter(({ value }) => typeof value !== 'string').map(({ name }) => name);
  if (others.length > 0)
    throw new Error(`cannot convert v1beta1 to v1alpha, non-string type parameter(s) found: ${others.join(', ')}`);
  const map = Object.fromEntries(params.map(({ name, value }) => [name, value]));
  return {
    ...without(request, 'spec', 'status'),
    spec: params.length > 0 ? { params: map } : {},
    status: statusOf((request.status ?? {}) as Json),
  };
}
