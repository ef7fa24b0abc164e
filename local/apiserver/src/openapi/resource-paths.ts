import { equalJson, formatApiVersion, type GroupVersionKind } from '@tektite/meta';
import { definitionKey, type Descriptions, findDefinition, openApiName } from '@tektite/schema/kubernetes';
import type { Resource, Subresource } from '../registry/resource.ts';
import { type OpenApiSchema, refTo } from './open-api-schema.ts';
import { operationParameters, type Parameter, pathParameter } from './parameters.ts';
import { patchComponent } from './scalar-components.ts';

/** The part of a resource that a document needs. */
export type DocumentedResource = Pick<
  Resource,
  'group' | 'version' | 'kind' | 'listKind' | 'plural' | 'namespaced' | 'verbs' | 'subresources' | 'custom' | 'schema'
>;

export interface Operation {
  readonly tags: readonly string[];
  readonly description: string;
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content; readonly required?: true };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
  readonly 'x-kubernetes-action': string;
  readonly 'x-kubernetes-group-version-kind': GroupVersionKind;
}

type Content = Readonly<Record<string, { readonly schema: OpenApiSchema }>>;
export type PathItem = Readonly<Partial<Record<Method, Operation>>> & { readonly parameters?: readonly Parameter[] };
type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

const statusComponent = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';
const deleteOptionsComponent = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';

/** The name of a kind's component: `io.k8s.api.core.v1.Pod`, `com.example.v1.Widget`. */
export function componentName({ group, version, kind }: GroupVersionKind, custom: boolean): string {
  if (custom) return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
  const key = definitionKey(group, version, kind);
  return openApiName(findDefinition(key) ? key : `meta/v1.${kind}`);
}

/** All paths of one resource, with what can be done at them. */
export function resourcePaths(resource: DocumentedResource, descriptions: Descriptions): Record<string, PathItem> {
  return new PathBuilder(resource, descriptions).build();
}

class PathBuilder {
  private readonly resource: DocumentedResource;
  private readonly descriptions: Descriptions;

  constructor(resource: DocumentedResource, descriptions: Descriptions) {
    this.resource = resource;
    this.descriptions = descriptions;
  }

