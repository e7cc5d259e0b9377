import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { findNewerNode } from '../../src/setup/newer-node.mjs'

const ROOT = join(import.meta.dirname, '..', '..')
export const SUITE = join(ROOT, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')
const node = findNewerNode(join(ROOT, 'node_modules', '.cache', 'apprentice'))

/** Whether there is a Node that can run the official conformance suite. `npm test` installs one. */
export const hasSuite = node !== undefined

export interface SuiteResult {
  /** The names of all scenarios that ran. */
  readonly ran: readonly string[]
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  readonly output: string
}

/** Runs the suite. Resolves with the names of the scenarios and everything that was printed. */
export async function runSuite(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<SuiteResult> {
  const child = spawn(node ?? '', [SUITE, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      output += String(text)
    })
  }
  await once(child, 'close')
  const list = (pattern: RegExp): string[] => [...output.matchAll(pattern)].map(([, name = '']) => name)
  return {
    ran: list(/^[✓✗] ([\w/-]+):/gm),
    passed: list(/^✓ ([\w/-]+): [1-9]\d* passed, 0 failed$/gm),
    failed: list(/^✗ ([\w/-]+):/gm),
    output,
  }
}
