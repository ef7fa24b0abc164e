import { applyEdit, type Edit, type Operation } from '../operation.ts';
import type { Choice } from './choice.ts';
import type { Definitions } from './json-schema.ts';
import { objectName, objectOf, sequenceLabel, type Target } from './target.ts';
import { editOf } from './values.ts';

const names = ['a', 'b', 'c'];
const tableAccept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const metadataAccept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json';
const metadataListAccept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';

/** Makes operations on the objects of targets, by chance. */
export class Verbs {
  private readonly choice: Choice;
  private readonly definitions: Definitions;

  constructor(choice: Choice, definitions: Definitions) {
    this.choice = choice;
    this.definitions = definitions;
  }

  any(target: Target): Operation {
    const { choice } = this;
    const verbs = [
      () => this.create(target),
      () => this.create(target),
      () => this.get(target),
      () => this.list(target),
      () => this.update(target),
      () => this.update(target),
      () => this.patch(target),
      () => this.patch(target),
      () => this.apply(target),
      () => this.apply(target),
      () => this.apply(target),
      () => this.remove(target),
      ...(target.hasStatus ? [() => this.status(target)] : []),
      ...(target.hasScale ? [() => this.scale(target)] : []),
      ...(choice.chance(0.2) ? [() => this.removeCollection(target), () => this.oddRequest(target)] : []),
    ];
    return choice.pick(verbs)();
  }

  create(target: Target, name = this.choice.pick(names)): Operation {
    const { choice } = this;
    const object = this.mutated(objectOf(target, name, this.metadata(target)), target);
    const generated = choice.chance(0.05)
      ? edited(object, [{ at: '/metadata/name' }, { at: '/metadata/generateName', value: 'generated-' }])
      : object;
    return { method: 'POST', path: `${target.collection}${this.writeQuery()}`, body: generated };
  }

  get(target: Target): Operation {
    const { choice } = this;
    const accept = choice.chance(0.3) ? { accept: choice.pick([tableAccept, metadataAccept]) } : {};
    const query = choice.chance(0.15) ? `?resourceVersion=${choice.pick(['0', '1', '', 'x'])}` : '';
    return { method: 'GET', path: `${this.path(target)}${query}`, ...accept };
  }

  list(target: Target): Operation {
    const { choice } = this;
    const query = new URLSearchParams();
    query.set(
      'labelSelector',
      [`${sequenceLabel}={{ns}}`, ...(choice.chance(0.2) ? [choice.pick(selectors)] : [])].join(','),
    );
    if (choice.chance(0.25)) query.set('fieldSelector', choice.pick(fieldSelectors));
    if (choice.chance(0.3)) query.set('limit', choice.pick(['1', '2', '0', '-1', 'x']));
    if (choice.chance(0.2))
      query.set('resourceVersion', choice.pick(['0', '1', '', 'x', `{{version of ${target.collection}}}`]));
    if (choice.chance(0.15)) query.set('resourceVersionMatch', choice.pick(['Exact', 'NotOlderThan', 'Newest', '']));
    if (choice.chance(0.15)) query.set('continue', choice.pick([`{{continue of ${target.collection}}}`, 'x', '']));
    if (choice.chance(0.03)) query.set('timeoutSeconds', choice.pick(['1', 'x', '-1']));
    if (choice.chance(0.03)) query.set('sendInitialEvents', choice.pick(['true', 'false', 'x']));
    const accept = choice.chance(0.25) ? { accept: choice.pick([tableAccept, metadataListAccept]) } : {};
    return { method: 'GET', path: `${target.collection}?${plain(query)}`, ...accept };
  }

  update(target: Target): Operation {
    const { choice } = this;
    const path = this.path(target);
    const edits = choice.times(2, () => this.edit(objectOf(target, 'a'), target));
    const version = choice.chance(0.15)
      ? [{ at: '/metadata/resourceVersion', ...choice.pick([{}, { value: '1' }, { value: '0' }, { value: 'x' }]) }]
      : [];
    if (choice.chance(0.2)) {
      const name = choice.pick(names);
      return {
        method: 'PUT',
        path: `${path}${this.writeQuery()}`,
        body: this.mutated(objectOf(target, name, this.metadata(target)), target),
      };
    }
    return {
      method: 'PUT',
      path: `${path}${this.writeQuery()}`,
      basedOn: path,
      edits: [...this.metadataEdits(), ...edits, ...version],
    };
  }

