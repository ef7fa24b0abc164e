import type { ComponentDescription } from '../component/component-description.ts';
import {
  allow,
  denyAll,
  fromMonitoring,
  fromNamespaces,
  fromPods,
  labelled,
  toAnywhere,
  toDns,
  toPort,
} from '../component/network-rules.ts';
import { needsPipelines, notNamespace, standardConditions } from '../component/standard-conditions.ts';
import { keys } from '../installer-set/set-keys.ts';
import { TektonResult } from '../kinds/kinds.ts';
import { resultTransforms } from '../transform/result-transforms.ts';
import { prepareResultSecrets } from './result-secrets.ts';

const apps = ['api', 'watcher', 'retention-policy-agent', 'postgres'].map((part) => `tekton-results-${part}`);

/** Tekton Results, with its own database unless there is another. */
export const resultComponent: ComponentDescription<TektonResult> = {
  kind: TektonResult,
  name: 'result',
  conditions: standardConditions,
  rawMessages: true,
  mainFailed: 'Main Reconcilation failed',
  folders: () => ['tekton-results', 'tekton-result'],
  versionMap: 'tekton-results-info',
  unknownVersion: 'devel',
  imagePrefix: 'IMAGE_RESULTS_',
  namedImagesStay: true,
  createsNamespace: false,
  runFinalizers: { prefix: 'results.tekton.dev/', partOf: 'tekton-results' },
  dependency: { ...needsPipelines, sameNamespace: true },
  applyDefaults: ({ tls_hostname_override: _gone, ...spec }) => spec,
  keep: (object, { spec }) => {
    const { name } = object.metadata;
    const isDatabase =
      (['StatefulSet', 'ConfigMap'].includes(object.kind) && name === 'tekton-results-postgres') ||
      (object.kind === 'Service' && name === 'tekton-results-postgres-service');
    return notNamespace(object) && !(spec.is_external_db && isDatabase);
  },
  steps: ({ spec, images, namespace, services }, extension) => [
    ...resultTransforms(spec, images, namespace, services.environment),
    ...extension,
  ],
  prepare: prepareResultSecrets,
  sets: (observed, manifest, payload) => [
    {
      wanted: {
        ...observed.wanted('result', payload),
        hash: observed.hash('extra'),
        labels: {
          [keys.installType]: observed.spec.performance?.['statefulset-ordinals'] ? 'statefulset' : 'deployment',
        },
        parts: [{ generateName: 'result-', objects: manifest.objects }],
      },
      missing: 'Waiting for installation',
    },
  ],
  deletesDefinitions: false,
  networkPolicies: {
    setName: 'results-network-policies',
    policies: (platform, spec) => {
      const metrics = fromMonitoring(platform, port(spec.prometheus_port, 9090));
      const database = port(spec.db_port, 5432);
      const dns = toDns(platform);
      const [api, watcher, agent] = apps.map((app) => labelled({ app }));
      return {
        'results-default-deny': denyAll({
          matchExpressions: [{ key: 'app.kubernetes.io/name', operator: 'In', values: apps }],
        }),
        'results-api': allow(
          api ?? {},
          [fromNamespaces(port(spec.server_port, 8080)), metrics],
          [dns, toPort(database), toAnywhere],
        ),
        'results-watcher': allow(watcher ?? {}, [metrics], [dns, toAnywhere]),
        'results-retention-policy-agent': allow(agent ?? {}, [], [dns, toPort(database)]),
        'results-postgres': allow(
          labelled({ 'app.kubernetes.io/name': 'tekton-results-postgres' }),
          [fromPods(database, 'tekton-results-api', 'tekton-results-retention-policy-agent')],
          [dns],
        ),
      };
    },
  },
};

const port = (given: number | undefined, standard: number) =>
  given !== undefined && given >= 1 && given <= 65_535 ? given : standard;
