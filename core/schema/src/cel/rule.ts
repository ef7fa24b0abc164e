import type { JsonSchema, ValidationRule } from '../structural-schema.ts';
import type { SizeAt } from './call-estimate.ts';
import { estimateCost } from './cost-estimate.ts';
import type { Range } from './cost-range.ts';
import { type CelEnvironment, celEnvironment } from './environment.ts';
import type { Program } from './language/program.ts';
import { optionalType } from './language/type.ts';
import { followPath } from './rule-path.ts';
import { maxRequestBytes, type SchemaDeclaration } from './schema-declaration.ts';

/** One rule, compiled. It has a program, or an error, or neither if it is empty. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program?: Program;
  readonly error?: string;
  readonly usesOldSelf: boolean;
  /** The most an evaluation can cost. */
  readonly maxCost: number;
  /** How many values of this schema fit into one request, if nothing else limits them. */
  readonly maxCardinality: number;
  readonly messageProgram?: Program;
  readonly messageError?: string;
  readonly messageMaxCost: number;
  /** Where below the value the error points to. */
  readonly fieldPath: string;
}

/** Compiles the rules of one schema, not those below it. */
export function compileRules(schema: JsonSchema, declaration: SchemaDeclaration): CompiledRule[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  const { type } = declaration;
  const plain = celEnvironment({ variables: { self: type, oldSelf: type } });
  const optional = celEnvironment({ variables: { self: type, oldSelf: optionalType(type) } });
  const sizeAt = declaredSizes(declaration);
  const maxCardinality = Math.floor(maxRequestBytes / (declaration.minSerializedSize + 1));
  return rules.map((rule) =>
    compileRule(rule, schema, rule.optionalOldSelf ? optional : plain, sizeAt, maxCardinality),
  );
}

function compileRule(
  rule: ValidationRule,
  schema: JsonSchema,
  environment: CelEnvironment,
  sizeAt: SizeAt,
  maxCardinality: number,
): CompiledRule {
  const empty = { rule, usesOldSelf: false, maxCost: 0, maxCardinality: 0, messageMaxCost: 0, fieldPath: '' };
  if ((rule.rule ?? '').trim() === '') return empty;
  const compiled = environment.compile(rule.rule);
  if (compiled.error !== undefined) return { ...empty, error: `compilation failed: ${compiled.error}` };
  if (compiled.checked.type.kind !== 'bool') return { ...empty, error: 'cel expression must evaluate to a bool' };
  const target = rule.fieldPath ? followPath(rule.fieldPath, schema) : undefined;
  return {
    rule,
    program: compiled.program,
    usesOldSelf: compiled.checked.variables.has('oldSelf'),
    maxCost: estimateCost(compiled.checked, sizeAt).max,
    maxCardinality,
    fieldPath: target && typeof target !== 'string' ? target.path.toString() : '',
    ...compileMessage(rule, environment, sizeAt),
  };
}

type Message = Pick<CompiledRule, 'messageProgram' | 'messageError' | 'messageMaxCost'>;

function compileMessage(rule: ValidationRule, environment: CelEnvironment, sizeAt: SizeAt): Message {
  if (!rule.messageExpression) return { messageMaxCost: 0 };
  const compiled = environment.compile(rule.messageExpression);
  if (compiled.error !== undefined)
    return { messageError: `messageExpression compilation failed: ${compiled.error}`, messageMaxCost: 0 };
  if (compiled.checked.type.kind !== 'string')
    return { messageError: 'messageExpression must evaluate to a string', messageMaxCost: 0 };
  return { messageProgram: compiled.program, messageMaxCost: estimateCost(compiled.checked, sizeAt).max };
}

/** How large the value at a path below `self` or `oldSelf` can be. */
function declaredSizes(declaration: SchemaDeclaration): SizeAt {
  return (path): Range | undefined => {
    let current: SchemaDeclaration | undefined = declaration;
    for (const name of path.slice(1)) {
      if (name === '@items' || name === '@values') current = current?.element;
      else if (name === '@keys') return current?.type.kind === 'map' ? { min: 0, max: 0 } : undefined;
      else current = current?.fields?.get(name)?.declaration;
      if (!current) return undefined;
    }
    return { min: 0, max: current.maxElements };
  };
}
