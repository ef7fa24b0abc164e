/** Names of Go's fields that are not those of JSON with a capital letter. */
const irregular: Readonly<Record<string, string>> = {
  'ISCSIVolumeSource.chapAuthDiscovery': 'DiscoveryCHAPAuth',
  'ISCSIVolumeSource.chapAuthSession': 'SessionCHAPAuth',
  'AzureDiskVolumeSource.diskURI': 'DataDiskURI',
  'GlusterfsVolumeSource.endpoints': 'EndpointsName',
  'PhotonPersistentDiskVolumeSource.pdID': 'PdID',
  'PodSpec.serviceAccount': 'DeprecatedServiceAccount',
  'PodTemplateSpec.metadata': 'ObjectMeta',
  'PersistentVolumeClaimTemplate.metadata': 'ObjectMeta',
  'RBDVolumeSource.image': 'RBDImage',
  'RBDVolumeSource.monitors': 'CephMonitors',
  'RBDVolumeSource.pool': 'RBDPool',
  'RBDVolumeSource.user': 'RadosUser',
  'Volume.cephfs': 'CephFS',
  'Volume.storageos': 'StorageOS',
};

/** Words at the beginning of a name that Go writes in capitals as a whole. */
const initialism =
  /^(api|aws|csi|dns|fc|fs|gce|gmsa|grpc|http|ip|iqn|iscsi|nfs|os|pd|rbd|se|ssl|tcp|tty|uid|wwids)(?=[A-Z]|$)/;

/** The name that a field has in Go: `HTTPGet` for `httpGet`. */
export function goFieldName(struct: string, name: string): string {
  const known = irregular[`${struct.slice(struct.indexOf('.') + 1)}.${name}`];
  if (known) return known;
  const capitals = initialism.exec(name)?.[0];
  if (capitals === 'wwids') return 'WWIDs';
  if (capitals) return capitals.toUpperCase() + name.slice(capitals.length);
  return name.charAt(0).toUpperCase() + name.slice(1);
}
