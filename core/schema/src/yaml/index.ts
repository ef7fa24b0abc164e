/** YAML as Kubernetes reads and prints it. */
export { formatFloat } from './format-float.ts';
export { formatYaml } from './format-yaml.ts';
export { parseFirstYaml, parseYaml, strictYamlError, type YamlDocument } from './parse-yaml.ts';
export type { DuplicateKey } from './yaml-converter.ts';
export { isYamlError, type Place, YamlError, yamlErrors } from './yaml-error.ts';
