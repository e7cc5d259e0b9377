import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { FileOrder } from './kit/file-order.ts'
import { loadBundledTests } from './kit/test-bundle.ts'
import { findProgram } from '../src/setup/system-packages.mjs'

/**
 * Suites that need a phone and do not choose its face themselves. Waits, expectations and comparisons decide over
 * readings that the driver has made; which server it asked makes no difference to them.
 */
const onAPhone = [
  'commands/devices.test.ts',
  'devices/demonstration.test.ts',
  'devices/executions.test.ts',
  'devices/live-screen*.test.ts',
  'devices/looks/device-log.test.ts',
  'devices/looks/diagnostics.test.ts',
  'devices/recording/same-by-proxy.test.ts',
  'devices/recording/touch-*.test.ts',
]

/**
 * Suites whose daemon reaches its phone through a device host in a further run. Left out is the recording of fingers,
 * which a host refuses. The suites of `device-hosts/` and `devices/pool/` have hosts of their own.
 */
const throughHost = [
  'commands/devices.test.ts',
  'devices/demonstration.test.ts',
  'devices/executions.test.ts',
  'devices/live-screen*.test.ts',
  'devices/looks/*.test.ts',
]

/** What measures time. It runs before all others, because it would measure their work too. */
const ALONE = ['pages/slow-network.test.ts']

const limits = {
  // Long enough for a machine with far more work than cores. A test that waits in vain is rare.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  pool: 'forks' as const,
  // Much of a test is waiting for a phone or a process: six keep two cores busy.
  maxWorkers: 6,
  // Files of one worker share what they import, which takes longer than most tests.
  isolate: false,
  // Stack traces of bundled tests name the source files. A larger young generation takes less time to collect: tests
  // start one daemon after the other.
  execArgv: ['--enable-source-maps', '--max-semi-space-size=64'],
  setupFiles: [join(import.meta.dirname, 'kit', 'file-times.ts')],
  // What a test waits for comes late on a busy machine.
  expect: { poll: { timeout: 10_000 } },
}

export default defineConfig({
  test: {
    root: import.meta.dirname,
    sequence: { sequencer: FileOrder },
    projects: [
      {
        plugins: [loadBundledTests],
        test: {
          ...limits,
          name: 'alone',
          include: ALONE,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        plugins: [loadBundledTests],
        test: { ...limits, name: 'all', include: ['**/*.test.ts'], exclude: ALONE, sequence: { groupOrder: 2 } },
      },
      {
        plugins: [loadBundledTests],
        test: {
          ...limits,
          name: 'real adb',
          // Without adb the run says so at its end.
          include: findProgram('adb') === undefined ? [] : onAPhone,
          env: { APPRENTICE_TEST_FACE: 'adbd' },
          sequence: { groupOrder: 2 },
        },
      },
      {
        plugins: [loadBundledTests],
        test: {
          ...limits,
          name: 'device host',
          // Without Redis the run says so at its end.
          include: findProgram('redis-server') === undefined ? [] : throughHost,
          env: { APPRENTICE_TEST_FACE: 'host' },
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
