import { cloneJson, equalJson, type FieldError, type FieldPath, invalid } from '@tektite/meta';
import { compileRuleValidator } from '../cel/rule-validator.ts';
import { compileSchema } from '../compiled-schema.ts';
import { coerceEmbedded, type MetadataRules, validateEmbedded } from '../embedded-resource.ts';
import { prune } from '../prune.ts';
import type { JsonSchema } from '../structural-schema.ts';
import { append } from './append.ts';

/** Validates the defaults of a schema: each must be a valid value, without unknown fields, that passes the rules. */
export function checkDefaults(
  schema: JsonSchema,
  path: FieldPath,
  metadata: MetadataRules,
  requirePruned: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  visit(schema, path, true);
  return errors;

  function visit(node: JsonSchema, at: FieldPath, isRoot: boolean): void {
    if (node.default !== undefined && node.default !== null)
      append(errors, checkDefault(node, at.child('default'), isRoot));
    if (node.items) visit(node.items, at.child('items'), false);
    for (const [name, property] of Object.entries(node.properties ?? {}))
      visit(property, at.child('properties').key(name), false);
  }

  function checkDefault(node: JsonSchema, at: FieldPath, isRoot: boolean): FieldError[] {
    const embedded = isRoot || node['x-kubernetes-embedded-resource'] === true;
    const found: FieldError[] = [];
    const value = node.default;
    const pruned = cloneJson(value);
    prune(pruned, node, { isResourceRoot: embedded });
    if (requirePruned && !equalJson(pruned, value)) found.push(invalid(at, value, 'must not have unknown fields'));
    const unreadable = coerceEmbedded(cloneJson(value), node, { rules: metadata }, at);
    if (unreadable) return [...found, unreadable];
    const wrong = validateEmbedded(
      value,
      isRoot ? { ...node, 'x-kubernetes-embedded-resource': true } : node,
      metadata,
      at,
    );
    if (wrong.length > 0) return [...found, ...wrong];
    // Upstream's validator of defaults does not know this extension, and takes any value.
    const invalidValues = node['x-kubernetes-int-or-string'] ? [] : compileSchema(node).validate(value, at);
    if (invalidValues.length > 0) return [...found, ...invalidValues];
    return [...found, ...checkRules(node, value, at, embedded)];
  }

  /** A default must do as an unchanged value and as a new one. */
  function checkRules(node: JsonSchema, value: unknown, at: FieldPath, isRoot: boolean): FieldError[] {
    const rules = compileRuleValidator(node, isRoot);
    if (!rules) return [];
    const unchanged = rules.validate(value, value, { path: at }).errors;
    return unchanged.length > 0 ? unchanged : rules.validate(value, undefined, { path: at }).errors;
  }
}
