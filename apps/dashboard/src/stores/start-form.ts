import type { KubeObject } from '@tektite/meta';
import type { ParamSpec } from '@tektite/pipelines/runs';
import { runAgain } from '../run/index.ts';

/** A field of the form that starts a Pipeline or Task. */
export interface ParamField {
  readonly name: string;
  readonly type: 'string' | 'array' | 'object';
  readonly description: string;
  readonly choices: readonly string[];
  /** As it is typed: arrays and objects as JSON. */
  readonly text: string;
  readonly isRequired: boolean;
}

export interface WorkspaceField {
  readonly name: string;
  readonly description: string;
  readonly isOptional: boolean;
}

export interface StartForm {
  readonly params: readonly ParamField[];
  readonly workspaces: readonly WorkspaceField[];
}

/** The values of the form: texts of params by name; of workspaces `emptyDir`, `claim:NAME`, `configMap:NAME`, `secret:NAME` or nothing. */
export interface StartValues {
  readonly params: Readonly<Record<string, string>>;
  readonly workspaces: Readonly<Record<string, string>>;
  readonly serviceAccount: string;
}

interface Startable extends KubeObject {
  readonly spec?: {
    readonly description?: string;
    readonly params?: readonly (ParamSpec & { readonly enum?: readonly string[] })[];
    readonly workspaces?: readonly {
      readonly name: string;
      readonly description?: string;
      readonly optional?: boolean;
    }[];
  };
}

/** The form of a Pipeline or Task, from its params and workspaces. */
export function startForm(object: KubeObject): StartForm {
  const { params = [], workspaces = [] } = (object as Startable).spec ?? {};
  return {
    params: params.map(({ name, type, description = '', default: value, enum: choices = [] }) => ({
      name,
      type: type ?? typeOf(value),
      description,
      choices,
      text: value === undefined ? '' : valueText(value),
      isRequired: value === undefined,
    })),
    workspaces: workspaces.map(({ name, description = '', optional = false }) => ({
      name,
      description,
      isOptional: optional,
    })),
  };
}

/** The form with its defaults. */
export function emptyForm(object: KubeObject): { readonly form: StartForm; readonly values: StartValues } {
  const form = startForm(object);
  return {
    form,
    values: {
      params: Object.fromEntries(form.params.map(({ name, text }) => [name, text])),
      workspaces: Object.fromEntries(
        form.workspaces.map(({ name, isOptional }) => [name, isOptional ? '' : 'emptyDir']),
      ),
      serviceAccount: '',
    },
  };
}

function typeOf(value: unknown): ParamField['type'] {
  return Array.isArray(value) ? 'array' : typeof value === 'object' && value !== null ? 'object' : 'string';
}

/** Errors of the values, by field; empty when all are valid. */
export function checkValues(form: StartForm, values: StartValues): ReadonlyMap<string, string> {
  const errors = new Map<string, string>();
  for (const { name, type, isRequired } of form.params) {
    const text = values.params[name] ?? '';
    if (type === 'string') {
      if (isRequired && text === '') errors.set(name, 'needs a value');
    } else if (!isOfType(text, type))
      errors.set(name, type === 'array' ? 'must be a list: ["a", "b"]' : 'must be an object: {"key": "value"}');
  }
  for (const { name, isOptional } of form.workspaces)
    if (!isOptional && !values.workspaces[name]) errors.set(name, 'choose what to mount');
  return errors;
}

function isOfType(text: string, type: 'array' | 'object'): boolean {
  try {
    return typeOf(JSON.parse(text)) === type;
  } catch {
    return false;
  }
}

/** The run that the form describes. Params with their default are left out, so that the run follows later defaults. */
export function runFromForm(object: KubeObject, form: StartForm, values: StartValues): KubeObject {
  const { kind, metadata } = object;
  const { name = '', namespace } = metadata;
  const params = form.params.flatMap(({ name: param, type, text, isRequired }) => {
    const given = values.params[param] ?? text;
    if (given === text && !isRequired) return [];
    return [{ name: param, value: type === 'string' ? given : (JSON.parse(given) as unknown) }];
  });
  const workspaces = form.workspaces.flatMap(({ name: workspace }) => {
    const source = sourceOf(values.workspaces[workspace] ?? '');
    return source ? [{ name: workspace, ...source }] : [];
  });
  const account = values.serviceAccount;
  const isPipeline = kind === 'Pipeline';
  return {
    apiVersion: 'tekton.dev/v1',
    kind: isPipeline ? 'PipelineRun' : 'TaskRun',
    metadata: { generateName: `${name}-`, ...(namespace ? { namespace } : {}) },
    spec: {
      [isPipeline ? 'pipelineRef' : 'taskRef']: { name },
      ...(params.length > 0 ? { params } : {}),
      ...(workspaces.length > 0 ? { workspaces } : {}),
      ...(account
        ? isPipeline
          ? { taskRunTemplate: { serviceAccountName: account } }
          : { serviceAccountName: account }
        : {}),
    },
  } as KubeObject;
}

