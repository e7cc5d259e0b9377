import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface LockedPackage {
  readonly version?: string
  readonly link?: boolean
  readonly dev?: boolean
}

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
  readonly licenses?: readonly object[]
}

const root = join(import.meta.dirname, '../..')
const WORKSPACES = ['contracts', 'phone']

function listProductionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const installed = Object.entries(packages).filter(
    ([path, { link, dev }]) => path.includes('node_modules/') && link !== true && dev !== true,
  )
  const names = installed.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`)
  return [...new Set(names)].toSorted()
}

test('the SBOM names every production package with version, licence and hash, and no others', () => {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'sbom'], { cwd: root, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  const bom = JSON.parse(stdout) as { bomFormat: string; components: Component[] }
  expect(bom.bomFormat).toBe('CycloneDX')
  const packages = bom.components.filter(({ name }) => !WORKSPACES.includes(name))
  expect([...new Set(packages.map((one) => one['bom-ref'].replace(/\|.*/, '')))].toSorted()).toEqual(
    listProductionPackages(),
  )
  const incomplete = packages.filter(
    ({ version, licenses = [], hashes = [] }) =>
      version === '' ||
      licenses.length === 0 ||
      !hashes.some(({ alg, content }) => alg === 'SHA-512' && /^[0-9a-f]{128}$/.test(content)),
  )
  expect(incomplete.map(({ name }) => name)).toEqual([])
})
