import type { Declarations, Overload } from './declarations.ts';
import type { Call, Comprehension, Expression, ListLiteral, MapLiteral, Select, StructLiteral } from './expression.ts';
import { qualifiedName } from './expression.ts';
import type { Issue } from './source.ts';
import {
  boolType,
  type CelType,
  dynType,
  errorType,
  formatSignature,
  formatType,
  intType,
  isDyn,
  isDynOrError,
  isOptional,
  listType,
  mapType,
  optionalType,
  sameType,
  typeParam,
  typeType,
  unwrapOptional,
} from './type.ts';
import { mostGeneral, Substitution } from './unification.ts';
import { typeOf } from './value.ts';

/** The names an expression may use. */
export interface Scope {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: Declarations;
  /** Types by the name under which expressions know them. */
  readonly types: ReadonlyMap<string, CelType>;
  /** Lists and maps may hold values of different types. */
  readonly allowsMixedLiterals: boolean;
}

/** How a name or a call was understood. */
export type Resolution =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'type'; readonly type: CelType }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly isMethod: boolean;
      readonly overloads: readonly Overload[];
    };

export interface CheckedExpression {
  readonly expression: Expression;
  readonly type: CelType;
  readonly typeOf: (expression: Expression) => CelType;
  readonly resolutionOf: (expression: Expression) => Resolution | undefined;
  /** The variables of the environment that the expression uses. */
  readonly variables: ReadonlySet<string>;
}

/** Finds the type of every part of an expression, and what its names mean. */
export function check(expression: Expression, scope: Scope): { checked: CheckedExpression; issues: readonly Issue[] } {
  const checker = new Checker(scope);
  checker.check(expression);
  return { checked: checker.result(expression), issues: checker.issues };
}

class Checker {
  readonly issues: Issue[] = [];
  private readonly scope: Scope;
  private readonly types = new Map<Expression, CelType>();
  private readonly resolutions = new Map<Expression, Resolution>();
  private readonly substitution = new Substitution();
  private readonly locals: Map<string, CelType>[] = [];
  private readonly used = new Set<string>();
  private freeParams = 0;

  constructor(scope: Scope) {
    this.scope = scope;
  }

  result(expression: Expression): CheckedExpression {
    const final = (type: CelType) => this.substitution.apply(type, 'dyn');
    return {
      expression,
      type: final(this.typeOf(expression)),
      typeOf: (part) => final(this.typeOf(part)),
      resolutionOf: (part) => this.resolutions.get(part),
      variables: this.used,
    };
  }

  private typeOf(expression: Expression): CelType {
    return this.types.get(expression) ?? errorType;
  }

  private issue({ at }: { at: number }, message: string): void {
    this.issues.push({ at, message });
  }

  private freeParam(): CelType {
    return typeParam(`_var${this.freeParams++}`);
  }

  check(expression: Expression): CelType {
    const type = this.infer(expression);
    this.types.set(expression, type);
    return type;
  }

  private infer(expression: Expression): CelType {
    switch (expression.kind) {
      case 'literal':
        return typeOf(expression.value);
      case 'identifier':
        return this.inferName(expression, expression.name) ?? this.undeclared(expression, expression.name);
      case 'select':
        return this.inferSelect(expression);
      case 'call':
        return this.inferCall(expression);
      case 'list':
        return this.inferList(expression);
      case 'map':
        return this.inferMap(expression);
      case 'struct':
        return this.inferStruct(expression);
      case 'comprehension':
        return this.inferComprehension(expression);
    }
  }

  private undeclared(expression: Expression, name: string): CelType {
    this.issue(expression, `undeclared reference to '${name}' (in container '')`);
    return errorType;
  }

  /** A variable or a type of that name, dots included. */
  private inferName(expression: Expression, fullName: string): CelType | undefined {
    const name = fullName.startsWith('.') ? fullName.slice(1) : fullName;
    const local = this.locals.findLast((names) => names.has(name))?.get(name);
    const variable = local ?? this.scope.variables.get(name);
    if (variable) {
      if (!local) this.used.add(name);
      this.resolutions.set(expression, { kind: 'variable', name });
      return variable;
    }
    const type = this.scope.types.get(name);
    if (!type) return undefined;
    this.resolutions.set(expression, { kind: 'type', type });
    return typeType(type);
  }

