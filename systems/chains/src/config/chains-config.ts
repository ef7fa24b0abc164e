import { quoteGo } from '@tektite/meta';

/** How artifacts of one kind are formatted, signed and stored. */
export interface ArtifactSettings {
  readonly format: string;
  readonly storage: ReadonlySet<string>;
  readonly signer: string;
}

/** The settings of the ConfigMap `chains-config`. */
export interface ChainsConfig {
  readonly taskRuns: ArtifactSettings;
  readonly pipelineRuns: ArtifactSettings;
  readonly images: ArtifactSettings;
  /** Results of the TaskRuns of a PipelineRun count as its own. */
  readonly deepInspection: boolean;
  readonly builderId: string;
  readonly buildType: string;
  readonly repository: string;
  readonly insecureRepository: boolean;
  readonly encodingFormat: string;
  /** Controllers besides Tekton's whose runs are signed. */
  readonly managedBy: ReadonlySet<string>;
  readonly transparency: boolean;
}

const statementFormats = ['in-toto', 'slsa/v1', 'slsa/v2alpha3', 'slsa/v2alpha4'];
const storages = ['tekton', 'oci', 'gcs', 'docdb', 'grafeas', 'kafka', 'archivista'];
const signers = ['x509', 'kms', 'none'];

/** The keys that have to have one of a few values, or a list of such. Upstream checks them in this order. */
const checks: readonly (readonly [key: string, allowed: readonly string[], isList?: true])[] = [
  ['artifacts.taskrun.format', statementFormats],
  ['artifacts.taskrun.storage', storages, true],
  ['artifacts.taskrun.signer', signers],
  ['artifacts.pipelinerun.format', statementFormats],
  ['artifacts.pipelinerun.storage', storages.filter((storage) => storage !== 'kafka'), true],
  ['artifacts.pipelinerun.signer', signers],
  ['artifacts.oci.format', ['simplesigning']],
  ['artifacts.oci.storage', storages, true],
  ['artifacts.oci.signer', signers],
  ['storage.pubsub.provider', ['inmemory', 'kafka']],
  ['storage.oci.encoding-format', ['dsse', 'sigstore-bundle']],
  ['builddefinition.buildtype', ['https://tekton.dev/chains/v2/slsa', 'https://tekton.dev/chains/v2/slsa-tekton']],
];

/** Reads the settings; throws, in upstream's words, for a value that is not allowed. */
export function parseChainsConfig(data: Readonly<Record<string, string>>): ChainsConfig {
  for (const [key, allowed, isList] of checks) checkValue(data[key], allowed, isList === true);
  const artifact = (name: string, format: string, storage: string): ArtifactSettings => ({
    format: data[`artifacts.${name}.format`] ?? format,
    storage: listOf(data[`artifacts.${name}.storage`] ?? storage),
    signer: data[`artifacts.${name}.signer`] ?? 'x509',
  });
  return {
    taskRuns: artifact('taskrun', 'in-toto', 'tekton'),
    pipelineRuns: artifact('pipelinerun', 'in-toto', 'tekton'),
    images: artifact('oci', 'simplesigning', 'oci'),
    deepInspection: isTrue(data['artifacts.pipelinerun.enable-deep-inspection']),
    builderId: data['builder.id'] ?? 'https://tekton.dev/chains/v2',
    buildType: data['builddefinition.buildtype'] ?? 'https://tekton.dev/chains/v2/slsa',
    repository: data['storage.oci.repository'] ?? '',
    insecureRepository: isTrue(data['storage.oci.repository.insecure']),
    encodingFormat: data['storage.oci.encoding-format'] ?? 'dsse',
    managedBy: data['filter.managed-by'] === undefined ? new Set() : listOf(data['filter.managed-by']),
    transparency: ['true', 'manual'].includes(data['transparency.enabled'] ?? ''),
  };
}

/** An empty list of storages, or the signer `none`, turns an artifact off. */
export function isEnabled({ storage, signer }: ArtifactSettings): boolean {
  return signer !== 'none' && !(storage.size === 1 && storage.has(''));
}

/** Tekton's own runs, and those of controllers that the settings name. */
export function isManagedHere(managedBy: string | undefined, config: ChainsConfig): boolean {
  return (
    managedBy === undefined ||
    managedBy === '' ||
    managedBy === 'tekton.dev/pipeline' ||
    config.managedBy.has(managedBy)
  );
}

function checkValue(value: string | undefined, allowed: readonly string[], isList: boolean): void {
  if (value === undefined || (isList && value === '')) return;
  for (const each of isList ? listOf(value) : [value])
    if (!allowed.includes(each))
      throw new Error(
        `failed to parse data: invalid value ${quoteGo(each)} wanted one of [${[...allowed].sort().join(' ')}]`,
      );
}

function listOf(text: string): ReadonlySet<string> {
  return new Set(text.split(',').map((each) => each.trim()));
}

/** As Go's `strconv.ParseBool`; anything else is false. */
function isTrue(text = ''): boolean {
  return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text);
}
