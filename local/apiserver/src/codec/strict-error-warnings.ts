const yamlPrefix = /^(error converting YAML to JSON: )?yaml: unmarshal errors:\n/;

/**
 * The warnings of a strict decoding error. YAML reports all its duplicate keys in one text of several lines, which no
 * header can hold.
 */
export function strictErrorWarnings(strictError: string): readonly string[] {
  if (!yamlPrefix.test(strictError)) return [strictError];
  return strictError
    .replace(yamlPrefix, '')
    .split('\n')
    .map((line) => line.trim());
}
