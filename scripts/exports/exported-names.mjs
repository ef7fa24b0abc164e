import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const statementPattern = /^export\b.*/gm;
const starPattern = /^export (type )?\* from '([^']+)';/;
const namespacePattern = /^export (type )?\* as (\w+) from '[^']+';/;
const listPattern = /^export (type )?\{([^}]*)\}/;
const declarationPattern =
  /^export (?:declare )?(?:abstract )?(?:async )?(function\*?|class|const|let|enum|interface|type) (\w+)/;
const itemPattern = /^(type )?(?:\w+ as )?(\w+)$/;

/**
 * The names that a TypeScript file exports, with `type ` before those that exist only for the compiler. `export *` is followed, except
 * into generated files, which stand as one line. The text decides: `verbatimModuleSyntax` makes every re-export of a type say so.
 *
 * @returns {string[]} values first, then types, each sorted
 * @throws an Error for an export of a form that it does not know
 */
export function exportedNames(file) {
  const names = [...new Set(namesIn(file))];
  // `Struct` and `type Struct` of one declaration merge are one name.
  const values = names.filter((name) => !name.startsWith('type '));
  const types = names.filter((name) => name.startsWith('type ') && !values.includes(name.slice(5)));
  return [...values.sort(byText), ...types.sort(byText)];
}

function byText(a, b) {
  return a < b ? -1 : 1;
}

function namesIn(file) {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(statementPattern)].flatMap((match) => namesOfStatement(file, text.slice(match.index)));
}

function namesOfStatement(file, statement) {
  const star = starPattern.exec(statement);
  if (star) return namesThroughStar(file, star[2], star[1] ?? '');
  const namespace = namespacePattern.exec(statement);
  if (namespace) return [`${namespace[1] ?? ''}${namespace[2]}`];
  const list = listPattern.exec(statement);
  if (list) return namesInList(file, list[2], list[1] ?? '');
  const declaration = declarationPattern.exec(statement);
  if (!declaration) throw new Error(`${file}: unknown form of export: ${statement.split('\n', 1)[0]}`);
  return [['interface', 'type'].includes(declaration[1]) ? `type ${declaration[2]}` : declaration[2]];
}

function namesThroughStar(file, specifier, type) {
  if (specifier.includes('/generated/')) return [`${type}* from '${specifier}'`];
  return namesIn(join(dirname(file), specifier)).map((name) => (name.startsWith('type ') ? name : `${type}${name}`));
}

function namesInList(file, list, type) {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((text) => {
      const item = itemPattern.exec(text);
      if (!item) throw new Error(`${file}: unknown form of export: ${text}`);
      return `${type || (item[1] ?? '')}${item[2]}`;
    });
}
