/** Every admission plugin that kube-apiserver knows by name, whether this server has it or does without. */
const admissionPluginNames: ReadonlySet<string> = new Set(
  `AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction
   ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyServiceExternalIPs
   EventRateLimit ExtendedResourceToleration ImagePolicyWebhook LimitPodHardAntiAffinityTopology LimitRanger
   MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle
   NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize
   PodNodeSelector PodSecurity PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass
   ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy
   ValidatingAdmissionWebhook`.split(/\s+/),
);

/** The names in a list separated by commas that kube-apiserver does not know either. */
export function unknownPlugins(names: readonly string[]): string[] {
  return names.filter((name) => !admissionPluginNames.has(name));
}