  private inferSelect(expression: Select): CelType {
    const name = expression.testOnly ? undefined : qualifiedName(expression);
    const known = name === undefined ? undefined : this.inferName(expression, name);
    if (known) return known;
    const type = this.inferField(expression, expression.operand, expression.field, false);
    return expression.testOnly ? boolType : this.substitution.apply(type, 'keep');
  }

  private inferField(expression: Expression, operand: Expression, field: string, optional: boolean): CelType {
    const operandType = this.substitution.apply(this.check(operand), 'keep');
    const result = this.fieldType(expression, unwrapOptional(operandType), field);
    return optional || isOptional(operandType) ? optionalType(result) : result;
  }

  private fieldType(expression: Expression, type: CelType, field: string): CelType {
    switch (type.kind) {
      case 'map':
        return type.params[1] as CelType;
      case 'struct': {
        const known = type.fields?.get(field);
        if (!known) this.issue(expression, `undefined field '${field}'`);
        return known ?? errorType;
      }
      case 'param':
        this.substitution.assign(dynType, type);
        return dynType;
      default:
        if (!isDynOrError(type)) this.issue(expression, `type '${formatType(type)}' does not support field selection`);
        return dynType;
    }
  }

  private inferCall(call: Call): CelType {
    if (call.name === '_?._') return this.inferOptionalSelect(call);
    for (const arg of call.args) this.check(arg);
    if (!call.target) {
      const name = call.name.startsWith('.') ? call.name.slice(1) : call.name;
      const overloads = this.scope.functions.get(name);
      return overloads ? this.resolve(call, name, overloads, undefined) : this.undeclared(call, name);
    }
    const prefix = qualifiedName(call.target);
    const qualified = prefix === undefined ? undefined : this.scope.functions.get(`${prefix}.${call.name}`);
    if (qualified) return this.resolve(call, `${prefix}.${call.name}`, qualified, undefined);
    this.check(call.target);
    const overloads = this.scope.functions.get(call.name);
    return overloads ? this.resolve(call, call.name, overloads, call.target) : this.undeclared(call, call.name);
  }

  private inferOptionalSelect(call: Call): CelType {
    const [operand, field] = call.args as [Expression, Expression];
    const name = field.kind === 'literal' && typeof field.value === 'string' ? field.value : '';
    this.types.set(field, typeOf(name));
    this.resolutions.set(call, { kind: 'call', name: '_?._', isMethod: false, overloads: [] });
    return this.substitution.apply(this.inferField(call, operand, name, true), 'keep');
  }

