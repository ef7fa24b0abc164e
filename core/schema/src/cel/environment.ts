import { compilePattern } from '../validate/pattern.ts';
import { check, type CheckedExpression, type Scope } from './language/checker.ts';
import { type FunctionDeclaration, joinDeclarations, type Overload } from './language/declarations.ts';
import { EvaluationError } from './language/evaluation.ts';
import { type Expression, partsOf } from './language/expression.ts';
import { parse } from './language/parser.ts';
import { compileProgram, type Program, type StructMaker } from './language/program.ts';
import { type Issue, Source } from './language/source.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from './language/type.ts';
import { authorizerLibrary, authorizerTypes } from './library/authorizer.ts';
import { conversionLibrary } from './library/conversion.ts';
import { encoderExtension } from './library/encoders.ts';
import { listExtension, listLibrary } from './library/lists.ts';
import { mathExtension } from './library/math.ts';
import { namedFormatLibrary, namedFormatType } from './library/named-format.ts';
import { cidrType, ipType, networkLibrary, urlType } from './library/network.ts';
import { optionalLibrary } from './library/optional.ts';
import { quantityLibrary, quantityType } from './library/quantity.ts';
import { semverLibrary, semverType } from './library/semver.ts';
import { standardLibrary } from './library/standard.ts';
import { newerStringExtension, stringExtension, stringLibrary } from './library/strings.ts';
import { parseDuration, parseTimestamp, timeLibrary } from './library/time.ts';

const libraries = [
  standardLibrary,
  conversionLibrary,
  timeLibrary,
  optionalLibrary,
  stringLibrary,
  listLibrary,
  networkLibrary,
  quantityLibrary,
  semverLibrary,
  namedFormatLibrary,
  authorizerLibrary,
];

/** The libraries of the language itself. */
const plainLibraries = [withoutMixedNumbers(standardLibrary), conversionLibrary, timeLibrary];

/** Those, and cel-go's extensions for strings, encodings, sets, lists and numbers. */
const extendedLibraries = [
  ...plainLibraries,
  stringExtension,
  newerStringExtension,
  encoderExtension,
  listExtension,
  mathExtension,
];

type NamedType = readonly [string, CelType];

const plainTypeNames: readonly NamedType[] = [
  ['bool', boolType],
  ['bytes', bytesType],
  ['double', doubleType],
  ['dyn', dynType],
  ['int', intType],
  ['list', listType(dynType)],
  ['map', mapType(dynType, dynType)],
  ['null_type', nullType],
  ['string', stringType],
  ['type', typeType(dynType)],
  ['uint', uintType],
  ['google.protobuf.Duration', durationType],
  ['google.protobuf.Timestamp', timestampType],
];

const typeNames: readonly NamedType[] = [
  ...plainTypeNames,
  ['optional_type', optionalType(dynType)],
  ...[ipType, cidrType, urlType, quantityType, semverType, namedFormatType, ...authorizerTypes].map(
    (type) => [type.name, type] as const,
  ),
];

export interface EnvironmentOptions {
  /**
   * The language without Kubernetes' additions: no Kubernetes functions, no optional values, no comprehensions of two
   * variables, no order between numbers of different types. Lists may hold values of different types, and literals are
   * not checked before they are used.
   */
  readonly isPlain?: boolean;
  /** With `isPlain`: cel-go's extension libraries, too. Their functions and macros are available. */
  readonly hasExtensions?: boolean;
  /** Variables and their types. A name may have dots: `authorizer.requestResource`. */
  readonly variables?: Readonly<Record<string, CelType>>;
  /** Functions besides those Kubernetes has everywhere. */
  readonly functions?: readonly FunctionDeclaration[];
  /** Types that expressions may name, and build with `Type{...}` if there is a maker for them. */
  readonly types?: readonly CelType[];
  readonly makeStruct?: StructMaker;
}

/** An expression that was compiled, or the reason why it cannot be. */
export type Compilation =
  | { readonly program: Program; readonly checked: CheckedExpression; readonly error?: undefined }
  | { readonly error: string; readonly phase: 'parse' | 'check'; readonly program?: undefined };

