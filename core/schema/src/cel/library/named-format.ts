import {
  validateLabelValue,
  validateQualifiedName,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  quoteGo,
} from '@tektite/meta';
import { parseRequestUri } from '../../format/go-url.ts';
import { stringFormat } from '../../format/string-format.ts';
import { declare, type FunctionDeclaration, method, overload } from '../language/declarations.ts';
import { type CelType, listType, namedType, optionalType, stringType } from '../language/type.ts';
import { ArrayList, OpaqueValue, Optional } from '../language/value.ts';

export const namedFormatType = namedType('kubernetes.NamedFormat');

class FormatValue extends OpaqueValue {
  readonly type: CelType = namedFormatType;
  readonly name: string;
  readonly validate: (text: string) => string[];
  constructor(name: string, validate: (text: string) => string[]) {
    super();
    this.name = name;
    this.validate = validate;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

const checked =
  (format: string, violation: string) =>
  (text: string): string[] =>
    stringFormat(format)?.(text) ? [] : [violation];

function uriViolations(text: string): string[] {
  const url = parseRequestUri(text);
  return typeof url === 'string' ? [`parse ${quoteGo(text)}: ${url}`] : [];
}

const formats = new Map<string, (text: string) => string[]>([
  ['dns1123Label', (text) => nameIsDnsLabel(text, false)],
  ['dns1123Subdomain', (text) => nameIsDnsSubdomain(text, false)],
  ['dns1035Label', (text) => nameIsDns1035Label(text, false)],
  ['qualifiedName', validateQualifiedName],
  ['dns1123LabelPrefix', (text) => nameIsDnsLabel(text, true)],
  ['dns1123SubdomainPrefix', (text) => nameIsDnsSubdomain(text, true)],
  ['dns1035LabelPrefix', (text) => nameIsDns1035Label(text, true)],
  ['labelValue', validateLabelValue],
  ['uri', uriViolations],
  ['uuid', checked('uuid', 'does not match the UUID format')],
  ['byte', checked('byte', 'invalid base64')],
  ['date', checked('date', 'invalid date')],
  ['datetime', checked('datetime', 'invalid datetime')],
]);
const values = new Map([...formats].map(([name, validate]) => [name, new FormatValue(name, validate)]));

function validate(format: FormatValue, text: string): Optional {
  const violations = format.validate(text);
  return violations.length === 0 ? new Optional() : new Optional(new ArrayList(violations));
}

/** Kubernetes' named formats: `format.dns1123Label().validate(name)`. */
export const namedFormatLibrary: readonly FunctionDeclaration[] = [
  declare(
    'validate',
    method('format-validate', [namedFormatType, stringType], optionalType(listType(stringType)), validate),
  ),
  declare(
    'format.named',
    overload(
      'format-named',
      [stringType],
      optionalType(namedFormatType),
      (name: string) => new Optional(values.get(name)),
    ),
  ),
  ...[...values].map(([name, value]) =>
    declare(
      `format.${name}`,
      overload(`format.${name}`, [], namedFormatType, () => value),
    ),
  ),
];