  private resolve(call: Call, name: string, overloads: readonly Overload[], target: Expression | undefined): CelType {
    const args = target ? [target, ...call.args] : call.args;
    const argTypes = args.map((arg) => this.typeOf(arg));
    if (name === '_&&_' || name === '_||_') return this.resolveLogical(call, name, overloads, args);
    const matching: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.isMethod !== (target !== undefined)) continue;
      const [resultType, ...params] = this.instantiate(overload);
      if (!this.substitution.assignAll(argTypes, params)) continue;
      matching.push(overload);
      if (overload.isRuntimeOnly) continue;
      const type = this.substitution.apply(resultType as CelType, 'keep');
      if (!result) result = type;
      else if (!isDyn(result) && !sameType(type, result)) result = dynType;
    }
    if (!result) {
      const shown = argTypes.map((type) => this.substitution.apply(type, 'dyn'));
      const signature = formatSignature(shown, target !== undefined);
      this.issue(call, `found no matching overload for '${name}' applied to '${signature}'`);
      return errorType;
    }
    this.resolutions.set(call, { kind: 'call', name, isMethod: target !== undefined, overloads: matching });
    return result;
  }

  private resolveLogical(
    call: Call,
    name: string,
    overloads: readonly Overload[],
    args: readonly Expression[],
  ): CelType {
    let good = true;
    for (const arg of args) good = this.expect(arg, this.substitution.assign(this.typeOf(arg), boolType)) && good;
    this.resolutions.set(call, { kind: 'call', name, isMethod: false, overloads });
    return good ? boolType : errorType;
  }

  private expect(expression: Expression, fits: boolean, expected: CelType = boolType): boolean {
    const actual = this.substitution.apply(this.typeOf(expression), 'keep');
    if (!fits) this.issue(expression, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`);
    return fits;
  }

  /** Result and parameters of an overload with fresh type parameters. */
  private instantiate(overload: Overload): CelType[] {
    const fresh = new Substitution();
    for (const name of paramNames([overload.result, ...overload.params])) fresh.bind(typeParam(name), this.freeParam());
    return [overload.result, ...overload.params].map((type) => fresh.apply(type, 'keep'));
  }

  private inferList(list: ListLiteral): CelType {
    let element: CelType | undefined;
    for (const { value, optional } of list.elements) {
      this.check(value);
      element = this.join(value, element, this.elementType(value, optional));
    }
    return listType(element ?? this.freeParam());
  }

  private inferMap(map: MapLiteral): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of map.entries) {
      key = this.join(entry.key, key, this.check(entry.key));
      this.check(entry.value);
      value = this.join(entry.value, value, this.elementType(entry.value, entry.optional));
    }
    return mapType(key ?? this.freeParam(), value ?? this.freeParam());
  }

  private elementType(value: Expression, optional: boolean): CelType {
    const type = this.typeOf(value);
    if (!optional) return type;
    if (!isOptional(type) && !isDyn(type)) this.expect(value, false, optionalType(type));
    return unwrapOptional(type);
  }

  /** Elements of a literal must have one type, or anything goes. */
  private join(expression: Expression, previous: CelType | undefined, current: CelType): CelType {
    if (!previous) return current;
    if (this.substitution.assign(previous, current)) return mostGeneral(previous, current);
    if (this.scope.allowsMixedLiterals) return dynType;
    this.issue(expression, `expected type '${formatType(previous)}' but found '${formatType(current)}'`);
    return errorType;
  }

  private inferStruct(struct: StructLiteral): CelType {
    const name = struct.typeName.startsWith('.') ? struct.typeName.slice(1) : struct.typeName;
    const type = this.scope.types.get(name);
    if (!type) return this.undeclared(struct, name);
    if (type.kind !== 'struct') {
      this.issue(struct, `'${type.name}' is not a message type`);
      return errorType;
    }
    this.resolutions.set(struct, { kind: 'type', type });
    for (const field of struct.fields) {
      this.check(field.value);
      const expected = type.fields?.get(field.name);
      const actual = this.elementType(field.value, field.optional);
      if (!expected) this.issue(field, `undefined field '${field.name}'`);
      else if (!this.substitution.assign(expected, actual))
        this.issue(
          field,
          `expected type of field '${field.name}' is '${formatType(expected)}' but provided type is '${formatType(actual)}'`,
        );
    }
    return type;
  }

  private inferComprehension(loop: Comprehension): CelType {
    const range = this.substitution.apply(this.check(loop.range), 'keep');
    const accumulated = this.check(loop.initial);
    this.locals.push(new Map([[loop.accumulator, accumulated]]));
    this.locals.push(this.loopVariables(loop, range));
    this.check(loop.condition);
    this.expect(loop.condition, this.substitution.assign(boolType, this.typeOf(loop.condition)));
    this.check(loop.step);
    this.expect(loop.step, this.substitution.assign(accumulated, this.typeOf(loop.step)), accumulated);
    this.locals.pop();
    const result = this.check(loop.result);
    this.locals.pop();
    return this.substitution.apply(result, 'keep');
  }

  private loopVariables(loop: Comprehension, range: CelType): Map<string, CelType> {
    let [first, second] = [dynType, dynType];
    if (range.kind === 'list') {
      const element = range.params[0] as CelType;
      [first, second] = loop.variable2 === undefined ? [element, element] : [intType, element];
    } else if (range.kind === 'map') [first, second] = range.params as [CelType, CelType];
    else if (isDynOrError(range) || range.kind === 'param') this.substitution.assign(dynType, range);
    else {
      [first, second] = [errorType, errorType];
      const shown = formatType(range);
      this.issue(
        loop.range,
        `expression of type '${shown}' cannot be range of a comprehension (must be list, map, or dynamic)`,
      );
    }
    const variables = new Map([[loop.variable, first]]);
    if (loop.variable2 !== undefined) variables.set(loop.variable2, second);
    return variables;
  }
}

function paramNames(types: readonly CelType[], names = new Set<string>()): Set<string> {
  for (const type of types) {
    if (type.kind === 'param') names.add(type.name);
    paramNames(type.params, names);
  }
  return names;
}