  build(): Record<string, PathItem> {
    const { resource } = this;
    const { plural, namespaced, verbs, kind } = resource;
    const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${formatApiVersion(resource)}`;
    const scope = namespaced ? `${root}/namespaces/{namespace}` : root;
    const has = (verb: string) => verbs.includes(verb);
    const paths: Record<string, PathItem> = {};
    const add = (path: string, operations: Partial<Record<Method, Operation>>, names: ('name' | 'namespace')[]) => {
      if (Object.keys(operations).length > 0) paths[path] = this.pathItem(operations, names);
    };
    if (namespaced && has('list')) add(`${root}/${plural}`, { get: this.list('ForAllNamespaces') }, []);
    const where = namespaced ? (['namespace'] as const) : [];
    add(
      `${scope}/${plural}`,
      {
        ...(has('list') ? { get: this.list('') } : {}),
        ...(has('create') ? { post: this.create() } : {}),
        ...(has('deletecollection') ? { delete: this.deleteCollection() } : {}),
      },
      [...where],
    );
    add(
      `${scope}/${plural}/{name}`,
      {
        ...(has('get') ? { get: this.read(kind, '') } : {}),
        ...(has('update') ? { put: this.replace(kind, '') } : {}),
        ...(has('delete') ? { delete: this.remove() } : {}),
        ...(has('patch') ? { patch: this.patch(kind, '') } : {}),
      },
      ['name', ...where],
    );
    for (const subresource of resource.subresources) {
      add(`${scope}/${plural}/{name}/${subresource.name}`, this.subresource(subresource), ['name', ...where]);
    }
    return paths;
  }

  private subresource(subresource: Subresource): Partial<Record<Method, Operation>> {
    const { name, verbs } = subresource;
    if (subresource.kind.endsWith('Options')) return this.connect(subresource);
    return {
      ...(verbs.includes('get') ? { get: this.read(subresource, name) } : {}),
      ...(verbs.includes('create') ? { post: this.create(subresource) } : {}),
      ...(verbs.includes('update') ? { put: this.replace(subresource, name) } : {}),
      ...(verbs.includes('patch') ? { patch: this.patch(subresource, name) } : {}),
    };
  }

  private connect(subresource: Subresource): Partial<Record<Method, Operation>> {
    const methods = { get: 'get', create: 'post', update: 'put', delete: 'delete', patch: 'patch' } as const;
    const result: Partial<Record<Method, Operation>> = {};
    for (const verb of subresource.verbs) {
      const method = methods[verb as keyof typeof methods];
      if (!method) continue;
      const id = `connect${this.groupId()}${upper(method)}${this.scopeId()}${this.resource.kind}${upper(subresource.name)}`;
      result[method] = {
        ...this.head(id, `connect ${method.toUpperCase()} requests to ${subresource.name} of ${this.resource.kind}`),
        responses: { 200: { description: 'OK', content: { '*/*': { schema: { type: 'string' } } } }, ...unauthorized },
        ...this.tail('connect', subresource),
      };
    }
    return result;
  }

  private list(suffix: string): Operation {
    const { kind, listKind, custom, verbs } = this.resource;
    const id = `list${this.groupId()}${suffix === '' ? this.scopeId() : ''}${kind}${suffix}`;
    const list = refTo(componentName({ ...this.resource, kind: listKind }, custom));
    const action = !custom && verbs.includes('watch') ? 'list or watch' : 'list';
    return this.operation('list', id, `${action} objects of kind ${kind}`, { 200: list });
  }

  private create(subresource?: Subresource): Operation {
    const { kind } = this.resource;
    const schema = this.schemaOf(subresource ?? kind);
    const id = `create${this.groupId()}${this.scopeId()}${kind}${upper(subresource?.name ?? '')}`;
    const text = subresource ? `create ${subresource.name} of${article(kind)}${kind}` : `create${article(kind)}${kind}`;
    return this.operation('post', id, text, { 200: schema, 201: schema, 202: schema }, schema, subresource);
  }

  private read(target: string | Subresource, name: string): Operation {
    const schema = this.schemaOf(target);
    return this.operation(
      'get',
      this.namedId('read', name),
      `read ${ofKind(name)}${this.specified}`,
      { 200: schema },
      undefined,
      target,
    );
  }

  private replace(target: string | Subresource, name: string): Operation {
    const schema = this.schemaOf(target);
    const text = `replace ${ofKind(name)}${this.specified}`;
    return this.operation('put', this.namedId('replace', name), text, { 200: schema, 201: schema }, schema, target);
  }

  private patch(target: string | Subresource, name: string): Operation {
    const schema = this.schemaOf(target);
    const { custom } = this.resource;
    const text = `partially update ${ofKind(name)}${this.specified}`;
    const answers: Record<number, OpenApiSchema> = custom ? { 200: schema } : { 200: schema, 201: schema };
    return this.operation('patch', this.namedId('patch', name), text, answers, refTo(patchComponent), target);
  }

  private remove(): Operation {
    const { kind } = this.resource;
    const status = refTo(statusComponent);
    const id = this.namedId('delete', '');
    const body = refTo(deleteOptionsComponent);
    return this.operation('delete', id, `delete${article(kind)}${kind}`, { 200: status, 202: status }, body);
  }

  private deleteCollection(): Operation {
    const { kind, custom } = this.resource;
    const id = `delete${this.groupId()}Collection${this.scopeId()}${kind}`;
    const body = custom ? undefined : refTo(deleteOptionsComponent);
    return this.operation(
      'deletecollection',
      id,
      `delete collection of ${kind}`,
      { 200: refTo(statusComponent) },
      body,
    );
  }

  private operation(
    action: string,
    id: string,
    description: string,
    answers: Readonly<Record<number, OpenApiSchema>>,
    body?: OpenApiSchema,
    target?: string | Subresource,
  ): Operation {
    const responses: Record<string, { description: string; content?: Content }> = {};
    for (const [code, schema] of Object.entries(answers))
      responses[code] = { description: answerNames[code] as string, content: this.content(schema) };
    return {
      ...this.head(id, description),
      parameters: operationParameters(action, this.resource.custom, this.descriptions),
      ...(body ? { requestBody: this.requestBody(action, body) } : {}),
      responses: { ...responses, ...unauthorized },
      ...this.tail(action, target),
    };
  }

  private requestBody(action: string, schema: OpenApiSchema): NonNullable<Operation['requestBody']> {
    if (action === 'delete' || action === 'deletecollection') return { content: this.content(schema) };
    if (action !== 'patch') return { content: this.content(schema), required: true };
    const types = ['apply-patch+yaml', 'json-patch+json', 'merge-patch+json'];
    if (!this.resource.custom) types.push('strategic-merge-patch+json');
    return { content: Object.fromEntries(types.map((type) => [`application/${type}`, { schema }])), required: true };
  }

  private content(schema: OpenApiSchema): Content {
    return { 'application/json': { schema }, 'application/yaml': { schema } };
  }

  private head(operationId: string, description: string) {
    const group = this.groupId(false);
    const tag = `${group.charAt(0).toLowerCase()}${group.slice(1)}_${this.resource.version}`;
    return { tags: [tag], description, operationId };
  }

  /** A subresource of a built-in kind has a separate kind, that of a custom resource of the resource's. */
  private tail(action: string, target?: string | Subresource) {
    const { group, version, kind, custom } = this.resource;
    const own = custom || target === undefined || typeof target === 'string';
    const shown = own ? { group, version, kind } : kindOf(target, this.resource);
    return { 'x-kubernetes-action': action, 'x-kubernetes-group-version-kind': shown };
  }

  private schemaOf(target: string | Subresource): OpenApiSchema {
    const { custom } = this.resource;
    if (typeof target === 'string') return refTo(componentName(this.resource, custom));
    const shown = kindOf(target, this.resource);
    return refTo(componentName(shown, custom && shown.group === this.resource.group));
  }

  /** Parameters that all operations of a path share stand beside them. */
  private pathItem(operations: Partial<Record<Method, Operation>>, names: ('name' | 'namespace')[]): PathItem {
    const all = Object.values(operations);
    const [first, ...others] = all.map((operation) => operation.parameters ?? []);
    const shared = (first ?? []).filter((parameter) =>
      others.every((list) => list.some((other) => equalJson(parameter, other))),
    );
    const result: Partial<Record<Method, Operation>> = {};
    for (const [method, { parameters, ...operation }] of Object.entries(operations)) {
      const own = (parameters ?? []).filter(({ name }) => !shared.some((parameter) => parameter.name === name));
      result[method as Method] = own.length > 0 ? { ...operation, parameters: own } : operation;
    }
    const path = names.map((name) => pathParameter(name, this.resource.kind, this.descriptions));
    const parameters = [...path, ...shared].sort((a, b) => (a.name < b.name ? -1 : 1));
    return parameters.length > 0 ? { ...result, parameters } : result;
  }

  private get specified(): string {
    return `the specified ${this.resource.kind}`;
  }

  private namedId(verb: string, subresource: string): string {
    return `${verb}${this.groupId()}${this.scopeId()}${this.resource.kind}${upper(subresource)}`;
  }

  private scopeId(): string {
    return this.resource.namespaced ? 'Namespaced' : '';
  }

  /** `RbacAuthorizationV1` for `rbac.authorization.k8s.io/v1`. */
  private groupId(withVersion = true): string {
    const { group, version } = this.resource;
    const name = group === '' ? 'core' : group.replace(/\.k8s\.io$/, '');
    const parts = name.split(/[.-]/).map(upper).join('');
    return withVersion ? parts + upper(version) : parts;
  }
}

const answerNames: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };
const unauthorized = { 401: { description: 'Unauthorized' } };

function kindOf({ group, version, kind }: Subresource, resource: GroupVersionKind): GroupVersionKind {
  return { group: group ?? resource.group, version: version ?? resource.version, kind };
}

function ofKind(subresource: string): string {
  return subresource === '' ? '' : `${subresource} of `;
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** ` a `, ` an `, or a space before what looks like a plural. */
function article(noun: string): string {
  if (noun.endsWith('s') && !noun.endsWith('ss')) return ' ';
  return /^[aeiou]/i.test(noun) ? ' an ' : ' a ';
}
