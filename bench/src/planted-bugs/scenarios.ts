const workloads = 'local/workloads/simulations';
const pipelines = 'systems/pipelines/simulations';
const memcached = 'examples/memcached-operator';
const controllers = 'systems/pipelines/src/controllers';

/** Scenarios that are files, with the source of the systems that they run. */
const files = {
  'cron-job': { file: `${workloads}/cron-job.yaml`, systems: '' },
  'daemon-set': { file: `${workloads}/daemon-set.yaml`, systems: '' },
  deployment: { file: `${workloads}/deployment.yaml`, systems: '' },
  job: { file: `${workloads}/job.yaml`, systems: '' },
  namespace: { file: `${workloads}/namespace.yaml`, systems: '' },
  'stateful-set': { file: `${workloads}/stateful-set.yaml`, systems: '' },
  'task-run': { file: `${pipelines}/task-run.yaml`, systems: 'pipelines' },
  'task-run-timeout': { file: `${pipelines}/task-run-timeout.yaml`, systems: 'pipelines' },
  'pipeline-run': { file: `${pipelines}/pipeline-run.yaml`, systems: 'pipelines' },
  'pipeline-run-cancel': { file: `${pipelines}/pipeline-run-cancel.yaml`, systems: 'pipelines' },
  'pipeline-run-timeout': { file: `${pipelines}/pipeline-run-timeout.yaml`, systems: 'pipelines' },
  'owners-deleted': { file: `${memcached}/simulations/owners-deleted.yaml`, systems: 'memcached' },
} as const;

/** Scenarios that are functions, with the expression that makes one for a seed. */
const modules = {
  deployments: { file: 'local/workloads/src/simulation.cases.ts', scenario: 'cases.deployments()' },
  jobs: { file: 'local/workloads/src/simulation.cases.ts', scenario: 'cases.jobs()' },
  families: { file: 'local/workloads/src/simulation.cases.ts', scenario: 'cases.families()' },
  caches: { file: `${memcached}/src/simulation.cases.ts`, scenario: 'cases.cacheScenario(system.controllers[0])' },
  machines: { file: 'systems/byoh/src/simulation.cases.ts', scenario: 'cases.machineScenario' },
  'connector-install': {
    file: 'systems/connectors/src/simulation.cases.ts',
    scenario: "cases.connectorScenario('install')",
  },
  'connector-change': {
    file: 'systems/connectors/src/simulation.cases.ts',
    scenario: "cases.connectorScenario('change')",
  },
  'connector-uninstall': {
    file: 'systems/connectors/src/simulation.cases.ts',
    scenario: "cases.connectorScenario('uninstall')",
  },
  'tekton-upgrade': {
    file: 'systems/tekton-operator/src/acceptance/simulation.cases.ts',
    scenario: "cases.upgradeScenario('rolling')",
  },
  listeners: {
    file: `systems/triggers/src/controllers/event-listener/simulation.cases.ts`,
    scenario: 'cases.listenerScenario()',
  },
  'task-runs': { file: `${controllers}/task-run/simulation.cases.ts`, scenario: 'cases.taskRunScenario(seed, true)' },
  'pipeline-runs': {
    file: `${controllers}/pipeline-run/simulation.cases.ts`,
    scenario: 'cases.pipelineRunScenario(seed, 8)',
  },
} as const;

export type ScenarioName = keyof typeof files | keyof typeof modules;

/** Only named: nothing runs. */
const images = "{ entrypoint: 'e', nop: 'nop', sidecarLogResults: 'r', workingDirInit: 'w', shell: 'sh' }";

/** The source of a program that hunts in a scenario. */
export function huntingProgram(name: ScenarioName, root: string): string {
  const hunt = `import { hunt } from '${root}/bench/src/planted-bugs/hunt.ts';\n`;
  if (name in modules) {
    const { file, scenario } = modules[name as keyof typeof modules];
    const system = file.startsWith(memcached) ? importMemcached(root) : '';
    return `${hunt}${system}import * as cases from '${root}/${file}';\nawait hunt((seed) => ${scenario});\n`;
  }
  const { file, systems } = files[name as keyof typeof files];
  const made = {
    '': '',
    pipelines: `pipelinesSystem({ images: ${images}, release: 'bench' })`,
    memcached: 'system',
  }[systems];
  return `${hunt}import { readFileSync } from 'node:fs';
import { fileScenario, readScenario } from '@tektite/simulator';
${systems === 'pipelines' ? "import { pipelinesSystem } from '@tektite/pipelines';" : ''}
${systems === 'memcached' ? importMemcached(root) : ''}
const scenario = fileScenario(readScenario(readFileSync('${root}/${file}', 'utf8')), () => [${made}]);
await hunt(() => scenario);
`;
}

function importMemcached(root: string): string {
  return `import { system } from '${root}/${memcached}/src/index.ts';\n`;
}
