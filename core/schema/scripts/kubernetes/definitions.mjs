import { orderFields } from './order.mjs';
import { packages } from './packages.mjs';

/**
 * Joins the models, the overlays and the orders of fields into definitions: `package.Type` → `{ package, type, atomic, description, fields }`, where
 * a field is `{ name, type, required, always, omitzero, listType, mapKeys, atomic, patch, embedded, description }` and `type` is written
 * as Go writes it, references being `core/v1.PodSpec` and named scalars `#v1.PullPolicy`.
 */
export function buildDefinitions(models, overlays, orders) {
  const owners = assignPackages(models, overlays);
  const definitions = new Map();
  for (const [key, owner] of owners.byKey) {
    const overlay = overlays.get(owner.package)?.get(owner.type);
    definitions.set(key, {
      package: owner.package,
      type: owner.type,
      atomic: overlay?.atomic ?? false,
      description: owner.model?.description ?? '',
      fields: orderFields(key, buildFields(owner, overlay, owners), orders),
    });
  }
  checkOverlays(overlays, definitions);
  return definitions;
}

/** Decides which Go package each model belongs to; see {@link packages}. */
function assignPackages(models, overlays) {
  const owners = { byKey: new Map(), byModel: new Map() };
  for (const { name, prefix = '', roots } of packages) {
    const version = name.split('/')[1].toUpperCase();
    const visit = (type, model) => {
      const key = `${name}.${type}`;
      if (model && owners.byModel.has(model.name)) return;
      if (owners.byKey.has(key)) return void (model && owners.byModel.set(model.name, key));
      owners.byKey.set(key, { package: name, type, model });
      if (!model) return;
      owners.byModel.set(model.name, key);
      for (const attribute of model.attributes) {
        const target = models.get(modelIn(attribute.type));
        if (target) visit(goName(target.name), stableModel(models, target));
      }
    };
    for (const type of roots.split(' ')) {
      for (const candidate of [type, `${type}List`]) {
        const model = [`${prefix}${version}`, version, 'V1beta1']
          .map((start) => models.get(start + candidate))
          .find(Boolean);
        if (model) visit(candidate, model);
      }
    }
    for (const [type, { isNew }] of overlays.get(name) ?? []) if (isNew) visit(type, undefined);
  }
  // Types that graduated since the models were made: a beta model replaces the stable type of the same name.
  for (const model of models.values()) {
    const stable = stableModel(models, model);
    if (stable !== model && owners.byModel.has(stable.name))
      owners.byModel.set(model.name, owners.byModel.get(stable.name));
  }
  return owners;
}

const modelPattern = /^([A-Z][a-z]+)?V\d(?:(?:alpha|beta)\d)?(?=[A-Z])/;
const modelIn = (type) => /([A-Za-z]*V\d\w+)/.exec(type)?.[1];
const goName = (model) => model.replace(modelPattern, '');

function stableModel(models, model) {
  if (!/^V1(alpha|beta)\d[A-Z]/.test(model.name)) return model;
  return models.get(`V1${goName(model.name)}`) ?? model;
}

function buildFields(owner, overlay, owners) {
  const context = { owner, owners };
  const fields = (owner.model?.attributes ?? []).map((attribute) => {
    const notes = overlay?.fields.get(attribute.name) ?? {};
    return buildField(attribute, notes, context);
  });
  for (const [name, notes] of overlay?.fields ?? []) {
    if (!notes.isNew) continue;
    const field = { ...mergeNotes(name, notes, notes.required === true), description: '' };
    fields.push({ ...field, type: resolveNames(notes.type, context) });
  }
  return fields;
}

function buildField(attribute, notes, context) {
  const plain = plainType(attribute.type, attribute.format, context.owners);
  const named = notes.type && resolveNames(notes.type, context);
  const field = mergeNotes(attribute.name, notes, !attribute.optional);
  const pointer = notes.pointer || (!notes.value && !named && isPointerByDefault(attribute, plain));
  return {
    ...field,
    type: named ?? (pointer ? `*${plain}` : plain),
    ...(notes.default === undefined ? {} : { default: plain === 'string' ? notes.default : JSON.parse(notes.default) }),
    description: attribute.description ?? '',
  };
}

