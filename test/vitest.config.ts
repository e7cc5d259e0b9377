import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { FileOrder } from './kit/file-order.ts'
import { loadBundledTests } from './kit/test-bundle.ts'
import { findProgram } from '../src/setup/system-packages.mjs'

/** Suites that need a phone and do not choose its face themselves. */
const onAPhone = [
  'commands/devices.test.ts',
  'devices/demonstration.test.ts',
  'devices/executions.test.ts',
  'devices/live-screen*.test.ts',
  'devices/looks/*.test.ts',
  'devices/recording/same-by-proxy.test.ts',
  'devices/recording/touch-*.test.ts',
]

const PAGES = ['pages/**/*.test.ts']

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
          name: 'pages',
          include: PAGES,
          // A browser keeps both cores busy. Six of them at once would only wait for each other.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        plugins: [loadBundledTests],
        test: { ...limits, name: 'all', include: ['**/*.test.ts'], exclude: PAGES, sequence: { groupOrder: 2 } },
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
    ],
  },
})
