/**
 * The parts of images that are not of this repository, by version and checksum, so that two builds of one commit are the same. A new version
 * of Node.js or of a package of Debian is a change of this file. An archive of Debian drops a version when it has the next one; builds then take
 * that one and say so.
 */
export const node = {
  version: '24.21.0',
  integrity: {
    x64: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    arm64: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
};

const gcc = '12.2.0-14+deb12u1';

/** Further versions that tests run with: the older one that is maintained, and the newest. */
export const testedNodes = [
  {
    version: '22.23.3',
    integrity: {
      x64: 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
      arm64: 'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
    },
  },
  node,
  {
    version: '26.10.0',
    integrity: {
      x64: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
      arm64: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    },
  },
];

/** Packages of Debian 12, by what images take from them. */
export const debian = {
  libc6: {
    version: '2.36-9+deb12u14',
    pool: 'g/glibc',
    sha256: {
      x64: 'ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf',
      arm64: '01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4',
    },
  },
  'libstdc++6': {
    version: gcc,
    pool: 'g/gcc-12',
    sha256: {
      x64: '5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d',
      arm64: '26e138c677a985775331373828a6c286c551ff397cb735d00e2383cb273d1cb2',
    },
  },
  'libgcc-s1': {
    version: gcc,
    pool: 'g/gcc-12',
    sha256: {
      x64: '3016e62cb4b7cd8038822870601f5ed131befe942774d0f745622cc77d8a88f7',
      arm64: '576926b283613db80168ddf76380a3bd877602778cf0d226caa7bfbfa71eacf3',
    },
  },
  'gcc-12-base': {
    version: gcc,
    pool: 'g/gcc-12',
    sha256: {
      x64: '1896a2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619',
      arm64: '674cf6cba6d432bd200c45fe866c1652c7a53523cc2e7a613e05bc4abf7b5440',
    },
  },
  'busybox-static': {
    version: '1.35.0-4+deb12u1+b1',
    pool: 'b/busybox',
    sha256: {
      x64: '3d3fdbe91d4660c873e14b092c213fe81c1da6362daa236eb25d0171eb108744',
      arm64: '732c9135564fc71337e0e05fb4da4d11e6c28c1834bce3e405e575afef2a52f5',
    },
  },
};
