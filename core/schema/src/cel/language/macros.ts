import { accumulatorName, type Call, type Comprehension, type Expression } from './expression.ts';
import { Uint, type Value } from './value.ts';

/** The expansion of a macro: an expression, or an error of one of its arguments. */
export type Expansion = Expression | { readonly at: number; readonly error: string };

type Macro = (at: number, target: Expression, args: readonly Expression[]) => Expansion;

const overwrites = 'iteration variable overwrites accumulator variable';

const literal = (at: number, value: Value): Expression => ({ kind: 'literal', at, value });
const name = (at: number, text: string): Expression => ({ kind: 'identifier', at, name: text });
const accumulator = (at: number): Expression => name(at, accumulatorName);
const call = (at: number, text: string, ...args: Expression[]): Call => ({ kind: 'call', at, name: text, args });
const method = (at: number, text: string, target: Expression): Call => ({
  kind: 'call',
  at,
  name: text,
  target,
  args: [],
});
const list = (at: number, ...values: Expression[]): Expression => ({
  kind: 'list',
  at,
  elements: values.map((value) => ({ value, optional: false })),
});

/** The parts of a fold, without the range and its variables. */
type Fold = Pick<Comprehension, 'initial' | 'condition' | 'step' | 'result'>;

function all(at: number, predicate: Expression): Fold {
  return {
    initial: literal(at, true),
    condition: call(at, '@not_strictly_false', accumulator(at)),
    step: call(at, '_&&_', accumulator(at), predicate),
    result: accumulator(at),
  };
}

function exists(at: number, predicate: Expression): Fold {
  return {
    initial: literal(at, false),
    condition: call(at, '@not_strictly_false', call(at, '!_', accumulator(at))),
    step: call(at, '_||_', accumulator(at), predicate),
    result: accumulator(at),
  };
}

function existsOne(at: number, predicate: Expression): Fold {
  const counted = call(at, '_+_', accumulator(at), literal(at, 1n));
  return {
    initial: literal(at, 0n),
    condition: literal(at, true),
    step: call(at, '_?_:_', predicate, counted, accumulator(at)),
    result: call(at, '_==_', accumulator(at), literal(at, 1n)),
  };
}

/** Collects what `step` adds to `initial`, for all elements or those that pass the filter. */
function collect(at: number, initial: Expression, step: Expression, filter?: Expression): Fold {
  return {
    initial,
    condition: literal(at, true),
    step: filter ? call(at, '_?_:_', filter, step, accumulator(at)) : step,
    result: accumulator(at),
  };
}

const append = (at: number, element: Expression): Expression => call(at, '_+_', accumulator(at), list(at, element));

/** A macro over the elements of a list or the keys of a map. */
function oneVariable(violation: string, fold: (at: number, args: readonly Expression[]) => Fold): Macro {
  return (at, target, args) => {
    const [variable] = args as [Expression];
    if (variable.kind !== 'identifier') return { at: variable.at, error: violation };
    if (variable.name === accumulatorName) return { at: variable.at, error: overwrites };
    return {
      kind: 'comprehension',
      at,
      range: target,
      variable: variable.name,
      accumulator: accumulatorName,
      ...fold(at, args),
    };
  };
}

/** A macro over index and element, or key and value. */
function twoVariables(fold: (at: number, rest: readonly Expression[], first: string) => Fold): Macro {
  return (at, target, args) => {
    const [first, second, ...rest] = args as [Expression, Expression, ...Expression[]];
    for (const variable of [first, second])
      if (variable.kind !== 'identifier') return { at: variable.at, error: 'argument must be a simple name' };
    const [variable, variable2] = [(first as { name: string }).name, (second as { name: string }).name];
    if (variable === variable2) return { at: second.at, error: `duplicate variable name: ${variable}` };
    if (variable === accumulatorName) return { at: first.at, error: overwrites };
    if (variable2 === accumulatorName) return { at: second.at, error: overwrites };
    return {
      kind: 'comprehension',
      at,
      range: target,
      variable,
      variable2,
      accumulator: accumulatorName,
      ...fold(at, rest, variable),
    };
  };
}

/** Binds the value of an optional to a name: a fold over nothing, whose result is the body. */
function bindOptional(macro: string, wrap: (at: number, body: Expression) => Expression): Macro {
  return (at, target, args) => {
    const [variable, body] = args as [Expression, Expression];
    if (variable.kind !== 'identifier')
      return { at: variable.at, error: `${macro}() variable name must be a simple identifier` };
    const bound: Comprehension = {
      kind: 'comprehension',
      at,
      range: list(at),
      variable: '#unused',
      accumulator: variable.name,
      initial: method(at, 'value', target),
      condition: literal(at, false),
      step: name(at, variable.name),
      result: body,
    };
    return call(at, '_?_:_', method(at, 'hasValue', target), wrap(at, bound), call(at, 'optional.none'));
  };
}

const split = (rest: readonly Expression[]): { filter?: Expression; transform: Expression } =>
  rest.length === 2
    ? { filter: rest[0] as Expression, transform: rest[1] as Expression }
    : { transform: rest[0] as Expression };