/** Where expressions are understood: the functions of Kubernetes, and variables of one's own. */
export interface CelEnvironment {
  /**
   * Compiles an expression. The error is printed as cel-go does, with a mark under the place.
   */
  compile(text: string): Compilation;
}

/** The functions that all expressions of Kubernetes share, put together once. */
const sharedFunctions = joinDeclarations(...libraries);
const plainFunctions = joinDeclarations(...plainLibraries);
const extendedFunctions = joinDeclarations(...extendedLibraries);

/**
 * Makes an environment for expressions of Kubernetes (version 1.36).
 *
 * @example
 * const environment = celEnvironment({ variables: { object: dynType } });
 * const { program } = environment.compile('object.metadata.name.startsWith("test-")');
 */
export function celEnvironment(options: EnvironmentOptions = {}): CelEnvironment {
  const { isPlain = false, hasExtensions = false } = options;
  const dialect = !isPlain ? 'kubernetes' : hasExtensions ? 'extended' : 'plain';
  const scope: Scope = {
    variables: new Map(Object.entries(options.variables ?? {})),
    functions: functionsOf(options),
    types: new Map([
      ...(isPlain ? plainTypeNames : typeNames),
      ...(options.types ?? []).map((type) => [type.name, type] as const),
    ]),
    allowsMixedLiterals: isPlain,
  };
  return {
    compile(text) {
      const source = new Source(text);
      const parsed = parse(source, dialect);
      if (!parsed.expression) return { error: source.format(parsed.issues), phase: 'parse' };
      const { checked, issues } = check(parsed.expression, scope);
      if (issues.length > 0) return { error: source.format(issues), phase: 'check' };
      const wrong = isPlain ? [] : checkLiterals(parsed.expression);
      if (wrong.length > 0) return { error: source.format(wrong), phase: 'check' };
      return { program: compileProgram(checked, options.makeStruct), checked };
    },
  };
}

/** Comparisons of an integer with a double, and the like, are checked as errors. Values of dynamic type compare. */
function withoutMixedNumbers(library: readonly FunctionDeclaration[]): readonly FunctionDeclaration[] {
  return library.map(({ name, overloads }) => {
    const isOrder = ['_<_', '_<=_', '_>_', '_>=_'].includes(name);
    return { name, overloads: isOrder ? overloads.map(runtimeOnly) : overloads };
  });
}

function runtimeOnly(overload: Overload): Overload {
  const [x, y] = overload.params;
  return x?.kind === y?.kind ? overload : { ...overload, isRuntimeOnly: true };
}

function functionsOf({ isPlain = false, hasExtensions, functions }: EnvironmentOptions): Scope['functions'] {
  const shared = !isPlain ? sharedFunctions : hasExtensions ? extendedFunctions : plainFunctions;
  if (!functions) return shared;
  return joinDeclarations(
    [...shared].map(([name, overloads]) => ({ name, overloads })),
    functions,
  );
}

/** Literal durations, timestamps and patterns that could never work are refused at once. */
function checkLiterals(expression: Expression): Issue[] {
  const issues: Issue[] = [];
  visit(expression, (part) => {
    if (part.kind !== 'call') return;
    const position = part.name === 'matches' && !part.target ? 1 : 0;
    const argument = part.args[position];
    if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return;
    const { value } = argument;
    const isWrong =
      (part.name === 'duration' && !part.target && fails(() => parseDuration(value))) ||
      (part.name === 'timestamp' && !part.target && fails(() => parseTimestamp(value))) ||
      (part.name === 'matches' && typeof compilePattern(value) === 'string');
    if (isWrong) issues.push({ at: argument.at, message: `invalid ${part.name} argument` });
  });
  return issues;
}

function fails(action: () => unknown): boolean {
  try {
    action();
    return false;
  } catch (error) {
    return error instanceof EvaluationError;
  }
}

function visit(expression: Expression, action: (part: Expression) => void): void {
  action(expression);
  for (const child of partsOf(expression)) visit(child, action);
}
