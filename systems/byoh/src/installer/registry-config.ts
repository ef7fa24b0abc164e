import { type ConfigDefinition, customConfig } from '@tektite/controller/config';
import { parseYaml } from '@tektite/schema/yaml';
import { type RegistryRow, standardRows } from './installer-registry.ts';
import { type PackageSystem, packageScripts } from './scripts/package-system.ts';

const configName = 'byoh-installer-registry';

/**
 * The ConfigMap `byoh-installer-registry`: its key `rows` is a list of rows that come before the standard ones.
 *
 * @example
 * rows: |
 *   - {os: "AlmaLinux 9*", arch: [amd64], kubernetes: ["v1.30.*"], bundleOs: Alma_9, packages: rpm}
 */
export const registryConfig: ConfigDefinition<readonly RegistryRow[]> = customConfig(configName, (data) => [
  ...readRows(data['rows'] ?? ''),
  ...standardRows,
]);

function readRows(text: string): readonly RegistryRow[] {
  const [document] = parseYaml(text);
  if (document === undefined || document.value === null) return [];
  if (!Array.isArray(document.value)) throw new Error('rows must be a list');
  return document.value.map((row: unknown, index) => readRow(row, `rows[${index}]`));
}

function readRow(value: unknown, path: string): RegistryRow {
  if (typeof value !== 'object' || value === null) throw new Error(`${path} must be an object`);
  const { os, arch, kubernetes, bundleOs, packages = 'deb', ...more } = value as Record<string, unknown>;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined)
    throw new Error(`${path}.${unknown} is not known; there are os, arch, kubernetes, bundleOs, packages`);
  if (!isPackageSystem(packages))
    throw new Error(`${path}.packages must be ${Object.keys(packageScripts).join(' or ')}`);
  return {
    os: textOf(os, `${path}.os`),
    arch: textsOf(arch, `${path}.arch`),
    kubernetes: textsOf(kubernetes, `${path}.kubernetes`),
    bundleOs: textOf(bundleOs, `${path}.bundleOs`),
    packages,
  };
}

function isPackageSystem(value: unknown): value is PackageSystem {
  return typeof value === 'string' && Object.hasOwn(packageScripts, value);
}

function textOf(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw new Error(`${path} must be a text`);
  return value;
}

function textsOf(value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) throw new Error(`${path} must be a list of texts`);
  return value.map((each, index) => textOf(each, `${path}[${index}]`));
}