  patch(target: Target): Operation {
    const { choice } = this;
    const path = `${this.path(target)}${this.writeQuery()}`;
    const edits = [
      this.edit(objectOf(target, 'a'), target),
      ...choice.times(2, () => this.edit(objectOf(target, 'a'), target)),
      ...this.metadataEdits(),
    ];
    const type = choice.pick(['json', 'merge', 'strategic'] as const);
    if (type === 'json')
      return {
        method: 'PATCH',
        path,
        contentType: 'application/json-patch+json',
        body: edits.map((edit) => this.jsonPatch(edit)),
      };
    const body = edits
      .filter(({ at }) => at !== '')
      .reduce(
        (patch: unknown, { at, value }) =>
          applyEdit(patch, { at: at.replace('/-', '/0'), value: value === undefined ? null : value }),
        {},
      );
    return {
      method: 'PATCH',
      path,
      contentType: `application/${type === 'merge' ? 'merge' : 'strategic-merge'}-patch+json`,
      body,
    };
  }

  apply(target: Target): Operation {
    const { choice } = this;
    const name = choice.pick(names);
    const manager = choice.pick(['one', 'two', 'two', 'three', '']);
    const options = [
      ...(manager === '' ? [] : [`fieldManager=${manager}`]),
      ...(choice.chance(0.3) ? [`force=${choice.pick(['true', 'true', 'false', 'x'])}`] : []),
      ...this.options(),
    ];
    const path = `${target.collection}/${objectName(target, name)}?${options.join('&')}`;
    const whole = this.mutated(objectOf(target, choice.chance(0.97) ? name : 'other', this.metadata(target)), target);
    const extra = choice.chance(0.06) ? [choice.pick(applyEdits(target))] : [];
    const subresource = target.hasStatus && choice.chance(0.1) ? '/status' : '';
    return {
      method: 'PATCH',
      path: path.replace('?', `${subresource}?`),
      contentType: 'application/apply-patch+yaml',
      body: edited(choice.chance(0.3) ? this.thinned(whole) : whole, extra),
    };
  }

  remove(target: Target): Operation {
    const { choice } = this;
    const body = choice.chance(0.4) ? { body: choice.pick(deleteOptions(this.path(target))) } : {};
    const query = choice.chance(0.15)
      ? choice.pick([
          '?dryRun=All',
          '?gracePeriodSeconds=0',
          '?propagationPolicy=Foreground',
          '?propagationPolicy=x',
          '?orphanDependents=true',
        ])
      : '';
    return { method: 'DELETE', path: `${this.path(target)}${query}`, ...body };
  }

  removeCollection(target: Target): Operation {
    const query = `?labelSelector=${sequenceLabel}={{ns}}${this.choice.chance(0.3) ? '&limit=1' : ''}`;
    return { method: 'DELETE', path: `${target.collection}${query}` };
  }

  status(target: Target): Operation {
    const { choice } = this;
    const path = this.path(target);
    const status = this.definitions.resolve(target.schema).properties?.status ?? {};
    const { at, ...change } = editOf({}, status, this.definitions, choice);
    const edit = { at: `/status${at}`, ...change };
    if (choice.chance(0.3)) return { method: 'GET', path: `${path}/status` };
    if (choice.chance(0.5))
      return {
        method: 'PUT',
        path: `${path}/status${this.writeQuery()}`,
        basedOn: path,
        edits: [edit, ...choice.some([this.edit(objectOf(target, 'a'), target)], 0.2)],
      };
    const body = applyEdit(
      {},
      { at: edit.at.replace('/-', '/0'), value: edit.value === undefined ? null : edit.value },
    );
    return {
      method: 'PATCH',
      path: `${path}/status${this.writeQuery()}`,
      contentType: 'application/merge-patch+json',
      body,
    };
  }

  scale(target: Target): Operation {
    const { choice } = this;
    const path = `${this.path(target)}/scale`;
    if (choice.chance(0.3)) return { method: 'GET', path };
    const replicas = choice.pick([0, 1, 3, -1, 2_147_483_648, '1', null]);
    if (choice.chance(0.5))
      return {
        method: 'PATCH',
        path: `${path}${this.writeQuery()}`,
        contentType: 'application/merge-patch+json',
        body: { spec: { replicas } },
      };
    return {
      method: 'PUT',
      path: `${path}${this.writeQuery()}`,
      basedOn: path,
      edits: [{ at: '/spec/replicas', value: replicas }],
    };
  }

