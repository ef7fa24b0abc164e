import { stringifyJson } from '@tektite/meta';
import { ProtobufWriter } from '../codec/protobuf-writer.ts';
import type { SwaggerDocument, SwaggerOperation, SwaggerParameter, SwaggerPath } from './document-v2.ts';
import type { OpenApiSchema } from './open-api-schema.ts';

/**
 * A Swagger document in the protobuf form of gnostic (`openapi.v2.Document`), which client-go and kubectl ask for. Values
 * of any type, such as vendor extensions, are YAML in it, and JSON is YAML.
 */
export function swaggerProtobuf({ swagger, info, paths, definitions }: SwaggerDocument): Uint8Array {
  const writer = new ProtobufWriter();
  writer.string(1, swagger);
  writer.message(2, (target) => {
    target.string(1, info.title);
    target.string(2, info.version);
  });
  writer.message(8, (target) => {
    for (const [path, item] of Object.entries(paths)) named(target, 2, path, (value) => writePath(value, item));
  });
  writer.message(9, (target) => writeSchemas(target, definitions));
  return writer.finish();
}

const methodFields: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, patch: 8 };

function writePath(writer: ProtobufWriter, path: SwaggerPath): void {
  for (const [method, field] of Object.entries(methodFields)) {
    const operation = path[method] as SwaggerOperation | undefined;
    if (operation) writer.message(field, (target) => writeOperation(target, operation));
  }
  writeParameters(writer, 9, (path['parameters'] ?? []) as readonly SwaggerParameter[]);
}

function writeOperation(writer: ProtobufWriter, operation: SwaggerOperation): void {
  strings(writer, 1, operation.tags);
  writer.string(3, operation.description);
  writer.string(5, operation.operationId);
  strings(writer, 6, operation.produces);
  strings(writer, 7, operation.consumes);
  writeParameters(writer, 8, operation.parameters);
  writer.message(9, (responses) => {
    for (const [code, { description, schema }] of Object.entries(operation.responses))
      named(responses, 1, code, (value) =>
        value.message(1, (response) => {
          response.string(1, description);
          if (schema) response.message(2, (item) => item.message(1, (target) => writeSchema(target, schema)));
        }),
      );
  });
  writeExtensions(writer, 13, operation);
}

function writeParameters(writer: ProtobufWriter, field: number, parameters: readonly SwaggerParameter[]): void {
  for (const parameter of parameters)
    writer.message(field, (item) => item.message(1, (target) => writeParameter(target, parameter)));
}

function writeParameter(writer: ProtobufWriter, parameter: SwaggerParameter): void {
  const { name, description, required, schema, type } = parameter;
  if (parameter.in === 'body') {
    writer.message(1, (body) => {
      if (description) body.string(1, description);
      body.string(2, name);
      body.string(3, parameter.in);
      if (required) body.bool(4, true);
      if (schema) body.message(5, (target) => writeSchema(target, schema));
    });
    return;
  }
  const isQuery = parameter.in === 'query';
  writer.message(2, (other) =>
    other.message(isQuery ? 3 : 4, (target) => {
      if (required) target.bool(1, true);
      target.string(2, parameter.in);
      if (description) target.string(3, description);
      target.string(4, name);
      if (type) target.string(isQuery ? 6 : 5, type);
      if (parameter.uniqueItems) target.bool(isQuery ? 20 : 19, true);
    }),
  );
}

const stringFields: Readonly<Record<string, number>> = { $ref: 1, format: 2, title: 3, description: 4, pattern: 13 };
const numberFields: Readonly<Record<string, number>> = { multipleOf: 6, maximum: 7, minimum: 9 };
const flagFields: Readonly<Record<string, number>> = { exclusiveMaximum: 8, exclusiveMinimum: 10, uniqueItems: 16 };
const countFields: Readonly<Record<string, number>> = {
  maxLength: 11,
  minLength: 12,
  maxItems: 14,
  minItems: 15,
  maxProperties: 17,
  minProperties: 18,
};

function writeSchema(writer: ProtobufWriter, schema: OpenApiSchema): void {
  const values = schema as Readonly<Record<string, unknown>>;
  for (const [key, field] of Object.entries(stringFields))
    if (typeof values[key] === 'string') writer.string(field, values[key]);
  if (schema.default !== undefined) writer.message(5, (target) => writeAny(target, schema.default));
  for (const [key, field] of Object.entries(numberFields))
    if (typeof values[key] === 'number') writer.double(field, values[key]);
  for (const [key, field] of Object.entries(flagFields)) if (values[key] === true) writer.bool(field, true);
  for (const [key, field] of Object.entries(countFields))
    if (typeof values[key] === 'number') writer.varint(field, values[key]);
  strings(writer, 19, schema.required);
  const { enum: choices = [], additionalProperties: more, type, items, properties } = schema;
  for (const value of choices) writer.message(20, (target) => writeAny(target, value));
  if (more !== undefined)
    writer.message(21, (target) => {
      if (typeof more === 'boolean') target.bool(2, more);
      else target.message(1, (nested) => writeSchema(nested, more));
    });
  if (type) writer.message(22, (target) => target.string(1, type));
  if (items) writer.message(23, (target) => target.message(1, (nested) => writeSchema(nested, items)));
  if (properties) writer.message(25, (target) => writeSchemas(target, properties));
  if (values['example'] !== undefined) writer.message(30, (target) => writeAny(target, values['example']));
  writeExtensions(writer, 31, schema);
}

function writeSchemas(writer: ProtobufWriter, schemas: Readonly<Record<string, OpenApiSchema>>): void {
  for (const [name, schema] of Object.entries(schemas)) named(writer, 1, name, (value) => writeSchema(value, schema));
}

function writeExtensions(writer: ProtobufWriter, field: number, holder: object): void {
  for (const [key, value] of Object.entries(holder) as [string, unknown][])
    if (key.startsWith('x-') && value !== undefined)
      named(writer, field, key, (target) => {
        writeAny(target, value);
      });
}

function writeAny(writer: ProtobufWriter, value: unknown): void {
  writer.string(2, `${stringifyJson(value)}\n`);
}

/** Maps are lists of names and values. */
function named(writer: ProtobufWriter, field: number, name: string, write: (value: ProtobufWriter) => void): void {
  writer.message(field, (entry) => {
    entry.string(1, name);
    entry.message(2, write);
  });
}

function strings(writer: ProtobufWriter, field: number, texts: readonly string[] = []): void {
  for (const text of texts) writer.string(field, text);
}