/** The binding of the run that the form was filled from. */
const asBefore = 'as before';

interface StartedRun extends KubeObject {
  readonly spec?: {
    readonly params?: readonly { readonly name: string; readonly value?: unknown }[];
    readonly workspaces?: readonly (Record<string, unknown> & { readonly name: string })[];
    readonly pipelineSpec?: Startable['spec'];
    readonly taskSpec?: Startable['spec'];
    readonly serviceAccountName?: string;
    readonly taskRunTemplate?: { readonly serviceAccountName?: string };
  };
  readonly status?: { readonly pipelineSpec?: Startable['spec']; readonly taskSpec?: Startable['spec'] };
}

/** The form of a run: that of its Pipeline or Task, filled with the values that the run has. */
export function formOfRun(run: KubeObject): { readonly form: StartForm; readonly values: StartValues } {
  const { spec, status, ...rest } = run as StartedRun;
  const definition = status?.pipelineSpec ?? status?.taskSpec ?? spec?.pipelineSpec ?? spec?.taskSpec ?? {};
  const given = new Map((spec?.params ?? []).map(({ name, value }) => [name, value]));
  // Params that the definition does not declare are for the tasks within it.
  const declared = new Set((definition.params ?? []).map(({ name }) => name));
  const others = [...given]
    .filter(([name]) => !declared.has(name))
    .map(([name, value]) => ({ name, default: value as never }));
  const form = startForm({
    ...rest,
    spec: { ...definition, params: [...(definition.params ?? []), ...others] },
  } as KubeObject);
  const bound = new Map((spec?.workspaces ?? []).map((workspace) => [workspace.name, workspace]));
  return {
    form,
    values: {
      params: Object.fromEntries(
        form.params.map(({ name, text }) => [name, given.has(name) ? valueText(given.get(name)) : text]),
      ),
      workspaces: Object.fromEntries(form.workspaces.map(({ name }) => [name, workspaceText(bound.get(name))])),
      serviceAccount: spec?.serviceAccountName ?? spec?.taskRunTemplate?.serviceAccountName ?? '',
    },
  };
}

/** The run once more, with other values. What the form does not show stays as it was. */
export function runWithValues(run: KubeObject, form: StartForm, values: StartValues): KubeObject {
  const again = runAgain(run) as StartedRun;
  const made = runFromForm({ ...run, kind: run.kind.replace(/Run$/, '') }, form, values) as StartedRun;
  const { spec: before } = run as StartedRun;
  const workspaces = form.workspaces.flatMap(({ name }) => {
    const kept = values.workspaces[name] === asBefore && before?.workspaces?.find((each) => each.name === name);
    const chosen = kept || made.spec?.workspaces?.find((each) => each.name === name);
    return chosen ? [chosen] : [];
  });
  const { params: _, workspaces: __, ...spec } = again.spec ?? {};
  const { serviceAccountName, taskRunTemplate } = made.spec ?? {};
  return {
    ...again,
    spec: {
      ...spec,
      ...(made.spec?.params ? { params: made.spec.params } : {}),
      ...(workspaces.length > 0 ? { workspaces } : {}),
      ...(serviceAccountName ? { serviceAccountName } : {}),
      ...(taskRunTemplate ? { taskRunTemplate: { ...spec.taskRunTemplate, ...taskRunTemplate } } : {}),
    },
  } as KubeObject;
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

function workspaceText(workspace: Record<string, unknown> | undefined): string {
  if (!workspace) return '';
  const { name: _, ...source } = workspace;
  const texts = ['emptyDir', ...['claim', 'configMap', 'secret'].map((kind) => `${kind}:${nameIn(source)}`)];
  return texts.find((text) => JSON.stringify(sourceOf(text)) === JSON.stringify(source)) ?? asBefore;
}

function nameIn(source: Record<string, unknown>): string {
  const [first] = Object.values(source);
  const { claimName, name, secretName } = (first ?? {}) as Record<string, unknown>;
  return String(claimName ?? name ?? secretName ?? '');
}

function sourceOf(text: string): object | undefined {
  if (text === 'emptyDir') return { emptyDir: {} };
  const [, kind, name = ''] = /^(claim|configMap|secret):(.+)$/.exec(text) ?? [];
  if (kind === 'claim') return { persistentVolumeClaim: { claimName: name } };
  if (kind === 'configMap') return { configMap: { name } };
  return kind === 'secret' ? { secret: { secretName: name } } : undefined;
}
