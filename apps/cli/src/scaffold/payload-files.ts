/** The files of a payload that runs wherever there is a shell. */
export function payloadFiles(component: string): ReadonlyMap<string, string> {
  return new Map([
    [`kodata/${component}/VERSION`, 'v0.1.0\n'],
    [`kodata/${component}/10-settings.yaml`, settings(component)],
    [`kodata/${component}/20-${component}.yaml`, workload(component)],
    ['connector.yaml', connector(component)],
    ['Dockerfile', dockerfile],
    ['README.md', readme(component)],
  ]);
}

const settings = (name: string): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}-settings
data:
  greeting: Hello from ${name}.
`;

const workload = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  replicas: 1
  selector:
    matchLabels: {app: ${name}}
  template:
    metadata:
      labels: {app: ${name}}
    spec:
      containers:
        - name: main
          image: busybox:1.36
          command: [sh, -c, 'while true; do echo "$GREETING"; sleep 10; done']
          env:
            - name: GREETING
              valueFrom: {configMapKeyRef: {name: ${name}-settings, key: greeting}}
`;

const connector = (name: string): string => `apiVersion: operator.connectors.alauda.io/v1alpha1
kind: Connector
metadata:
  name: ${name}
  namespace: default
spec:
  labels: {team: a}
  workloads:
    - name: ${name}
      replicas: 2
`;

const dockerfile = `# The image of the operator: an image with the tektite command, and the payloads on its search path.
ARG TEKTITE
FROM \${TEKTITE}
COPY kodata /var/run/ko
`;

const readme = (name: string): string => `# ${name}

An application that a Connector deploys. \`kodata/${name}\` is its YAML, \`kodata/${name}/VERSION\` its version.

    tektite up --systems connectors --payload kodata     on this machine
    kubectl apply -f connector.yaml
    kubectl get connectors.operator.connectors.alauda.io

    tektite deploy connectors --payload kodata --image IMAGE | kubectl apply --server-side -f -     on a cluster
    tektite connectors olm --payload kodata --image IMAGE                                           for OLM
`;
