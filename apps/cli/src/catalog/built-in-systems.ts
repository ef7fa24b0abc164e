/** A system that comes with the command. */
export interface BuiltInSystem {
  readonly name: string;
  /** One line for the help. */
  readonly summary: string;
  /** A command to try once it runs. */
  readonly next?: string;
  /** Changes what other systems do, here every run: not in `all`. */
  readonly isOnRequest?: true;
  /** Part of another system, for separate processes: not in `all`. */
  readonly isPart?: true;
}

/** The systems that come with the command. Data only: help and completion must not load them. */
export const builtInSystems: readonly BuiltInSystem[] = [
  {
    name: 'pipelines',
    summary: 'Tekton Pipelines: Tasks, Pipelines and their runs',
    next: 'tektite run -f PIPELINE.yaml --kubeconfig KUBECONFIG',
  },
  {
    name: 'triggers',
    summary: 'Tekton Triggers: EventListeners start runs when events arrive',
    next: 'tektite trigger -f TRIGGERS.yaml -d EVENT.json',
  },
  {
    name: 'tekton-operator',
    summary: 'Tekton Operator: a TektonConfig installs and upgrades Tekton',
    next: 'kubectl --kubeconfig KUBECONFIG explain tektonconfig.spec',
  },
  {
    name: 'chains',
    summary: 'Tekton Chains: signed provenance of completed runs',
    next: 'tektite attest RUN --kubeconfig KUBECONFIG',
    isOnRequest: true,
  },
  {
    name: 'results',
    summary: 'Tekton Results: the archive of completed runs, their logs and Events',
    next: 'tektite list --archived --kubeconfig KUBECONFIG',
    isOnRequest: true,
  },
  {
    name: 'connectors',
    summary: 'Connectors operator: a Connector deploys an application; see --payload',
    next: 'tektite connectors new shop',
  },
  {
    name: 'byoh',
    summary: 'bring your own host: machines of clusters get registered hosts',
    next: 'tektite agent --config KUBECONFIG --sandbox dry-run --name test-host',
  },
  { name: 'byoh-manager', summary: 'the manager of byoh alone', isPart: true },
  { name: 'byoh-installer', summary: 'the default installer of byoh alone', isPart: true },
  {
    name: 'proxy-webhook',
    summary: 'the webhook that gives Pods of runs a proxy, which the Tekton Operator installs',
    isPart: true,
  },
  { name: 'pruner', summary: 'the pruner of runs that the Tekton Operator installs', isPart: true },
];

/** The names behind `all`. */
export const allSystems: readonly string[] = builtInSystems
  .filter(({ isPart, isOnRequest }) => !isPart && !isOnRequest)
  .map(({ name }) => name);

/** Lines for the help: a name and its summary each. */
export function systemLines(): string {
  const width = Math.max(...builtInSystems.map(({ name }) => name.length));
  return builtInSystems.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n');
}