  /** All events of the target since the sequence's first list of it. */
  watch(target: Target): Operation {
    const version = `{{version of ${target.collection}}}`;
    const { choice } = this;
    const selector = choice.chance(0.2) ? `,${choice.pick(selectors)}` : '';
    const accept = choice.chance(0.2) ? { accept: choice.pick([tableAccept, metadataAccept]) } : {};
    return {
      method: 'GET',
      path: `${target.collection}?watch=true&timeoutSeconds=1&labelSelector=${encode(`${sequenceLabel}={{ns}}${selector}`)}&resourceVersion=${version}`,
      watch: true,
      ...accept,
    };
  }

  private oddRequest(target: Target): Operation {
    const { choice } = this;
    const path = this.path(target);
    return choice.pick<Operation>([
      { method: 'POST', path, body: objectOf(target, 'a') },
      { method: 'PUT', path: target.collection, body: objectOf(target, 'a') },
      { method: 'PATCH', path, contentType: 'application/json', body: {} },
      { method: 'PATCH', path, contentType: 'text/plain', bodyText: 'x' },
      { method: 'POST', path: target.collection, bodyText: '{' },
      { method: 'POST', path: target.collection, bodyText: '' },
      { method: 'POST', path: target.collection, body: { ...objectOf(target, 'a'), kind: 'Other' } },
      { method: 'POST', path: target.collection, body: { ...objectOf(target, 'a'), apiVersion: 'example.com/v9' } },
      { method: 'POST', path: target.collection, contentType: 'application/yaml', bodyText: 'a: b: c' },
      { method: 'GET', path: `${path}/nothing` },
      { method: 'GET', path, accept: 'text/html' },
      {
        method: 'PATCH',
        path: `${path}?fieldManager=one`,
        contentType: 'application/apply-patch+yaml',
        bodyText: 'a: [',
      },
      {
        method: 'PATCH',
        path: `${path}?fieldManager=one`,
        contentType: 'application/apply-patch+yaml',
        bodyText: '[]',
      },
      {
        method: 'PATCH',
        path: `${path}?fieldManager=one`,
        contentType: 'application/apply-patch+yaml',
        bodyText: 'metadata: {}',
      },
      { method: 'PATCH', path, contentType: 'application/json-patch+json', bodyText: '{}' },
      { method: 'PATCH', path, contentType: 'application/merge-patch+json', bodyText: '[]' },
    ]);
  }

  private path(target: Target): string {
    return `${target.collection}/${objectName(target, this.choice.pick(names))}`;
  }

  private metadata(target: Target): Record<string, unknown> {
    const { choice } = this;
    return {
      ...(choice.chance(0.1) ? { annotations: { note: choice.pick(['', 'x']) } } : {}),
      ...(choice.chance(0.05)
        ? { finalizers: [choice.pick(['example.com/keep', 'bad finalizer', 'orphan', 'foregroundDeletion'])] }
        : {}),
      ...(choice.chance(0.03) ? { resourceVersion: choice.pick(['1', '0', 'x']) } : {}),
      ...(choice.chance(0.03) ? { uid: choice.pick(['x', `{{uid of ${target.collection}/a}}`]) } : {}),
      ...(choice.chance(0.03) ? { namespace: choice.pick(['other', '', '{{ns}}']) } : {}),
      ...(choice.chance(0.03)
        ? { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: choice.pick(['', 'x']) }] }
        : {}),
      ...(choice.chance(0.03)
        ? {
            managedFields: choice.pick<unknown>([
              [],
              [{}],
              [{ manager: 'x', operation: 'Update', apiVersion: 'v1' }],
              null,
            ]),
          }
        : {}),
    };
  }

  private metadataEdits(): readonly Edit[] {
    const { choice } = this;
    if (choice.chance(0.8)) return [];
    return [
      choice.pick<Edit>([
        { at: '/metadata/labels/extra', value: choice.pick(['x', 'bad label', '', null]) },
        { at: '/metadata/annotations', value: choice.pick<unknown>([{ a: 'b' }, { 'bad key ': 'x' }, null]) },
        { at: '/metadata/finalizers', value: choice.pick<unknown>([[], ['example.com/keep'], null]) },
        { at: '/metadata/uid', value: choice.pick(['x', '']) },
        { at: '/metadata/name', value: 'other' },
        { at: '/metadata/generateName', value: 'x' },
        { at: '/metadata/creationTimestamp', value: choice.pick<unknown>([null, '2020-01-01T00:00:00Z', 'x']) },
        { at: '/metadata/deletionTimestamp', value: '2020-01-01T00:00:00Z' },
        { at: '/metadata/generation', value: 7 },
        { at: '/metadata/managedFields', value: choice.pick<unknown>([[], null, [{}]]) },
        { at: '/metadata/selfLink', value: 'x' },
      ]),
    ];
  }

  /** At times valid, at times with a few changes that the schema suggests. */
  private mutated(object: Record<string, unknown>, target: Target): Record<string, unknown> {
    const count = this.choice.pick([0, 0, 1, 1, 1, 2, 3]);
    const edits = Array.from({ length: count }, () => this.edit(object, target));
    return edited(object, edits);
  }

  /** A change outside of the metadata, which has operations that mean it. */
  private edit(object: Record<string, unknown>, target: Target): Edit {
    for (let tries = 0; tries < 20; tries++) {
      const edit = editOf(object, target.schema, this.definitions, this.choice);
      if (edit.at !== '' && !/^\/(metadata|apiVersion|kind)/.test(edit.at)) return edit;
    }
    return { at: '/metadata/labels/touched', value: 'x' };
  }

  /** Without some of its fields, as managers apply parts of an object. */
  private thinned(object: Record<string, unknown>): Record<string, unknown> {
    const { apiVersion, kind, metadata, ...rest } = object;
    return { apiVersion, kind, metadata, ...Object.fromEntries(this.choice.some(Object.entries(rest))) };
  }

  private jsonPatch({ at, value }: Edit): Record<string, unknown> {
    if (value === undefined) return { op: 'remove', path: at };
    return { op: this.choice.pick(['add', 'add', 'replace', 'test']), path: at, value };
  }

  private writeQuery(): string {
    const options = this.options();
    return options.length === 0 ? '' : `?${options.join('&')}`;
  }

  private options(): readonly string[] {
    const { choice } = this;
    return [
      ...(choice.chance(0.08) ? [`dryRun=${choice.pick(['All', 'All', 'x', ''])}`] : []),
      ...(choice.chance(0.25) ? [`fieldValidation=${choice.pick(['Strict', 'Warn', 'Ignore', 'x'])}`] : []),
    ];
  }
}

