import { startRealControlPlane } from '@tektite/testkit';
import { operatorCases } from './operator.cases.ts';

const anything = { 'x-kubernetes-preserve-unknown-fields': true };

/**
 * The server that Debian builds takes an empty text for null: as a default, which the keys of a list need, and in the fields of an
 * object. Here what may be empty is left out of the definitions.
 */
function withoutEmptyTexts(definition: object): object {
  return JSON.parse(JSON.stringify(definition), (key, value: unknown) => {
    if (key === 'x-kubernetes-list-map-keys' && (value as string[]).includes('kind')) return ['name'];
    if (key === 'default' && value === '') return undefined;
    return key === 'group' && typeof value === 'object' ? anything : value;
  }) as object;
}

operatorCases({
  name: 'on a real kube-apiserver',
  start: () => startRealControlPlane(),
  definition: withoutEmptyTexts,
  webhooks: () => ({
    service: { namespace: 'default', name: 'connectors-webhook' },
    port: 0,
    url: (port: number) => `https://127.0.0.1:${port}`,
  }),
});
