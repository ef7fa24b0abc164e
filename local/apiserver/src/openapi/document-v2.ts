import type { OpenApiDocument } from './document-v3.ts';
import type { OpenApiSchema } from './open-api-schema.ts';
import type { Parameter as ParameterV3 } from './parameters.ts';
import type { Operation, PathItem } from './resource-paths.ts';
import { definitionV2, referenceV2 } from './schema-v2.ts';

/** A Swagger 2.0 document of everything the server has. */
export interface SwaggerDocument {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, SwaggerPath>>;
  readonly definitions: Readonly<Record<string, OpenApiSchema>>;
}

export type SwaggerPath = Readonly<Record<string, SwaggerOperation | readonly SwaggerParameter[]>>;

export interface SwaggerOperation extends Pick<Operation, 'tags' | 'description' | 'operationId'> {
  readonly consumes?: readonly string[];
  readonly produces: readonly string[];
  readonly parameters: readonly SwaggerParameter[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly schema?: OpenApiSchema }>>;
  readonly [extension: `x-${string}`]: unknown;
}

export interface SwaggerParameter {
  readonly name: string;
  readonly in: 'body' | 'query' | 'path';
  readonly description?: string;
  readonly required?: true;
  /** Of a body. */
  readonly schema?: OpenApiSchema;
  /** Of the others. */
  readonly type?: string;
  readonly uniqueItems?: true;
}

/** Joins the documents of all groups into the one that older clients ask for at `/openapi/v2`. */
export function swaggerDocument(documents: readonly OpenApiDocument[]): SwaggerDocument {
  const paths: Record<string, SwaggerPath> = {};
  const definitions: Record<string, OpenApiSchema> = {};
  for (const document of documents) {
    for (const [path, item] of Object.entries(document.paths)) paths[path] = convertPath(item);
    for (const [name, schema] of Object.entries(document.components.schemas))
      definitions[name] ??= definitionV2(name, schema);
  }
  return { swagger: '2.0', info: { title: 'Kubernetes', version: 'unversioned' }, paths, definitions };
}

function convertPath({ parameters, ...operations }: PathItem): SwaggerPath {
  const result: Record<string, SwaggerOperation> = {};
  for (const [method, operation] of Object.entries(operations)) result[method] = convertOperation(operation);
  return parameters ? { ...result, parameters: parameters.map(convertParameter) } : result;
}

function convertOperation({ parameters = [], requestBody, responses, ...rest }: Operation): SwaggerOperation {
  const body = requestBody && Object.values(requestBody.content)[0];
  const answers: Record<string, { description: string; schema?: OpenApiSchema }> = {};
  for (const [code, { description, content }] of Object.entries(responses)) {
    const schema = content && Object.values(content)[0]?.schema;
    answers[code] = { description, ...(schema ? { schema: referenceV2(schema) } : {}) };
  }
  const bodies: SwaggerParameter[] = body
    ? [
        {
          name: 'body',
          in: 'body',
          ...(requestBody.required ? { required: true } : {}),
          schema: referenceV2(body.schema),
        },
      ]
    : [];
  return {
    ...rest,
    ...(requestBody ? { consumes: Object.keys(requestBody.content) } : {}),
    produces: ['application/json', 'application/yaml'],
    parameters: [...bodies, ...parameters.map(convertParameter)],
    responses: answers,
  };
}

function convertParameter({ schema, ...parameter }: ParameterV3): SwaggerParameter {
  return { ...parameter, ...schema };
}
