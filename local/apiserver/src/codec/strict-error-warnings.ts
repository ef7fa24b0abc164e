const yamlPrefix = 'yaml: unmarshal errors:\n';

/**
 * The warnings of a strict decoding error. YAML reports all its duplicate keys in one text of several lines, which no
 * header can hold.
 */
export function strictErrorWarnings(strictError: string): readonly string[] {
  if (!strictError.startsWith(yamlPrefix)) return [strictError];
  return strictError
    .slice(yamlPrefix.length)
    .split('\n')
    .map((line) => line.trim());
}
