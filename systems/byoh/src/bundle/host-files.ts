/** Files that a bundle puts on a host besides the programs, by their paths. */

/** `conf.tar`: what the kernel needs for the network of Pods. */
export const kernelFiles: Readonly<Record<string, string>> = {
  'etc/modules-load.d/containerd.conf': 'overlay\nbr_netfilter\n',
  'etc/sysctl.d/99-kubernetes-cri.conf':
    'net.bridge.bridge-nf-call-iptables = 1\nnet.bridge.bridge-nf-call-ip6tables = 1\nnet.ipv4.ip_forward = 1\n',
};

/** With the programs of containerd: its unit, its configuration, and where crictl finds it. */
export const containerdFiles: Readonly<Record<string, string>> = {
  'etc/systemd/system/containerd.service': `[Unit]
Description=containerd, the container runtime
After=network.target local-fs.target

[Service]
ExecStart=/usr/local/bin/containerd
Type=notify
Delegate=yes
KillMode=process
Restart=always
RestartSec=5
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
OOMScoreAdjust=-999

[Install]
WantedBy=multi-user.target
`,
  // Kubelets and runtimes have to agree on who makes cgroups; kubeadm's default is systemd.
  'etc/containerd/config.toml': `version = 2
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
    SystemdCgroup = true
`,
  'etc/crictl.yaml': 'runtime-endpoint: unix:///run/containerd/containerd.sock\n',
};