const selectors = ['app=web', 'app!=web', 'app in (a,b)', '!app', 'app', 'app==', 'a b', 'app in ()', '=x'];
const fieldSelectors = [
  'metadata.name=a',
  'metadata.name!=a',
  'metadata.namespace=default',
  'spec.nodeName=x',
  'status.phase=Pending',
  'type=Opaque',
  'a.b=c',
  'x',
  'metadata.name=a,metadata.name=b',
  '',
];

function edited(object: Record<string, unknown>, edits: readonly Edit[]): Record<string, unknown> {
  return edits.reduce<unknown>(applyEdit, object) as Record<string, unknown>;
}

function applyEdits(target: Target): readonly Edit[] {
  return [
    { at: '/metadata/name' },
    { at: '/metadata/managedFields', value: [{}] },
    { at: '/metadata/uid', value: 'x' },
    { at: '/metadata/uid', value: `{{uid of ${target.collection}/a}}` },
    { at: '/metadata/resourceVersion', value: '1' },
    { at: '/metadata/resourceVersion', value: `{{version of ${target.collection}/a}}` },
    { at: '/metadata/labels', value: null },
    { at: '/metadata', value: null },
    { at: '/apiVersion' },
    { at: '/kind' },
    { at: '/kind', value: 'Other' },
    { at: '/apiVersion', value: 'v9' },
  ];
}

function deleteOptions(path: string): readonly unknown[] {
  return [
    {},
    { propagationPolicy: 'Foreground' },
    { propagationPolicy: 'Orphan' },
    { propagationPolicy: 'Background' },
    { propagationPolicy: 'x' },
    { gracePeriodSeconds: 0 },
    { gracePeriodSeconds: -1 },
    { gracePeriodSeconds: 30 },
    { preconditions: { uid: 'x' } },
    { preconditions: { uid: `{{uid of ${path}}}` } },
    { preconditions: { resourceVersion: '1' } },
    { preconditions: { resourceVersion: `{{version of ${path}}}` } },
    { dryRun: ['All'] },
    { dryRun: ['x'] },
    { orphanDependents: true },
    { orphanDependents: false, propagationPolicy: 'Foreground' },
    { kind: 'DeleteOptions', apiVersion: 'v1' },
    { kind: 'Other', apiVersion: 'v1' },
    { unknownField: 1 },
  ];
}

/** The query with references left as they are: they are filled in later. */
function plain(query: URLSearchParams): string {
  return [...query].map(([key, value]) => `${key}=${encode(value)}`).join('&');
}

function encode(value: string): string {
  return value
    .split(/(\{\{[^}]+\}\})/)
    .map((part) => (part.startsWith('{{') ? part : encodeURIComponent(part)))
    .join('');
}