function mergeNotes(name, notes, required) {
  return {
    name,
    required,
    always: required ? !notes.omitempty : notes.always === true,
    omitzero: notes.omitzero === true,
    listType: notes.mapKeys ? 'map' : notes.set ? 'set' : undefined,
    mapKeys: notes.mapKeys,
    atomic: notes.atomic === true,
    patch: notes.patch,
  };
}

const formats = {
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  byte: 'bytes',
  'date-time': 'Time',
  'int-or-string': 'IntOrString',
};

/** The Go type that a model's attribute has when nothing more is known. */
function plainType(type, format, owners) {
  const list = /^Array<(.*)>$/.exec(type);
  if (list) return `[]${plainType(list[1], format, owners)}`;
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type);
  if (map) return `map[string]${plainType(map[1], format, owners)}`;
  if (formats[format]) return formats[format];
  if (type === 'boolean') return 'bool';
  if (type === 'V1MicroTime') return 'MicroTime';
  if (type === 'any') return 'RawExtension';
  if (type === 'string' || type === 'number') return type;
  const key = owners.byModel.get(type);
  if (!key) throw new Error(`nothing is known of the type ${type}`);
  return key;
}

const valueTypes = new Set(['string', 'bool', 'bytes', 'Time', 'MicroTime', 'RawExtension']);
const valueFields = new Set(['metadata', 'spec', 'status', 'observedGeneration']);

function isPointerByDefault({ name, optional }, type) {
  if (!optional || type.startsWith('[]') || type.startsWith('map[')) return false;
  return !valueTypes.has(type) && !valueFields.has(name);
}

const otherBuiltIn =
  'int32 int64 float64 IntOrString Quantity FieldsV1 JSON ' +
  'JSONSchemaPropsOrArray JSONSchemaPropsOrBool JSONSchemaPropsOrStringArray';
const builtIn = new Set([...valueTypes, ...otherBuiltIn.split(' ')]);

/** Named types that are not strings. Those of other packages stand where they are used. */
const namedTypes = {
  ResourceList: 'map[#v1.ResourceName]Quantity',
  ExtraValue: '[]string',
  Verbs: '[]string',
  ValidationRules: '[]apiextensions/v1.ValidationRule',
  JSONSchemaDependencies: 'map[string]JSONSchemaPropsOrStringArray',
  JSONSchemaDefinitions: 'map[string]apiextensions/v1.JSONSchemaProps',
};

/** Replaces the names of an overlay's type by references, and marks the names of scalars and of other named types. */
function resolveNames(type, { owner, owners }) {
  const prefix = /^(?:\*|\[\]|map\[[^\]]+\])*/.exec(type)[0];
  const name = type.slice(prefix.length);
  const start = prefix.replace(/map\[(\w+)\]/g, (_, key) => (key === 'string' ? 'map[string]' : `map[#v1.${key}]`));
  if (builtIn.has(name)) return start + name;
  if (namedTypes[name]) return `${start}#v1.${name}=${namedTypes[name]}`;
  const own = `${owner.package}.${name}`;
  if (owners.byKey.has(own)) return start + own;
  return `${start}#${name.includes('.') ? name : `${owner.package.split('/')[1]}.${name}`}`;
}

/** A line of an overlay that names nothing would be a fact that has silently no effect. */
function checkOverlays(overlays, definitions) {
  for (const [name, types] of overlays) {
    for (const [type, { fields }] of types) {
      const definition = definitions.get(`${name}.${type}`);
      if (!definition) throw new Error(`the overlay of ${name} names the type ${type}, which is not generated`);
      for (const field of fields.keys())
        if (!definition.fields.some((candidate) => candidate.name === field))
          throw new Error(`the overlay of ${name} names the field ${field}, which ${type} does not have`);
    }
  }
}
