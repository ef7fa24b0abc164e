import { entrypointImage, type OwnProgram, shellImage } from './own-program.ts';

/** Settings of an installation: the values of the chart and of `tektite deploy`. Plain data, as in a file of values. */
export interface ReleaseValues {
  readonly image: string;
  readonly imagePullPolicy: string;
  readonly imagePullSecrets: readonly object[];
  readonly replicas: number;
  readonly logLevel: string;
  /** How long the others wait for a leader that is silent; it stops before. */
  readonly leaderElection: {
    readonly leaseDuration: string;
    readonly renewDeadline: string;
    readonly retryPeriod: string;
  };
  /** How long a Pod that is deleted still answers, while Services forget it. */
  readonly shutdownDelay: string;
  readonly extraArgs: readonly string[];
  /** Secrets and ConfigMaps whose keys are variables of the program: a database with its password, a proxy. */
  readonly envFrom: readonly object[];
  readonly resources: object;
  readonly nodeSelector: object;
  readonly tolerations: readonly object[];
  readonly affinity: object;
  readonly priorityClassName: string;
  readonly podDisruptionBudget: boolean;
  readonly networkPolicy: boolean;
  readonly serviceMonitor: boolean;
  readonly grafanaDashboard: boolean;
  readonly crds: { readonly install: boolean; readonly keep: boolean };
  /** pipelines, and the operator that installs it. */
  readonly entrypointImage?: string;
  readonly shellImage?: string;
  /** Where upstream has further Deployments: whether they are scaled to zero. */
  readonly takeover?: boolean;
  /** The operator: whether it creates a TektonConfig, and for which namespace. */
  readonly autoInstall?: { readonly enabled: boolean; readonly namespace: string };
  /** The dashboard: how users log in. */
  readonly login?: string;
}

/** Values of an installation on a cluster. */
export function clusterValues({ image }: Pick<OwnProgram, 'image'>): ReleaseValues {
  return {
    image,
    imagePullPolicy: 'IfNotPresent',
    imagePullSecrets: [],
    replicas: 2,
    logLevel: 'info',
    leaderElection: { leaseDuration: '3s', renewDeadline: '2s', retryPeriod: '1s' },
    shutdownDelay: '5s',
    extraArgs: [],
    envFrom: [],
    // Measured of Pipelines: 112 MB after a start, 157 MB with 1,000 runs; 4m CPU idle, 5 CPU seconds for 1,000 runs.
    resources: { requests: { cpu: '100m', memory: '192Mi' }, limits: { memory: '1Gi' } },
    nodeSelector: {},
    tolerations: [],
    affinity: {},
    priorityClassName: '',
    podDisruptionBudget: true,
    networkPolicy: true,
    serviceMonitor: false,
    grafanaDashboard: false,
    crds: { install: true, keep: true },
  };
}

/** Values of what an operator installs: how many replicas there are is a setting of the operator. */
export function installedValues(program: OwnProgram): ReleaseValues {
  return {
    ...clusterValues(program),
    replicas: 1,
    podDisruptionBudget: false,
    networkPolicy: false,
    resources: { requests: { cpu: '100m', memory: '128Mi' } },
    ...podImages(program),
  };
}

/** The images that the installer's environment names. Pods of this machine get their images from this machine. */
function podImages({ folders }: OwnProgram): Pick<ReleaseValues, 'entrypointImage' | 'shellImage'> {
  if (Object.keys(folders).length > 0) return {};
  const { TEKTITE_ENTRYPOINT_IMAGE, TEKTITE_SHELL_IMAGE } = process.env;
  return {
    entrypointImage: TEKTITE_ENTRYPOINT_IMAGE || entrypointImage,
    shellImage: TEKTITE_SHELL_IMAGE || shellImage,
  };
}

/** A part of a release that is there only with these values. */
export interface ReleaseObject<T> {
  readonly object: T;
  readonly when?: ValueTest;
}

/** The path of a value that has to be true, or has to be just this. */
export interface ValueTest {
  readonly path: string;
  readonly equals?: string;
}

/** Whether an object is part of a release with these values. */
export function isIncluded({ path, equals }: ValueTest, values: object): boolean {
  const value = path
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], values);
  return equals === undefined ? value === true : value === equals;
}
