import { applyEdit, type Edit, type Operation } from '../operation.ts';
import type { Choice } from './choice.ts';
import type { Definitions } from './json-schema.ts';
import { metadataEdits, oddMetadata } from './odd-metadata.ts';
import { applyEdits, deleteOptions, fieldSelectors, oddRequests, selectors } from './odd-requests.ts';
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
      ...(choice.chance(0.2)
        ? [() => this.removeCollection(target), () => choice.pick(oddRequests(target, this.path(target)))]
        : []),
    ];
    return choice.pick(verbs)();
  }

  create(target: Target, name = this.choice.pick(names)): Operation {
    const { choice } = this;
    const object = this.mutated(objectOf(target, name, oddMetadata(choice, target)), target);
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
        body: this.mutated(objectOf(target, name, oddMetadata(choice, target)), target),
      };
    }
    return {
      method: 'PUT',
      path: `${path}${this.writeQuery()}`,
      basedOn: path,
      edits: [...metadataEdits(choice), ...edits, ...version],
    };
  }

  patch(target: Target): Operation {
    const { choice } = this;
    const path = `${this.path(target)}${this.writeQuery()}`;
    const edits = [
      this.edit(objectOf(target, 'a'), target),
      ...choice.times(2, () => this.edit(objectOf(target, 'a'), target)),
      ...metadataEdits(choice),
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
    const whole = this.mutated(
      objectOf(target, choice.chance(0.97) ? name : 'other', oddMetadata(choice, target)),
      target,
    );
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

  private path(target: Target): string {
    return `${target.collection}/${objectName(target, this.choice.pick(names))}`;
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

function edited(object: Record<string, unknown>, edits: readonly Edit[]): Record<string, unknown> {
  return edits.reduce<unknown>(applyEdit, object) as Record<string, unknown>;
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
