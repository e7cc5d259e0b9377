import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

interface LockedPackage {
  readonly link?: boolean
  readonly inBundle?: boolean
  readonly integrity?: string
  readonly resolved?: string
}

const root = join(import.meta.dirname, '../..')
describe.each([
  ['of the project', 'package-lock.json', 100],
  ['of the newer Node for tests', 'src/setup/newer-node/package-lock.json', 0],
  ['of agent-device for its test', 'src/setup/agent-device/package-lock.json', 0],
])('the lockfile %s', (_what, file, least) => {
  const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const installed = Object.entries(packages).filter(
    ([path, { link, inBundle }]) => path.includes('node_modules/') && link !== true && inBundle !== true,
  )

  it('has an integrity hash for every package', () => {
    const without = installed.filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==/.test(integrity))
    expect(without.map(([path]) => path)).toEqual([])
    expect(installed.length).toBeGreaterThan(least)
  })

  it('pins no download address', () => {
    const pinned = installed.filter(([, { resolved }]) => resolved !== undefined)
    expect(pinned.map(([path]) => path)).toEqual([])
  })
})
