/** How Go decodes, prints, formats and reports errors. */

// Types of fields
export {
  type GoField,
  type GoList,
  type GoMap,
  type GoPointer,
  type GoScalar,
  type GoStruct,
  goStruct,
  type GoType,
  parseGoType,
  type Scalar,
  scalarGoNames,
  type StructDefinition,
} from './decode/go-type.ts';

// JSON texts
export { decodeJson, maxDepth } from './json/decode-json.ts';
export { duplicateFields } from './json/duplicate-fields.ts';
export { compareGoStrings, goJson, goStructJson } from './json/go-json.ts';
export { type Entry, type JsonDocument, JsonNumber, plainNumbers } from './json/json-document.ts';
export { jsonSyntaxError } from './json/json-syntax-error.ts';
export { jsonTypeName } from './json/json-type-name.ts';

// Values into structs, and how they are printed
export {
  DecodeError,
  decodeErrors,
  EncodeError,
  isDecodeError,
  isTypeMismatch,
  mismatchText,
  TypeMismatch,
} from './json/decode-error.ts';
export { type DecodeOptions, DecodeState } from './decode/decode-state.ts';
export { decodeStruct, unknownFields } from './decode/decode-struct.ts';
export { hadEmptyMap } from './decode/struct-decoder.ts';
export { parsedTextDecoder } from './decode/scalar-decoders.ts';
export { structDecoder } from './decode/type-decoder.ts';
export { never, type ValueDecoder } from './decode/value-decoder.ts';

// Texts in messages
export { formatGoValue } from './format/format-value.ts';
export {
  type Cidr,
  cidrContains,
  formatIp,
  type IpAddress,
  isIpv4Mapped,
  maskAddress,
  parseCidr,
  parseIp,
} from './format/ip-address.ts';
export { formatWithoutArguments } from './format/format-without-arguments.ts';
export {
  DurationError,
  durationErrors,
  isDurationError,
  formatGoDuration,
  type GoDuration,
  goDurationFromMilliseconds,
  goDurationToMilliseconds,
  parseGoDuration,
} from './format/go-duration.ts';

// Structs as what is hashed
export { dumpStruct } from './dump/dump-struct.ts';

// Paths into values
export { findJsonPath, JsonPathError, type JsonPathOptions } from './json-path/find-json-path.ts';
export { jsonPathErrors, type JsonPathNode, JsonPathSyntaxError } from './json-path/json-path-node.ts';
export { parseJsonPath } from './json-path/parse-json-path.ts';
