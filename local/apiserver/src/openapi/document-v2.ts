import type { OpenApiDocument } from './document-v3.ts';
import type { Operation, PathItem } from './resource-paths.ts';

/** A Swagger 2.0 document of everything the server has. */
export interface SwaggerDocument {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, unknown>>;
  readonly definitions: Readonly<Record<string, unknown>>;
}

/** Joins the documents of all groups into the one that older clients ask for at `/openapi/v2`. */
export function swaggerDocument(documents: readonly OpenApiDocument[]): SwaggerDocument {
  const paths: Record<string, unknown> = {};
  const definitions: Record<string, unknown> = {};
  for (const document of documents) {
    for (const [path, item] of Object.entries(document.paths)) paths[path] = convertPath(item);
    for (const [name, schema] of Object.entries(document.components.schemas)) definitions[name] ??= convert(schema);
  }
  return { swagger: '2.0', info: { title: 'Kubernetes', version: 'unversioned' }, paths, definitions };
}

function convertPath({ parameters, ...operations }: PathItem): unknown {
  const result: Record<string, unknown> = {};
  for (const [method, operation] of Object.entries(operations)) result[method] = convertOperation(operation);
  return parameters ? { ...result, parameters: parameters.map(convertParameter) } : result;
}

function convertOperation({ parameters = [], requestBody, responses, ...rest }: Operation): unknown {
  const body = requestBody && Object.values(requestBody.content)[0];
  const answers = Object.entries(responses).map(([code, { description, content }]) => {
    const schema = content && Object.values(content)[0]?.schema;
    return [code, { description, ...(schema ? { schema: convert(schema) } : {}) }];
  });
  return {
    ...rest,
    ...(requestBody ? { consumes: Object.keys(requestBody.content) } : {}),
    produces: ['application/json', 'application/yaml'],
    parameters: [
      ...(body
        ? [
            {
              name: 'body',
              in: 'body',
              ...(requestBody.required ? { required: true } : {}),
              schema: convert(body.schema),
            },
          ]
        : []),
      ...parameters.map(convertParameter),
    ],
    responses: Object.fromEntries(answers) as unknown,
  };
}

function convertParameter({ schema, ...parameter }: { readonly schema: object }): unknown {
  return { ...parameter, ...schema };
}

/** References have another address, stand alone instead of in `allOf`, and there are no alternatives. */
function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  const { allOf, oneOf, ...rest } = value as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(rest)) {
    result[key] =
      key === '$ref' && typeof child === 'string'
        ? child.replace('#/components/schemas/', '#/definitions/')
        : convert(child);
  }
  if (Array.isArray(allOf) && allOf.length === 1) Object.assign(result, convert(allOf[0]));
  else if (allOf !== undefined) result.allOf = convert(allOf);
  if (oneOf !== undefined) result.type = 'string';
  return result;
}