const simpleName = 'argument must be a simple name';
const transformList = twoVariables((at, rest) => {
  const { filter, transform } = split(rest);
  return collect(at, list(at), append(at, transform), filter);
});
const transformMap = twoVariables((at, rest, key) => {
  const { filter, transform } = split(rest);
  const step = call(at, 'cel.@mapInsert', accumulator(at), name(at, key), transform);
  return collect(at, { kind: 'map', at, entries: [] }, step, filter);
});
const transformMapEntry = twoVariables((at, rest) => {
  const { filter, transform } = split(rest);
  const step = call(at, 'cel.@mapInsert', accumulator(at), transform);
  return collect(at, { kind: 'map', at, entries: [] }, step, filter);
});
const mapMacro = oneVariable('argument is not an identifier', (at, [, ...rest]) => {
  const { filter, transform } = split(rest);
  return collect(at, list(at), append(at, transform), filter);
});

/** Sorts by a key: the keys are computed first, then the list is sorted by them. */
const sortBy: Macro = (at, target, args) => {
  const keys = mapMacro(at, target, args);
  return 'kind' in keys ? { kind: 'call', at, name: '@sortByAssociatedKeys', target, args: [keys] } : keys;
};

/** Macros by name and number of arguments. */
const macros = new Map<string, Macro>([
  ['all/2', oneVariable(simpleName, (at, args) => all(at, args[1] as Expression))],
  ['exists/2', oneVariable(simpleName, (at, args) => exists(at, args[1] as Expression))],
  ['exists_one/2', oneVariable(simpleName, (at, args) => existsOne(at, args[1] as Expression))],
  ['existsOne/2', oneVariable(simpleName, (at, args) => existsOne(at, args[1] as Expression))],
  ['map/2', mapMacro],
  ['map/3', mapMacro],
  [
    'filter/2',
    oneVariable('argument is not an identifier', (at, args) =>
      collect(at, list(at), append(at, args[0] as Expression), args[1]),
    ),
  ],
  ['sortBy/2', sortBy],
  ['all/3', twoVariables((at, rest) => all(at, rest[0] as Expression))],
  ['exists/3', twoVariables((at, rest) => exists(at, rest[0] as Expression))],
  ['exists_one/3', twoVariables((at, rest) => existsOne(at, rest[0] as Expression))],
  ['existsOne/3', twoVariables((at, rest) => existsOne(at, rest[0] as Expression))],
  ['transformList/3', transformList],
  ['transformList/4', transformList],
  ['transformMap/3', transformMap],
  ['transformMap/4', transformMap],
  ['transformMapEntry/3', transformMapEntry],
  ['transformMapEntry/4', transformMapEntry],
  ['optMap/2', bindOptional('optMap', (at, body) => call(at, 'optional.of', body))],
  ['optFlatMap/2', bindOptional('optFlatMap', (_, body) => body)],
]);

/** `plain`: the language itself. `extended`: with the extension libraries of cel-go. `kubernetes`: what Kubernetes has. */
export type Dialect = 'plain' | 'extended' | 'kubernetes';

/** The macros of the language itself. */
const plainMacros = new Set(['all/2', 'exists/2', 'exists_one/2', 'map/2', 'map/3', 'filter/2']);
const extendedMacros = new Set([...plainMacros, 'sortBy/2']);

/** `math.greatest` and `math.least` take any number of arguments, or a list. */
function expandExtreme({ at, name, args }: Pick<Call, 'at' | 'name' | 'args'>): Expansion {
  const title = `math.${name}()`;
  const chosen = name === 'greatest' ? 'math.@max' : 'math.@min';
  const [first, second] = args;
  if (!first) return { at, error: `${title} requires at least one argument` };
  if (!second) {
    if (isNumeric(first) || isNumericList(first)) return call(at, chosen, first);
    return { at: first.at, error: `${title} invalid single argument value` };
  }
  const wrong = args.find((arg) => !isNumeric(arg));
  if (wrong) return { at: wrong.at, error: `${title} simple literal arguments must be numeric` };
  return args.length === 2 ? call(at, chosen, first, second) : call(at, chosen, list(at, ...args));
}

/** Whether an expression could be a number: other literals cannot. */
function isNumeric(expression: Expression): boolean {
  if (expression.kind !== 'literal') return !['list', 'map', 'struct'].includes(expression.kind);
  const { value } = expression;
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint;
}

function isNumericList(expression: Expression): boolean {
  return (
    expression.kind === 'list' &&
    expression.elements.length > 0 &&
    expression.elements.every(({ value }) => isNumeric(value))
  );
}

/** Expands a method call that is a macro; `undefined` when it is none. */
export function expandMethod(
  call: Pick<Call, 'at' | 'name' | 'args'>,
  target: Expression,
  dialect: Dialect,
): Expansion | undefined {
  const isMath = dialect === 'extended' && target.kind === 'identifier' && target.name === 'math';
  if (isMath && (call.name === 'greatest' || call.name === 'least')) return expandExtreme(call);
  const key = `${call.name}/${call.args.length}`;
  const known = dialect === 'plain' ? plainMacros : dialect === 'extended' ? extendedMacros : macros;
  return known.has(key) ? macros.get(key)?.(call.at, target, call.args) : undefined;
}

/** Expands `has(a.b)`; `undefined` for any other function. */
export function expandFunction(at: number, name: string, args: readonly Expression[]): Expansion | undefined {
  const [argument] = args;
  if (name !== 'has' || !argument || args.length !== 1) return undefined;
  if (argument.kind !== 'select') return { at: argument.at, error: 'invalid argument to has() macro' };
  return { kind: 'select', at, operand: argument.operand, field: argument.field, testOnly: true };
}
